import { afterEach, describe, expect, it, vi } from 'vitest';
import { DraftSpool } from '../../../../../src/content/write/spool/draft-spool.ts';
import { ExtentMap } from '../../../../../src/content/write/spool/extent-map.ts';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { Gate } from '../../../../support/gate.ts';
import { waitUntil } from '../../../../support/wait-until.ts';
import { patterned } from '../../fake-platform.ts';
import { forever, KIB, loneSpool, newDraft, writerOf } from '../draft-world.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const bytes = patterned(KIB);

/** One that has bytes, of which no more are on the disk than a sync said. */
async function written(): Promise<DraftSpool> {
  const spool = new DraftSpool(loneSpool(KIB));
  await spool.write(0, bytes);
  spool.account(new ExtentMap([{ start: 0, end: KIB, origin: { kind: 'local' } }]));
  return spool;
}

/** The next write of a spool waits for it. */
function holdWrite(): Gate {
  const gate = new Gate();
  const { write } = SpoolFile.prototype;
  vi.spyOn(SpoolFile.prototype, 'write').mockImplementationOnce(async function (this: SpoolFile, ...to) {
    await gate.opened;
    return write.apply(this, to);
  });
  return gate;
}

/** As `holdWrite`, the next fdatasync. */
function holdSync(): Gate {
  const gate = new Gate();
  const { sync } = SpoolFile.prototype;
  vi.spyOn(SpoolFile.prototype, 'sync').mockImplementationOnce(async function (this: SpoolFile) {
    await gate.opened;
    return sync.apply(this);
  });
  return gate;
}

describe('the bytes of a spool', () => {
  it('are on the disk when they were synced', async () => {
    const spool = await written();
    expect(spool.onDisk).toBe(false);
    await spool.sync();
    expect(spool.onDisk).toBe(true);
    await spool.close({ keepSpool: false });
  });

  it('are not by a sync that was done while they were being written, and the next one sees to that', async () => {
    const spool = await written();
    const held = holdWrite();
    const writing = spool.write(0, bytes);
    await spool.sync();
    held.open();
    await writing;
    expect(spool.onDisk).toBe(false);
    const synced = vi.spyOn(SpoolFile.prototype, 'sync');
    await spool.sync();
    expect(synced).toHaveBeenCalledOnce();
    expect(spool.onDisk).toBe(true);
    await spool.close({ keepSpool: false });
  });
});

it('a write that goes on during the fsync of another program is on the disk when its own fsync is done', async () => {
  const draft = await newDraft(writerOf());
  await draft.write(0, bytes, forever);
  const firstSync = holdSync();
  const syncs = [draft.sync(forever)];
  await waitUntil(() => vi.mocked(SpoolFile.prototype.sync).mock.calls.length === 1);
  syncs.push(draft.sync(forever));
  const held = holdWrite();
  const writing = draft.write(0, bytes, forever);
  await waitUntil(() => vi.mocked(SpoolFile.prototype.write).mock.calls.length === 1);
  firstSync.open();
  await Promise.all(syncs);
  held.open();
  await writing;
  const before = vi.mocked(SpoolFile.prototype.sync).mock.calls.length;
  await draft.sync(forever);
  expect(vi.mocked(SpoolFile.prototype.sync).mock.calls.length).toBe(before + 1);
});
