import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransportError } from '../../../src/api/errors.ts';
import { MemoryPool } from '../../../src/content/memory/memory-pool.ts';
import type { ContentWriter, Draft, OwedDraft, Recovery } from '../../../src/content/ports.ts';
import { createContentReader } from '../../../src/content/read/content-reader.ts';
import { createContentWriter } from '../../../src/content/write/content-writer.ts';
import { Journal } from '../../../src/content/write/journal.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { FakePlatform, md5, patterned, refusal } from './fake-platform.ts';

const forever = new AbortController().signal;

let directory: { readonly name: string; removeCallback(): void };
let platform: FakePlatform;
let endLive = (): void => {};
const writers: ContentWriter[] = [];

/** Never answers, as far as the killed mount is concerned. */
function stuck(): Promise<void> {
  return new Promise((_, reject) => {
    const end = endLive;
    endLive = () => {
      end();
      reject(new Error('killed'));
    };
  });
}

beforeEach(() => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  platform = new FakePlatform();
  endLive = () => {};
});
afterEach(async () => {
  platform.on = () => {};
  endLive();
  await Promise.all(writers.splice(0).map((writer) => writer.close()));
  directory.removeCallback();
});

function writerIn(path: string): ContentWriter {
  const clock = new FakeClock();
  const memory = new MemoryPool(1024 * 1024);
  const { api, storage } = platform;
  const reader = createContentReader({ api, storage, memory, clock });
  const writer = createContentWriter({
    api,
    storage,
    reader,
    memory,
    clock,
    directory: path,
    deliver: async () => {},
    partSizeBytes: 100,
  });
  writers.push(writer);
  return writer;
}

function newDraft(writer: ContentWriter, replaces?: string, name = 'new.bam'): Promise<Draft> {
  const target = { parent: 'folder', name, overwrite: true, replaces };
  return writer.draft({ target, base: undefined, label: `projects/alice/trial/${name}` });
}

/** Written and synced, and never closed. */
async function syncedDraft(writer: ContentWriter, name: string): Promise<Draft> {
  const draft = await newDraft(writer, undefined, name);
  await draft.write(0, patterned(50), forever);
  await draft.sync(forever);
  return draft;
}

/** What a mount finds that was killed: the directory as it is at this moment. */
async function afterKill(when = 'after-kill'): Promise<string> {
  const path = join(directory.name, when);
  await mkdir(path);
  for (const name of await readdir(join(directory.name, 'live'))) {
    await cp(join(directory.name, 'live', name), join(path, name));
  }
  return path;
}

async function onlyRecovery(path: string): Promise<Recovery['outcome'] & { readonly label: string }> {
  const [recovery, ...others] = await writerIn(path).recover();
  expect(others).toEqual([]);
  if (recovery === undefined) throw new Error('nothing was recovered');
  return { ...recovery.outcome, label: recovery.label };
}

function owed(outcome: Recovery['outcome'] | undefined): OwedDraft {
  if (outcome?.kind !== 'owed') throw new Error(`nothing is owed: ${JSON.stringify(outcome)}`);
  return outcome.owed;
}

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
  expect(await readFile((await owed(recovery).keep())?.path ?? '')).toEqual(bytes);
  expect(published()).toEqual(theirs);
  expect(platform.uploads.size).toBe(0);
}

const published = (): Buffer | undefined => platform.named('folder', 'new.bam')?.bytes;

describe('a publication that was asked for', () => {
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
    const parts = [...(upload?.parts ?? [])];
    for (const [number, bytes] of parts.slice(0, 2)) upload?.reported.set(number, md5(bytes));
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

  it('is found done when the mount was killed after the completion', async () => {
    await publishingUntil('complete');
    const path = await afterKill();
    platform.on = () => {};
    const [uploadId] = platform.uploads.keys();
    const { api } = platform;
    const reports = [...(platform.uploads.get(uploadId ?? '')?.parts ?? [])];
    const file = await api.uploads.complete(
      uploadId ?? '',
      reports.map(([partNumber, bytes]) => ({ partNumber, etag: md5(bytes) })),
    );
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
    expect(await readFile((await owed(recovery).keep())?.path ?? '')).toEqual(patterned(sizeBytes));
    expect(published()?.toString()).toBe('newer');
    expect(platform.uploads.size).toBe(0);
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

  it('nor when no upload of it had begun', async () => {
    const draft = await newDraft(writerIn(join(directory.name, 'live')));
    await draft.write(0, patterned(50), forever);
    await draft.commit(forever);
    await expectKeptAside(await afterKill(), patterned(50));
  });

  it('nor when the service has swept the upload', async () => {
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

  it('and that is written again takes the place of what took its name since, as any other', async () => {
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
    const kept = await owed(recovery).keep();
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

describe('a draft that nobody asked to publish', () => {
  it('is kept aside with its bytes, and its upload is aborted', async () => {
    const draft = await newDraft(writerIn(join(directory.name, 'live')));
    for (let at = 0; at < 350; at += 50) await draft.write(at, patterned(350).subarray(at, at + 50), forever);
    await waitUntil(() => platform.count('put') >= 3);
    await draft.sync(forever);
    const path = await afterKill();
    const recovery = await onlyRecovery(path);
    expect(recovery).toMatchObject({ kind: 'kept', reason: expect.stringContaining('still being written') });
    if (recovery.kind === 'kept') expect(await readFile(recovery.path)).toEqual(patterned(350));
    await waitUntil(() => platform.uploads.size === 0);
    expect(published()).toBeUndefined();
    expect(await writerIn(path).recover()).toEqual([]);
  });

  it.each([
    ['in bytes', 'n'.repeat(250)],
    ['in characters of several bytes', `x${'\u{1F9EC}'.repeat(62)}`],
  ])('is kept aside however long its name is, %s', async (_, name) => {
    await syncedDraft(writerIn(join(directory.name, 'live')), name);
    const recovery = await onlyRecovery(await afterKill());
    if (recovery.kind !== 'kept') throw new Error('it was not kept');
    expect(await readFile(recovery.path)).toEqual(patterned(50));
    expect(basename(recovery.path)).toMatch(/^(n{240,}|x\u{1F9EC}{60,})\.[0-9a-f]{8}$/u);
  });

  it('and that was only cut cannot be kept: what is lost is told', async () => {
    const old = platform.addFile(patterned(300));
    const base = { kind: 'file', fileId: old.id, sizeBytes: 300 } as const;
    const target = { parent: 'folder', name: 'cut', overwrite: true };
    const draft = await writerIn(join(directory.name, 'live')).draft({ target, base, label: 'cut' });
    const untouched = await afterKill('untouched');
    expect(await writerIn(untouched).recover()).toEqual([]);
    await draft.truncate(100, forever);
    await draft.sync(forever);
    const recovery = await onlyRecovery(await afterKill());
    expect(recovery).toMatchObject({ kind: 'lost', reason: expect.stringContaining('100 bytes') });
  });

  it.each([
    ['small', 50],
    ['large', 20_000],
  ])('since it was emptied after its close is kept aside, and replaces nothing: %s', async (_, sizeBytes) => {
    const old = platform.addFile(Buffer.from('old'), { parent: 'folder', name: 'new.bam' });
    const draft = await newDraft(writerIn(join(directory.name, 'live')), old.id);
    await draft.write(0, patterned(sizeBytes), forever);
    await draft.commit(forever);
    await draft.truncate(0, forever);
    await draft.sync(forever);
    expect(await onlyRecovery(await afterKill('emptied'))).toMatchObject({ kind: 'lost' });
    await draft.write(0, Buffer.from('half'), forever);
    await draft.sync(forever);
    const half = await onlyRecovery(await afterKill('half'));
    if (half.kind !== 'kept') throw new Error(`it was not kept: ${half.kind}`);
    expect(await readFile(half.path, 'utf8')).toBe('half');
    await draft.write(4, Buffer.from(' and half'), forever);
    await draft.commit(forever);
    await owed(await onlyRecovery(await afterKill('closed'))).finish();
    expect(published()?.toString()).toBe('half and half');
  });

  it('since it was emptied while its publication failed is kept aside', async () => {
    const draft = await newDraft(writerIn(join(directory.name, 'live')));
    await draft.write(0, patterned(350), forever);
    let fail = (): void => {};
    platform.on = (call) =>
      call === 'complete'
        ? new Promise((_, reject) => {
            fail = () => reject(new TransportError('unreachable', { call }));
          })
        : undefined;
    const failed = expect(draft.publish(forever)).rejects.toThrow('unreachable');
    await waitUntil(() => platform.calls.includes('complete'));
    await draft.truncate(0, forever);
    await draft.write(0, Buffer.from('half'), forever);
    fail();
    await failed;
    platform.on = () => {};
    await expect(draft.sync(forever)).rejects.toThrow('unreachable');
    const recovery = await onlyRecovery(await afterKill());
    if (recovery.kind !== 'kept') throw new Error(`it was not kept: ${recovery.kind}`);
    expect(await readFile(recovery.path, 'utf8')).toBe('half');
  });

  it('is left to the next mount when it cannot be kept aside, and the others are recovered', async () => {
    const live = writerIn(join(directory.name, 'live'));
    await syncedDraft(live, 'open');
    await (await syncedDraft(live, 'closed')).commit(forever);
    const path = await afterKill();
    await writeFile(join(path, 'recovered'), 'in the way');
    const writer = writerIn(path);
    const [open, closed] = await writer.recover();
    expect(open?.outcome).toMatchObject({ kind: 'failed', error: { code: 'EEXIST' } });
    await owed(closed?.outcome).finish();
    expect(platform.named('folder', 'closed')?.bytes).toEqual(patterned(50));
    await writer.close();
    await rm(join(path, 'recovered'));
    expect(await onlyRecovery(path)).toMatchObject({ kind: 'kept', label: 'projects/alice/trial/open' });
  });

  it('and that holds nothing is forgotten', async () => {
    const draft = await newDraft(writerIn(join(directory.name, 'live')));
    await draft.sync(forever);
    expect(await writerIn(await afterKill()).recover()).toEqual([]);
  });

  it('and that the journal does not know is kept aside too', async () => {
    const path = join(directory.name, 'live');
    await mkdir(path);
    await writeFile(join(path, 'lost.spool'), 'bytes');
    const recovery = await onlyRecovery(path);
    if (recovery.kind === 'kept') expect(await readFile(recovery.path, 'utf8')).toBe('bytes');
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

it('a draft that was given up and could not be put aside is not published by the next mount', async () => {
  const path = join(directory.name, 'live');
  const writer = writerIn(path);
  const draft = await syncedDraft(writer, 'refused');
  platform.on = () => {
    throw refusal(403, 8001);
  };
  await expect(draft.publish(forever)).rejects.toThrow('8001');
  await writeFile(join(path, 'recovered'), 'in the way');
  await expect(draft.keep()).rejects.toThrow('EEXIST');
  await writer.close();
  platform.on = () => {};
  await rm(join(path, 'recovered'));
  expect(await onlyRecovery(path)).toMatchObject({ kind: 'kept' });
  expect(platform.files.size).toBe(0);
});

/** The journal as if the lines that tell of parts had not reached the disk. */
async function withoutPartsInJournal(path: string): Promise<void> {
  const { decodeEntry, encodeEntry } = await import('../../../src/content/write/journal-entry.ts');
  const lines = (await readFile(join(path, 'journal'), 'utf8')).split('\n').filter((line) => line !== '');
  const kept = lines.flatMap((line) => {
    const entry = decodeEntry(line);
    if (entry?.type !== 'draft') return [];
    const { draft } = entry;
    return encodeEntry({
      ...entry,
      draft: { ...draft, upload: draft.upload && { ...draft.upload, parts: [] } },
    });
  });
  await writeFile(join(path, 'journal'), kept.join(''));
}
