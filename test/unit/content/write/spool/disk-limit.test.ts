import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DiskRoom } from '../../../../../src/content/write/spool/disk-limit.ts';
import { patterned } from '../../fake-platform.ts';
import {
  bytesOf,
  directory,
  forever,
  KIB,
  newDraft,
  published,
  writeInPieces,
  writerOf,
} from '../draft-world.ts';

describe('the disk of the spool', () => {
  /** Of so many bytes, all of them free but for the spools. */
  function smallDisk(sizeBytes: number): { readonly disk: DiskRoom; readonly most: () => number } {
    let most = 0;
    const bytes = async (): Promise<number> => {
      const names = (await readdir(directory.name)).filter((name) => name.endsWith('.spool'));
      const sizes = await Promise.all(names.map((name) => stat(join(directory.name, name))));
      const usedBytes = sizes.reduce((sum, { blocks }) => sum + 512 * blocks, 0);
      most = Math.max(most, usedBytes);
      return Math.max(0, sizeBytes - usedBytes);
    };
    return { disk: { directory: directory.name, bytes }, most: () => most };
  }

  it('may be smaller than a file: parts that the service has are let go of', async () => {
    const { disk, most } = smallDisk(256 * KIB);
    const draft = await newDraft(writerOf({ disk, partSizeBytes: 64 * KIB }));
    const bytes = patterned(2048 * KIB);
    await writeInPieces(draft, bytes, 16 * KIB);
    await draft.publish(forever);
    expect(published()?.equals(bytes)).toBe(true);
    expect(most()).toBeLessThanOrEqual(256 * KIB);
  });

  it('keeps all of a file that it has room for, which can be read and changed until it is closed', async () => {
    const { disk } = smallDisk(1024 * KIB);
    const draft = await newDraft(writerOf({ disk, partSizeBytes: 64 * KIB }));
    const bytes = patterned(512 * KIB);
    await writeInPieces(draft, bytes, 16 * KIB);
    expect((await bytesOf(draft)).equals(bytes)).toBe(true);
    await draft.write(5, Buffer.from('x'), forever);
    await draft.publish(forever);
  });

  it('is named when it has no room for a part', async () => {
    const { disk } = smallDisk(32 * KIB);
    const draft = await newDraft(writerOf({ disk, partSizeBytes: 64 * KIB }));
    const written = draft.write(1, patterned(512 * KIB), forever);
    await expect(written).rejects.toThrow(`the disk of the spool directory ${directory.name} is full`);
  });
});
