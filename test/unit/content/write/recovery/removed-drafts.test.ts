/** Drafts whose names are removed while somebody has them open. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContentWriter, Draft } from '../../../../../src/content/ports.ts';
import { waitingUploads } from '../../../../../src/content/write/recovery/waiting-uploads.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import { LossyDisk } from '../lossy-disk.ts';
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

async function closed(
  sizeBytes: number,
): Promise<{ readonly writer: ContentWriter; readonly draft: Draft; readonly disk: LossyDisk }> {
  const writer = writerIn(live());
  const draft = await newDraft(writer);
  const disk = await LossyDisk.below(live());
  await draft.write(0, patterned(sizeBytes), forever);
  await draft.commit(forever);
  return { writer, draft, disk };
}

/** Nothing of it is anywhere. */
async function expectGone(path: string, bootId = 'first'): Promise<void> {
  expect(await writerIn(path, { bootId }).recover()).toEqual([]);
  expect(await readdir(path)).toEqual(['journal']);
  expect([...platform.files]).toEqual([]);
  await waitUntil(() => platform.uploads.size === 0);
}

describe('a file that was closed with --write-back, and removed while somebody has it open,', () => {
  it.each(SIZES)('does not come back when the mount is killed: %s', async (_, sizeBytes) => {
    const { draft } = await closed(sizeBytes);
    await draft.disown();
    await expectGone(await afterKill());
  });

  it.each(SIZES)('nor when the power fails: %s', async (_, sizeBytes) => {
    const { draft, disk } = await closed(sizeBytes);
    await draft.disown();
    const path = await afterKill();
    await writeFile(join(path, 'journal'), disk.journal);
    await expectGone(path, 'later');
  });

  it.each(SIZES)('nor when the mount ends: %s', async (_, sizeBytes) => {
    const { writer, draft } = await closed(sizeBytes);
    await draft.disown();
    await writer.close();
    await expectGone(live());
  });

  it('does not come back for what is done with it after that', async () => {
    const { draft } = await closed(20_000);
    await draft.disown();
    await draft.write(10, patterned(50, 2), forever);
    await draft.commit(forever);
    await draft.annotate({ metadata: { sample: 'a' }, tags: undefined });
    await draft.sync(forever);
    await expectGone(await afterKill());
  });

  it('is owed again when it has its name again', async () => {
    const { draft } = await closed(20_000);
    await draft.disown();
    await draft.reclaim();
    await owed(await onlyRecovery(await afterKill())).finish();
    expect(platform.named('folder', 'new.bam')?.bytes).toEqual(patterned(20_000));
  });

  it.each(SIZES)('nor is it lost when the power fails then: %s', async (_, sizeBytes) => {
    const { draft, disk } = await closed(sizeBytes);
    await draft.disown();
    await draft.reclaim();
    const path = await afterKill();
    await writeFile(join(path, 'journal'), disk.journal);
    const recovery = await onlyRecovery(path, { bootId: 'later' });
    await owed(recovery).finish();
    expect(platform.named('folder', 'new.bam')?.bytes).toEqual(patterned(sizeBytes));
  });
});

it('a file that was half sent, and removed while its writer goes on, leaves neither an upload nor bytes', async () => {
  const draft = await newDraft(writerIn(live()));
  for (let at = 0; at < 350; at += 50) await draft.write(at, patterned(350).subarray(at, at + 50), forever);
  await waitUntil(() => platform.count('put') >= 3);
  await draft.disown();
  await draft.sync(forever);
  expect(platform.uploads.size).toBe(1);
  await expectGone(await afterKill());
});

it('an object whose name was removed on its way to the volume waits for nobody', async () => {
  const onward = { volume: 'ann/results', location: 'a', replaces: undefined };
  const target = { parent: 'folder', name: 'staged', overwrite: true, onward };
  const draft = await writerIn(live()).draft({ target, base: undefined, label: 'a' });
  await draft.write(0, patterned(50), forever);
  await draft.publish(forever);
  expect(await waitingUploads(await afterKill('before'), forever)).toMatchObject({ files: 1 });
  await draft.disown();
  await draft.sync(forever);
  expect(await waitingUploads(await afterKill(), forever)).toMatchObject({ files: 0 });
});

it('a file that nobody closed is removed without an fdatasync', async () => {
  const draft = await newDraft(writerIn(live()));
  const disk = await LossyDisk.below(live());
  await draft.write(0, patterned(50), forever);
  await draft.disown();
  expect(disk.syncs).toBe(0);
});

it.each(SIZES)(
  'nothing that is done with a draft that has ended brings it back: %s',
  async (_, sizeBytes) => {
    const { draft } = await closed(sizeBytes);
    const before = Promise.allSettled([draft.commit(forever), draft.sync(forever)]);
    await draft.discard();
    const set = { metadata: { sample: 'a' }, tags: undefined };
    const refused = { reason: 'no', atMs: 1 };
    await Promise.allSettled([draft.annotate(set), draft.sync(forever), draft.refused(refused)]);
    await Promise.allSettled([draft.commit(forever), before]);
    await expectGone(await afterKill());
  },
);
