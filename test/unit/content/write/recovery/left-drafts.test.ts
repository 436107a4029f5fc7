/** Drafts that a killed mount leaves and nobody asked to publish. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../../src/api/errors.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned, refusal } from '../../fake-platform.ts';
import {
  afterKill,
  BECAUSE,
  directory,
  forever,
  live,
  newDraft,
  onlyRecovery,
  owed,
  platform,
  syncedDraft,
  useRecoveryWorld,
  writerIn,
} from '../recovery-world.ts';

useRecoveryWorld();

const published = (): Buffer | undefined => platform.named('folder', 'new.bam')?.bytes;

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

  it('is found where it was kept aside when the mount that did so was killed before it noted that', async () => {
    await syncedDraft(writerIn(live()), 'new.bam');
    const path = await afterKill();
    const journal = await readFile(join(path, 'journal'));
    const kept = await onlyRecovery(path);
    if (kept.kind !== 'kept') throw new Error('it was not kept');
    const next = await afterKill('after-another', path);
    await writeFile(join(next, 'journal'), journal);
    expect(await onlyRecovery(next)).toEqual({
      ...kept,
      path: join(next, 'recovered', basename(kept.path)),
    });
    expect(await writerIn(next).recover()).toEqual([]);
  });

  it.each([
    ['a new one, in part a copy', undefined, 200, true],
    ['one that was overwritten entirely', 300, 300, false],
  ])('is said to lack bytes that are not in its spool: %s', async (_, baseBytes, writtenBytes, lacks) => {
    const source = { kind: 'file', fileId: platform.addFile(patterned(300)).id, sizeBytes: 300 } as const;
    const target = { parent: 'folder', name: 'new.bam', overwrite: true };
    const base = baseBytes === undefined ? undefined : source;
    const draft = await writerIn(live()).draft({ target, base, label: 'new.bam' });
    if (base === undefined) await draft.copyFrom(source, 0, { offset: 0, length: 300 }, forever);
    await draft.write(0, patterned(writtenBytes), forever);
    await draft.sync(forever);
    const recovery = await onlyRecovery(await afterKill());
    if (recovery.kind !== 'kept') throw new Error(`it was not kept: ${recovery.kind}`);
    expect(recovery.reason.includes('is left out')).toBe(lacks);
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

  it('cannot be kept when it was only cut, and the loss is told', async () => {
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
    const emptied = draft.truncate(0, forever);
    fail();
    await failed;
    await emptied;
    await draft.write(0, Buffer.from('half'), forever);
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

  it('is forgotten when it holds nothing', async () => {
    const draft = await newDraft(writerIn(join(directory.name, 'live')));
    await draft.sync(forever);
    expect(await writerIn(await afterKill()).recover()).toEqual([]);
  });

  it('is kept aside too when the journal does not know it', async () => {
    const path = join(directory.name, 'live');
    await mkdir(path);
    await writeFile(join(path, 'lost.spool'), 'bytes');
    const recovery = await onlyRecovery(path);
    if (recovery.kind === 'kept') expect(await readFile(recovery.path, 'utf8')).toBe('bytes');
  });
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
  await expect(draft.keep(BECAUSE)).rejects.toThrow('EEXIST');
  await writer.close();
  platform.on = () => {};
  await rm(join(path, 'recovered'));
  expect(await onlyRecovery(path)).toMatchObject({ kind: 'kept' });
  expect(platform.files.size).toBe(0);
});
