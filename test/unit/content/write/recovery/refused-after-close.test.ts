/** A draft that a close acknowledged, and of which a change is refused after that: nothing of it is another, so it is owed still. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ContentError, type Draft } from '../../../../../src/content/ports.ts';
import { Journal } from '../../../../../src/content/write/journal/journal.ts';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { deferred } from '../../../../../src/lib/deferred.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import {
  afterKill,
  forever,
  live,
  newDraft,
  onlyRecovery,
  owed,
  platform,
  SIZES,
  useRecoveryWorld,
  writerIn,
} from '../recovery-world.ts';

useRecoveryWorld();

const full = new ContentError('no-space', 'the disk is full');
const published = (): string | undefined => platform.named('folder', 'new.bam')?.bytes.toString();

let oldId: string;
beforeEach(() => {
  oldId = platform.addFile(Buffer.from('old'), { parent: 'folder', name: 'new.bam' }).id;
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function written(sizeBytes: number, writer = writerIn(live())): Promise<Draft> {
  const draft = await newDraft(writer, oldId);
  await draft.write(0, patterned(sizeBytes), forever);
  return draft;
}

async function closed(sizeBytes: number): Promise<Draft> {
  const draft = await written(sizeBytes);
  await draft.commit(forever);
  return draft;
}

const RUNS = ['first', 'later'];
const CASES = SIZES.flatMap(([where, sizeBytes]) =>
  RUNS.map((bootId) => [where, bootId, sizeBytes] as const),
);

describe('a file that was closed, and of which the disk refuses a change after that,', () => {
  it.each(CASES)(
    'is uploaded by the next mount as it was closed: %s, in the %s run',
    async (_, bootId, sizeBytes) => {
      const draft = await closed(sizeBytes);
      vi.spyOn(SpoolFile.prototype, 'write').mockRejectedValueOnce(full);
      await expect(draft.write(10, Buffer.from('half'), forever)).rejects.toBe(full);
      vi.spyOn(SpoolFile.prototype, 'truncate').mockRejectedValueOnce(full);
      await expect(draft.truncate(20, forever)).rejects.toBe(full);
      await owed(await onlyRecovery(await afterKill(), { bootId })).finish();
      expect(published()).toBe(patterned(sizeBytes).toString());
    },
  );

  it('is uploaded by the next mount though it was closed empty', async () => {
    const draft = await closed(0);
    vi.spyOn(SpoolFile.prototype, 'write').mockRejectedValueOnce(full);
    await expect(draft.write(0, Buffer.from('half'), forever)).rejects.toBe(full);
    await owed(await onlyRecovery(await afterKill(), { bootId: 'later' })).finish();
    expect(published()).toBe('');
  });

  it('is uploaded by the next mount though what was to be written has no room in the spool', async () => {
    const draft = await written(150, writerIn(live(), { partSizeBytes: 1000, spoolSizeBytes: 200 }));
    await draft.commit(forever);
    const tooLarge = patterned(3000, 3);
    await expect(draft.write(10, tooLarge, forever)).rejects.toMatchObject({ kind: 'no-space' });
    await owed(await onlyRecovery(await afterKill(), { bootId: 'later' })).finish();
    expect(published()).toBe(patterned(150).toString());
  });

  it('is not when another change of it is made', async () => {
    const draft = await closed(20_000);
    vi.spyOn(SpoolFile.prototype, 'write').mockRejectedValueOnce(full);
    await expect(draft.write(10, Buffer.from('half'), forever)).rejects.toBe(full);
    await draft.write(10, Buffer.from('half'), forever);
    await draft.sync(forever);
    expect(await onlyRecovery(await afterKill())).toMatchObject({ kind: 'kept' });
    expect(published()).toBe('old');
  });

  it('is owed no more when it was published meanwhile', async () => {
    const draft = await closed(20_000);
    const refusal = deferred();
    const begun = vi.spyOn(SpoolFile.prototype, 'write').mockImplementationOnce(async () => {
      await refusal.promise;
      throw full;
    });
    let resume = (): void => {};
    platform.on = (call) =>
      call === 'complete' ? new Promise<void>((resolve) => (resume = resolve)) : undefined;
    const publication = draft.publish(forever);
    await waitUntil(() => platform.calls.includes('complete'));
    const appending = expect(draft.write(20_000, Buffer.from('half'), forever)).rejects.toBe(full);
    await waitUntil(() => begun.mock.calls.length > 0);
    resume();
    await publication;
    refusal.resolve();
    await appending;
    expect(published()).toBe(patterned(20_000).toString());
    expect(await writerIn(await afterKill(), { bootId: 'later' }).recover()).toEqual([]);
  });
});

it.each([
  ['small, in the journal', 50, 'read'],
  ['large, in its spool', 20_000, 'sync'],
] as const)(
  'a file of which the disk refuses a change while it is closed is owed as the close has it: %s',
  async (_, sizeBytes, last) => {
    const draft = await written(sizeBytes);
    const refusal = deferred();
    const begun = vi.spyOn(SpoolFile.prototype, 'write').mockImplementationOnce(async () => {
      await refusal.promise;
      throw full;
    });
    let writing: Promise<void> | undefined;
    const real = SpoolFile.prototype[last] as (...args: unknown[]) => Promise<void>;
    vi.spyOn(SpoolFile.prototype, last).mockImplementationOnce(async function (
      this: SpoolFile,
      ...args: unknown[]
    ) {
      await real.apply(this, args);
      writing = expect(draft.write(10, Buffer.from('half'), forever)).rejects.toBe(full);
      await waitUntil(() => begun.mock.calls.length > 0);
    });
    const closing = draft.commit(forever);
    await waitUntil(() => begun.mock.calls.length > 0);
    refusal.resolve();
    await writing;
    await closing;
    await owed(await onlyRecovery(await afterKill(), { bootId: 'later' })).finish();
    expect(published()).toBe(patterned(sizeBytes).toString());
  },
);

it('a file that was closed is owed still when the journal cannot take it back before a change', async () => {
  const draft = await closed(20_000);
  vi.spyOn(Journal.prototype, 'durable').mockRejectedValueOnce(full);
  await expect(draft.write(10, Buffer.from('half'), forever)).rejects.toBe(full);
  await owed(await onlyRecovery(await afterKill())).finish();
  expect(published()).toBe(patterned(20_000).toString());
});
