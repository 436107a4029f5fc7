/** Drafts that are done when the power fails: no later run of the machine does them again, whose journal is of the last fdatasync. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../../../src/content/ports.ts';
import { Gate } from '../../../../support/gate.ts';
import { patterned } from '../../fake-platform.ts';
import { LossyDisk } from '../lossy-disk.ts';
import {
  afterKill,
  forever,
  live,
  newDraft,
  platform,
  SIZES,
  useRecoveryWorld,
  writerIn,
} from '../recovery-world.ts';

useRecoveryWorld();

interface World {
  readonly drafts: readonly Draft[];
  readonly disk: LossyDisk;
}

/** Drafts that were written and not closed. */
async function written(sizeBytes: number, count = 1): Promise<World> {
  const writer = writerIn(live());
  const names = Array.from({ length: count }, (_, at) => `${at}.bam`);
  const drafts = await Promise.all(names.map((name) => newDraft(writer, undefined, name)));
  const disk = await LossyDisk.below(live());
  await Promise.all(drafts.map((draft) => draft.write(0, patterned(sizeBytes), forever)));
  return { drafts, disk };
}

/** As `written`, and closed as with --write-back. */
async function closed(sizeBytes: number): Promise<World & { readonly draft: Draft }> {
  const world = await written(sizeBytes);
  const [draft] = world.drafts as [Draft];
  await draft.commit(forever);
  return { ...world, draft };
}

/** The recovery when the machine is started again. */
async function recoverAfterPowerFailure(disk: LossyDisk): Promise<void> {
  const path = await afterKill();
  await writeFile(join(path, 'journal'), disk.journal);
  for (const { outcome } of await writerIn(path, { bootId: 'later' }).recover())
    if (outcome.kind === 'owed') await outcome.owed.finish();
}

describe('a file that was closed with --write-back', () => {
  it.each(SIZES)('and uploaded, and removed, does not come back: %s', async (_, sizeBytes) => {
    const { draft, disk } = await closed(sizeBytes);
    const { id } = await draft.publish(forever);
    platform.files.delete(id);
    await recoverAfterPowerFailure(disk);
    expect([...platform.files]).toEqual([]);
  });

  it.each(SIZES)('and uploaded, keeps what was set since: %s', async (_, sizeBytes) => {
    const { draft, disk } = await closed(sizeBytes);
    await draft.annotate({ metadata: { sample: 'a' }, tags: undefined });
    const { id } = await draft.publish(forever);
    await platform.api.files.edit(id, { metadata: { sample: 'b' } });
    await recoverAfterPowerFailure(disk);
    expect(platform.files.get(id)?.record.metadata).toEqual({ sample: 'b' });
  });

  it.each(SIZES)('removed before it was uploaded does not come back: %s', async (_, sizeBytes) => {
    const { draft, disk } = await closed(sizeBytes);
    await draft.discard();
    await recoverAfterPowerFailure(disk);
    expect([...platform.files]).toEqual([]);
  });

  it.each(SIZES)('renamed is uploaded under its new name: %s', async (_, sizeBytes) => {
    const { draft, disk } = await closed(sizeBytes);
    await draft.retarget({ parent: 'folder', name: 'renamed', overwrite: true }, 'trial/renamed');
    await recoverAfterPowerFailure(disk);
    expect([...platform.files.values()].map(({ record }) => record.name)).toEqual(['renamed']);
  });

  it.each(SIZES)('written on and renamed is uploaded under its new name: %s', async (_, sizeBytes) => {
    const { draft, disk } = await closed(sizeBytes);
    await draft.write(sizeBytes, patterned(10), forever);
    await draft.retarget({ parent: 'folder', name: 'renamed', overwrite: true }, 'trial/renamed');
    await recoverAfterPowerFailure(disk);
    expect(platform.named('folder', 'renamed')?.bytes).toEqual(patterned(sizeBytes));
  });
});

describe('an fdatasync of the journal', () => {
  it('is shared by all that are removed at a time', async () => {
    const { drafts, disk } = await written(50, 100);
    await Promise.all(drafts.map((draft) => draft.commit(forever)));
    const { syncs } = disk;
    const gate = new Gate();
    disk.before = gate.opened;
    const discarded = Promise.all(drafts.map((draft) => draft.discard()));
    gate.open();
    await discarded;
    expect(ends(disk)).toBe(100);
    expect(disk.syncs - syncs).toBeLessThanOrEqual(2);
  });

  it('is made for none that nobody asked to be durable', async () => {
    const { drafts, disk } = await written(250, 3);
    for (const draft of drafts) {
      await draft.publish(forever);
      await draft.close();
    }
    expect(platform.files.size).toBe(3);
    expect(disk.syncs).toBe(0);
  });

  it('is made for none that is renamed or removed before it was closed', async () => {
    const { drafts, disk } = await written(250);
    const [draft] = drafts as [Draft];
    await draft.retarget({ parent: 'folder', name: 'renamed', overwrite: true }, 'trial/renamed');
    await draft.discard();
    expect(disk.syncs).toBe(0);
  });

  it('is made once for a file that is synced, closed and uploaded', async () => {
    const { drafts, disk } = await written(250);
    const [draft] = drafts as [Draft];
    await draft.sync(forever);
    await draft.publish(forever);
    await draft.close();
    expect(disk.syncs).toBe(1);
  });
});

function ends({ journal }: LossyDisk): number {
  return journal.toString().split('"type":"end"').length - 1;
}
