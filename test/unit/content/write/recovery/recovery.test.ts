/** Publications that a killed mount had been asked for. */
import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../../src/api/errors.ts';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { md5, patterned, refusal } from '../../fake-platform.ts';
import {
  afterKill,
  BECAUSE,
  directory,
  endLive,
  forever,
  newDraft,
  onlyRecovery,
  owed,
  platform,
  stuck,
  useRecoveryWorld,
  writerIn,
  writers,
} from '../recovery-world.ts';

useRecoveryWorld();

/** Publishes, stuck before `call` answers, and durable. */
async function publishingUntil(call: string, bytes = patterned(350), replaces?: string): Promise<void> {
  const draft = await newDraft(writerIn(join(directory.name, 'live')), replaces);
  platform.on = (one) => (one === call ? stuck() : undefined);
  for (let at = 0; at < bytes.length; at += 50) await draft.write(at, bytes.subarray(at, at + 50), forever);
  draft.publish(forever).catch(() => {});
  await draft.sync(forever);
  await waitUntil(() => platform.calls.includes(call));
}

/** Another client has put a file of the same size there, which stays; what was written here is kept. */
async function expectKeptAside(path: string, bytes: Buffer): Promise<void> {
  const theirs = patterned(bytes.length, 2);
  platform.addFile(theirs, { parent: 'folder', name: 'new.bam' });
  const recovery = await onlyRecovery(path);
  await expect(owed(recovery).finish()).rejects.toMatchObject({ kind: 'changed' });
  expect(await readFile((await owed(recovery).keep(BECAUSE))?.path ?? '')).toEqual(bytes);
  expect(published()).toEqual(theirs);
  await waitUntil(() => platform.uploads.size === 0);
}

const published = (): Buffer | undefined => platform.named('folder', 'new.bam')?.bytes;

describe('a publication that was asked for', () => {
  it('gives back its room in the spool when all of it had been sent, and others need it', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {};
    const writer = writerIn(path, { spoolSizeBytes: 400 });
    const [recovery] = await writer.recover();
    const { draft } = owed(recovery?.outcome);
    await draft?.publish(forever);
    const other = await newDraft(writer, undefined, 'other.bam');
    await other.write(0, patterned(400), forever);
    expect((await stat(join(path, `${draft?.id}.spool`))).size).toBe(0);
  });

  it.each([
    ['of one size', 350],
    ['that grew', 1000 * 100 + 350],
  ])('goes on, and sends only parts that the store does not have: %s', async (_, sizeBytes) => {
    platform.capabilities.add('variable_part_size');
    await publishingUntil('complete', patterned(sizeBytes));
    const path = await afterKill();
    platform.on = () => {};
    platform.calls.length = 0;
    const recovery = await onlyRecovery(path);
    expect(recovery).toMatchObject({ kind: 'owed', label: 'projects/alice/trial/new.bam' });
    await owed(recovery).finish();
    expect(published()).toEqual(patterned(sizeBytes));
    expect(platform.count('put')).toBe(0);
    expect(platform.count('initialise')).toBe(0);
    expect(await readdir(path)).toEqual(['journal']);
  });

  it('sends what was on its way when the mount was killed', async () => {
    await publishingUntil('put 2');
    const path = await afterKill();
    platform.on = () => {};
    platform.calls.length = 0;
    const recovery = await onlyRecovery(path);
    await owed(recovery).finish();
    expect(published()).toEqual(patterned(350));
    expect(platform.calls).toContain('put 2');
    expect(platform.calls).not.toContain('put 1');
  });

  it('knows a part from the report of the service when the journal lost it, if its bytes are the same', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {};
    const [upload] = platform.uploads.values();
    upload?.reported.set(1, md5(upload.parts.get(1) ?? Buffer.alloc(0)));
    upload?.parts.set(2, Buffer.alloc(100, 'x'));
    upload?.reported.set(2, md5(Buffer.alloc(100, 'x')));
    await withoutPartsInJournal(path);
    platform.calls.length = 0;
    const recovery = await onlyRecovery(path);
    await owed(recovery).finish();
    expect(published()).toEqual(patterned(350));
    expect(platform.calls.filter((call) => call.startsWith('put')).sort()).toEqual([
      'put 2',
      'put 3',
      'put 4',
    ]);
  });

  it.each([
    ['on report', true],
    ['not on report', false],
  ])('has no parts from beyond the end of a file that was cut: %s', async (_, isReported) => {
    const draft = await newDraft(writerIn(join(directory.name, 'live')));
    const bytes = patterned(450);
    for (let at = 0; at < 450; at += 50) await draft.write(at, bytes.subarray(at, at + 50), forever);
    await waitUntil(() => platform.count('put') === 4 && platform.putsInFlight === 0);
    await draft.truncate(200, forever);
    await draft.commit(forever);
    const path = await afterKill();
    if (isReported)
      for (const { parts, reported } of platform.uploads.values())
        for (const [number, part] of parts) reported.set(number, md5(part));
    await owed(await onlyRecovery(path)).finish();
    expect(published()).toEqual(bytes.subarray(0, 200));
  });

  it('of holes alone, which has no spool, goes on though the journal lost that a part was sent', async () => {
    const draft = await newDraft(writerIn(join(directory.name, 'live')));
    await draft.truncate(350, forever);
    platform.on = (call) => (call === 'complete' ? stuck() : undefined);
    draft.publish(forever).catch(() => {});
    await waitUntil(() => platform.calls.includes('complete'));
    await draft.sync(forever);
    const path = await afterKill();
    platform.on = () => {};
    expect(await readdir(path)).toEqual(['journal']);
    const [upload] = platform.uploads.values();
    for (const [number, bytes] of upload?.parts ?? []) upload?.reported.set(number, md5(bytes));
    await withoutPartsInJournal(path);
    await owed(await onlyRecovery(path)).finish();
    expect(published()).toEqual(Buffer.alloc(350));
  });

  it('is cut in its spool too, which a person may be given', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {};
    const { draft } = owed(await onlyRecovery(path));
    await draft?.truncate(100, forever);
    await draft?.sync(forever);
    const [spool = ''] = (await readdir(path)).filter((name) => name.endsWith('.spool'));
    expect(await readFile(join(path, spool))).toEqual(patterned(100));
  });

  it('has no parts from beyond its new end when it is cut, though nobody tells that they were sent', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    for (const { parts, reported } of platform.uploads.values())
      for (const [number, part] of parts) reported.set(number, md5(part));
    await withoutPartsInJournal(path);
    platform.on = () => {
      throw new TransportError('unreachable', { call: 'any' });
    };
    const { draft } = owed(await onlyRecovery(path));
    platform.on = () => {};
    await draft?.truncate(200, forever);
    await draft?.publish(forever);
    expect(published()).toEqual(patterned(200));
  });

  it('is found done when the mount was killed after the completion', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {};
    const file = platform.completeUpload();
    const recovery = await onlyRecovery(path);
    await owed(recovery).finish();
    expect([...platform.files.keys()]).toEqual([file.id]);
  });

  it.each([
    ['complete', 350],
    ['inline', 50],
  ])('does not replace what took its name since, before %s', async (call, sizeBytes) => {
    if (call === 'inline') platform.capabilities.add('upload_inline');
    await publishingUntil(call, patterned(sizeBytes));
    const path = await afterKill();
    platform.on = () => {};
    platform.addFile(Buffer.from('newer'), { parent: 'folder', name: 'new.bam' });
    const recovery = await onlyRecovery(path);
    await expect(owed(recovery).finish()).rejects.toMatchObject({ kind: 'changed' });
    expect(await readFile((await owed(recovery).keep(BECAUSE))?.path ?? '')).toEqual(patterned(sizeBytes));
    expect(published()?.toString()).toBe('newer');
    await waitUntil(() => platform.uploads.size === 0);
  });

  it.each([
    ['complete', 350],
    ['inline', 50],
  ])('does not take a file of the same size for its own, before %s', async (call, sizeBytes) => {
    if (call === 'inline') platform.capabilities.add('upload_inline');
    await publishingUntil(call, patterned(sizeBytes));
    const path = await afterKill();
    platform.on = () => {};
    await expectKeptAside(path, patterned(sizeBytes));
  });

  it('does not take a file of the same size for its own when no upload of it had begun', async () => {
    const draft = await newDraft(writerIn(join(directory.name, 'live')));
    await draft.write(0, patterned(50), forever);
    await draft.commit(forever);
    await expectKeptAside(await afterKill(), patterned(50));
  });

  it('does not take a file of the same size for its own when the service has swept the upload', async () => {
    await publishingUntil('put 2');
    const path = await afterKill();
    platform.on = () => {};
    platform.uploads.clear();
    await expectKeptAside(path, patterned(350));
  });

  it('is found done by its bytes when it went in one call', async () => {
    platform.capabilities.add('upload_inline');
    await publishingUntil('inline', patterned(50));
    const path = await afterKill();
    platform.on = () => {};
    const file = platform.addFile(patterned(50), { parent: 'folder', name: 'new.bam' });
    const recovery = await onlyRecovery(path);
    await owed(recovery).finish();
    expect([...platform.files.keys()]).toEqual([file.id]);
    expect(await readdir(path)).toEqual(['journal']);
  });

  it('replaces what the draft began from', async () => {
    const old = platform.addFile(Buffer.from('old'), { parent: 'folder', name: 'new.bam' });
    await publishingUntil('complete', patterned(350), old.id);
    const path = await afterKill();
    platform.on = () => {};
    const recovery = await onlyRecovery(path);
    await owed(recovery).finish();
    expect(published()).toEqual(patterned(350));
  });

  it('of one name twice: the last is published, and the one before it kept for a person', async () => {
    const writer = writerIn(join(directory.name, 'live'));
    for (const text of ['old', 'new']) {
      const draft = await newDraft(writer);
      await draft.write(0, Buffer.from(text), forever);
      await draft.commit(forever);
    }
    const [first, second] = await writerIn(await afterKill()).recover();
    if (first?.outcome.kind !== 'kept') throw new Error('it was not kept');
    expect(await readFile(first.outcome.path, 'utf8')).toBe('old');
    expect(first.outcome.reason).toContain('newer version');
    await owed(second?.outcome).finish();
    expect(published()?.toString()).toBe('new');
  });

  it('takes the place of a file that took its name since, when it is written again', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {};
    const { draft } = owed(await onlyRecovery(path));
    platform.addFile(Buffer.from('newer'), { parent: 'folder', name: 'new.bam' });
    await draft?.truncate(10, forever);
    await draft?.publish(forever);
    expect(published()).toEqual(patterned(350).subarray(0, 10));
  });

  it('of a small file stays in the journal until it is done: its spool need not be durable', async () => {
    const live = await newDraft(writerIn(join(directory.name, 'live')));
    await live.write(0, Buffer.from('small'), forever);
    await live.commit(forever);
    const path = await afterKill();
    const writer = writerIn(path);
    const { draft } = owed((await writer.recover())[0]?.outcome);
    await draft?.annotate({ metadata: { sample: 'a' }, tags: undefined });
    await writer.close();
    const journal = await Journal.open(path);
    expect(journal.drafts).toMatchObject([{ bytes: Buffer.from('small').toString('base64') }]);
    await journal.close();
  });

  it('of nothing stays owed when it failed and the mount ends', async () => {
    const path = join(directory.name, 'live');
    const draft = await newDraft(writerIn(path));
    platform.on = () => {
      throw new TransportError('unreachable', { call: 'any' });
    };
    await expect(draft.publish(forever)).rejects.toThrow('unreachable');
    await Promise.all(writers.splice(0).map((writer) => writer.close()));
    platform.on = () => {};
    const recovery = await onlyRecovery(path);
    await owed(recovery).finish();
    expect(published()).toEqual(Buffer.alloc(0));
  });

  it('starts anew when the service has swept the upload', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {};
    platform.uploads.clear();
    const recovery = await onlyRecovery(path);
    await owed(recovery).finish();
    expect(published()).toEqual(patterned(350));
  });

  it('stays owed to the next mount while the service is away', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {
      throw new TransportError('unreachable', { call: 'any' });
    };
    const recovery = await onlyRecovery(path);
    await expect(owed(recovery).finish()).rejects.toThrow('unreachable');
    endLive();
    await Promise.all(writers.splice(0).map((writer) => writer.close()));
    platform.on = () => {};
    const again = await onlyRecovery(path);
    await owed(again).finish();
    expect(published()).toEqual(patterned(350));
  });

  it('that the service refuses for good has its bytes kept aside, and is not tried again', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = (call) => {
      if (call === 'complete') throw refusal(403, 8001);
    };
    const recovery = await onlyRecovery(path);
    await expect(owed(recovery).finish()).rejects.toMatchObject({ code: 8001 });
    const kept = await owed(recovery).keep(BECAUSE);
    expect(await readFile(kept?.path ?? '')).toEqual(patterned(350));
    await Promise.all(writers.splice(1).map((writer) => writer.close()));
    const journal = await Journal.open(path);
    expect(journal.drafts).toEqual([]);
    await journal.close();
  });

  it('whose spool was cut short is kept aside, with the reason', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {};
    const spool = (await readdir(path)).find((name) => name.endsWith('.spool'));
    await truncate(join(path, spool ?? ''), 200);
    const recovery = await onlyRecovery(path);
    expect(recovery).toMatchObject({ kind: 'kept', reason: expect.stringContaining('200 of 350 bytes') });
    expect(published()).toBeUndefined();
  });
});

it('annotations that were owed are given after a kill', async () => {
  const draft = await newDraft(writerIn(join(directory.name, 'live')));
  await draft.write(0, Buffer.from('x'), forever);
  await draft.annotate({ metadata: { sample: 'a' }, tags: undefined });
  platform.on = (call) => (call === 'edit' ? stuck() : undefined);
  draft.publish(forever).catch(() => {});
  await waitUntil(() => platform.count('edit') === 1);
  await draft.sync(forever);
  const path = await afterKill();
  platform.on = () => {};
  const recovery = await onlyRecovery(path);
  await owed(recovery).finish();
  expect(platform.named('folder', 'new.bam')?.record.metadata).toEqual({ sample: 'a' });
  expect(platform.count('complete')).toBe(1);
});

/** The journal as if the lines that tell of parts had not reached the disk. */
async function withoutPartsInJournal(path: string): Promise<void> {
  const { decodeEntry, encodeEntry } = await import(
    '../../../../../src/content/write/journal/journal-entry.ts'
  );
  const lines = (await readFile(join(path, 'journal'), 'utf8')).split('\n').filter((line) => line !== '');
  const kept = lines.flatMap((line) => {
    const entry = decodeEntry(line);
    if (entry?.type !== 'draft') return [];
    const { draft } = entry;
    return encodeEntry({
      ...entry,
      draft: { ...draft, upload: draft.upload && { ...draft.upload, parts: [], lastPart: 0 } },
    });
  });
  await writeFile(join(path, 'journal'), kept.join(''));
}
