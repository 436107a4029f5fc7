/** Drafts after the machine itself ended: what was only in its page cache need not have reached the disk. */
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Recovery } from '../../../../../src/content/ports.ts';
import { decodeEntry, encodeEntry } from '../../../../../src/content/write/journal/journal-entry.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import {
  afterKill,
  forever,
  live,
  newDraft,
  owed,
  platform,
  stuck,
  syncedDraft,
  useRecoveryWorld,
  writerIn,
  writers,
} from '../recovery-world.ts';

useRecoveryWorld();

const published = (): Buffer | undefined => platform.named('folder', 'new.bam')?.bytes;

/** The outcome of `new.bam` in the mount of a later run of the machine. */
async function recoveryIn(path: string, bootId: string): Promise<Recovery['outcome'] | undefined> {
  const recoveries = await writerIn(path, { bootId }).recover();
  return recoveries.find(({ label }) => label.endsWith('/new.bam'))?.outcome;
}

/** The last bytes of every spool never reached the disk: there is room for them, and zeros in it. */
async function withoutLastPages(path: string): Promise<void> {
  for (const name of await readdir(path)) {
    if (!name.endsWith('.spool')) continue;
    const spool = await open(join(path, name), 'r+');
    const { size } = await spool.stat();
    await spool.write(Buffer.alloc(20), 0, 20, size - 20);
    await spool.close();
  }
}

/** Written and closed in the ordinary way, when the machine ends: another file's fsync has the journal on the disk. */
async function endedInClose(sizeBytes: number, { fsyncAfter = 0 } = {}): Promise<string> {
  const writer = writerIn(live());
  const draft = await newDraft(writer);
  platform.on = (call) => (call === 'complete' ? stuck() : undefined);
  await draft.write(0, patterned(sizeBytes).subarray(0, fsyncAfter), forever);
  if (fsyncAfter > 0) await draft.sync(forever);
  if (fsyncAfter < sizeBytes)
    await draft.write(fsyncAfter, patterned(sizeBytes).subarray(fsyncAfter), forever);
  draft.publish(forever).catch(() => {});
  await waitUntil(() => platform.calls.includes('complete'));
  await syncedDraft(writer, 'another');
  const path = await afterKill();
  platform.on = () => {};
  return path;
}

async function expectKept(outcome: Recovery['outcome'] | undefined, bytes: Buffer): Promise<void> {
  if (outcome?.kind !== 'kept') throw new Error(`it was not kept: ${outcome?.kind}`);
  expect(outcome.reason).toMatch(/machine may have been restarted .* some may be zeros/);
  expect(await readFile(outcome.path)).toEqual(bytes);
  expect(published()).toBeUndefined();
}

describe('a file that was being closed', () => {
  it.each([
    ['never synced', 0],
    ['written after its fsync', 200],
  ])(
    'when the power failed is kept aside, for its bytes may not be on the disk: %s',
    async (_, fsyncAfter) => {
      const path = await endedInClose(350, { fsyncAfter });
      await withoutLastPages(path);
      const kept = Buffer.concat([patterned(350).subarray(0, 330), Buffer.alloc(20)]);
      await expectKept(await recoveryIn(path, 'later'), kept);
      await waitUntil(() => platform.uploads.size === 0);
      expect(await recoveryIn(path, 'later')).toBeUndefined();
    },
  );

  it('when the power failed is published if all of it had been synced', async () => {
    const path = await endedInClose(350, { fsyncAfter: 350 });
    await owed(await recoveryIn(path, 'later')).finish();
    expect(published()).toEqual(patterned(350));
  });

  it('when its mount was killed is published by one of the same run of the machine, and by none of a later', async () => {
    const path = await endedInClose(350);
    const { draft } = owed(await recoveryIn(path, 'first'));
    await draft?.annotate({ metadata: { sample: 'a' }, tags: undefined });
    const later = await afterKill('later', path);
    await expectKept(await recoveryIn(later, 'later'), patterned(350));
    await draft?.publish(forever);
    expect(published()).toEqual(patterned(350));
  });

  it('when the power failed, and whose spool is gone, may have been uploaded: the reason says where to look', async () => {
    const path = await endedInClose(350);
    for (const name of await readdir(path)) if (name.endsWith('.spool')) await rm(join(path, name));
    const reason = expect.stringContaining('look whether the platform has it');
    expect(await recoveryIn(path, 'later')).toMatchObject({ kind: 'lost', reason });
  });

  it('by a mount of before runs of the machine were told apart is kept aside', async () => {
    const path = await endedInClose(350);
    await withoutRuns(path);
    await expectKept(await recoveryIn(path, 'first'), patterned(350));
  });
});

describe('a file that a close made durable here', () => {
  it.each([
    ['small, in the journal', 50],
    ['large, in its spool', 20_000],
  ])('is published after a power failure, and after the next: %s', async (_, sizeBytes) => {
    const draft = await newDraft(writerIn(live()));
    await draft.write(0, patterned(sizeBytes), forever);
    await draft.commit(forever);
    const path = await afterKill();
    const first = owed(await recoveryIn(path, 'second'));
    await first.draft?.annotate({ metadata: { sample: 'a' }, tags: undefined });
    const again = await afterKill('again', path);
    if (sizeBytes === 50) await withoutLastPages(again);
    await owed(await recoveryIn(again, 'third')).finish();
    expect(published()).toEqual(patterned(sizeBytes));
  });

  it('is so when an earlier mount had only begun to close it', async () => {
    const path = await endedInClose(20_000);
    const { draft } = owed(await recoveryIn(path, 'first'));
    await draft?.commit(forever);
    await owed(await recoveryIn(await afterKill('closed', path), 'later')).finish();
    expect(published()).toEqual(patterned(20_000));
  });

  it('is so when its mount ended in order before it was uploaded', async () => {
    const path = await endedInClose(350);
    owed(await recoveryIn(path, 'first'));
    await writers.pop()?.close();
    await owed(await recoveryIn(path, 'later')).finish();
    expect(published()).toEqual(patterned(350));
  });
});

it('what was synced, and written on after that, is kept after a power failure with a word that it may have zeros', async () => {
  const draft = await syncedDraft(writerIn(live()), 'new.bam');
  await draft.write(50, patterned(100), forever);
  const path = await afterKill();
  const before = await recoveryIn(await afterKill('killed', path), 'first');
  expect(before).toMatchObject({ kind: 'kept', reason: expect.not.stringContaining('zeros') });
  const after = await recoveryIn(path, 'later');
  if (after?.kind !== 'kept') throw new Error('it was not kept');
  expect((await stat(after.path)).size).toBe(150);
});

/** The journal as it was written before it told the machine's runs apart. */
async function withoutRuns(path: string): Promise<void> {
  const lines = (await readFile(join(path, 'journal'), 'utf8')).split('\n').filter((line) => line !== '');
  const older = lines.flatMap((line) => {
    const entry = decodeEntry(line);
    if (entry?.type !== 'draft') return `${line}\n`;
    const { onDisk: _, bootId: __, ...draft } = entry.draft;
    return encodeEntry({ ...entry, draft });
  });
  await writeFile(join(path, 'journal'), older.join(''));
}
