/** A disk that fails an fdatasync of a spool: Linux tells that once, and the bytes may be others when they are read back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Draft } from '../../../../../src/content/ports.ts';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { Gate } from '../../../../support/gate.ts';
import { patterned } from '../../fake-platform.ts';
import {
  afterKill,
  BECAUSE,
  directory,
  forever,
  newDraft,
  onlyRecovery,
  owed,
  platform,
  useRecoveryWorld,
  writerIn,
} from '../recovery-world.ts';

useRecoveryWorld();

afterEach(() => {
  vi.restoreAllMocks();
});

const failure = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
const published = (): Buffer | undefined => platform.named('folder', 'new.bam')?.bytes;

/** Of the next fdatasyncs of a spool one fails, when `until` lets it. */
function failOnce(until: Promise<void> = Promise.resolve()): void {
  vi.spyOn(SpoolFile.prototype, 'sync').mockImplementationOnce(async () => {
    await until;
    throw failure;
  });
}

async function written(sizeBytes = 350): Promise<Draft> {
  const draft = await newDraft(writerIn(join(directory.name, 'live')));
  await draft.write(0, patterned(sizeBytes), forever);
  return draft;
}

/** As `written`, and its fsync failed. */
async function refused(sizeBytes?: number): Promise<Draft> {
  const draft = await written(sizeBytes);
  failOnce();
  await expect(draft.sync(forever)).rejects.toBe(failure);
  return draft;
}

describe('after a failed fsync', () => {
  it('the next one fails as well, and so does that of who writes on', async () => {
    const draft = await refused();
    await expect(draft.sync(forever)).rejects.toBe(failure);
    await draft.write(0, patterned(400, 2), forever);
    await expect(draft.sync(forever)).rejects.toBe(failure);
    expect(draft.synced).toBe(false);
  });

  it.each([
    ['small, in the journal', 50],
    ['large, in its spool', 20_000],
  ])('a close with --write-back fails: %s', async (_, sizeBytes) => {
    const draft = await refused(sizeBytes);
    await expect(draft.commit(forever)).rejects.toBe(failure);
    expect(draft.committed).toBe(false);
  });

  it('a close that uploads has what is read back on the service', async () => {
    const draft = await refused();
    await draft.publish(forever);
    expect(published()).toEqual(patterned(350));
  });

  it('all is well again when the file was emptied and written anew', async () => {
    const draft = await refused(20_000);
    await draft.truncate(0, forever);
    await draft.sync(forever);
    await draft.write(0, patterned(20_000, 2), forever);
    await draft.commit(forever);
    await owed(await onlyRecovery(await afterKill())).finish();
    expect(published()).toEqual(patterned(20_000, 2));
  });

  it('what is given up is kept all the same, with a word that it may have zeros', async () => {
    const kept = await (await refused()).keep(BECAUSE);
    expect(kept).toMatchObject({ missing: expect.stringContaining('some may be zeros') });
    expect(await readFile(kept?.path ?? '')).toEqual(patterned(350));
  });

  it('the next mount publishes nothing of it, though the machine still runs', async () => {
    const draft = await refused();
    platform.on = () => {
      throw new Error('away');
    };
    await expect(draft.publish(forever)).rejects.toThrow('away');
    const reason = expect.stringContaining('some may be zeros');
    expect(await onlyRecovery(await afterKill())).toMatchObject({ kind: 'kept', reason });
  });
});

it('an fsync that waits for one that fails does not succeed', async () => {
  const draft = await written();
  const gate = new Gate();
  failOnce(gate.opened);
  const both = Promise.allSettled([draft.sync(forever), draft.sync(forever)]);
  gate.open();
  expect(await both).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
});
