/** The version that a draft builds on is fetched into the spool, and the disk takes only some of it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ContentError, type ContentWriter, type Draft } from '../../../../../src/content/ports.ts';
import { SpoolFile } from '../../../../../src/content/write/spool/spool-file.ts';
import { patterned } from '../../fake-platform.ts';
import { bytesOf, forever, MIB, newDraft, platform, writerOf } from '../draft-world.ts';

const full = new ContentError('no-space', 'the disk is full');
const bytes = patterned(2 * MIB);

let writer: ContentWriter;
let draft: Draft;
/** By the disk. */
let takenBytes: number;

beforeEach(async () => {
  const { id: fileId } = platform.addFile(Buffer.from(bytes));
  writer = writerOf({ spoolSizeBytes: 4 * MIB, partSizeBytes: MIB });
  draft = await newDraft(writer);
  const version = { kind: 'file', fileId, sizeBytes: bytes.length } as const;
  await draft.copyFrom(version, 0, { offset: 0, length: bytes.length }, forever);
  takenBytes = 0;
  const { writeAll } = SpoolFile.prototype;
  vi.spyOn(SpoolFile.prototype, 'writeAll')
    .mockImplementationOnce(async function (this: SpoolFile, offset, data) {
      await writeAll.call(this, offset, data);
      takenBytes += data.length;
    })
    .mockRejectedValueOnce(full);
  await expect(draft.commit(forever)).rejects.toBe(full);
  expect(takenBytes).toBeGreaterThan(0);
  expect(takenBytes).toBeLessThan(bytes.length);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('what the disk took of a fetch that it then refused', () => {
  it('has its room in the spool, until the rest is there or the draft is given up', async () => {
    expect(writer.spool().usedBytes).toBe(takenBytes);
    await draft.commit(forever);
    expect(writer.spool().usedBytes).toBe(bytes.length);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
    await draft.discard();
    expect(writer.spool().usedBytes).toBe(0);
  });

  it('is made durable by the next fsync', async () => {
    const synced = vi.spyOn(SpoolFile.prototype, 'sync');
    await draft.sync(forever);
    expect(synced).toHaveBeenCalledOnce();
  });
});
