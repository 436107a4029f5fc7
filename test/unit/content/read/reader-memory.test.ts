import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES } from '../../../../src/content/read/segment-index.ts';
import { sharedAbortController } from '../../../../src/lib/shared-signals.ts';
import { Gate } from '../../../support/gate.ts';
import { patterned } from '../fake-platform.ts';
import { bytesFetched, bytesOf, fileVersion, forever, KIB, MIB, readAll, setup } from './reader-world.ts';

describe('reading', () => {
  it('reads a file larger than its memory, and never overwrites bytes that are lent', async () => {
    const { platform, reader, memory } = setup(4 * MIB);
    const bytes = patterned(24 * MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    const kept = await handle.read(0, 256 * KIB, forever);
    expect((await readAll(handle)).equals(bytes)).toBe(true);
    expect(Buffer.concat(kept.chunks).equals(bytes.subarray(0, 256 * KIB))).toBe(true);
    kept.release?.();
    expect(memory.lentBytes).toBeLessThanOrEqual(5 * MIB);
  });

  it('overdraws its memory by no more than the blocks that are waited for', async () => {
    const { platform, reader, memory } = setup(4 * MIB);
    const { signal } = sharedAbortController();
    const answers = new Gate();
    platform.on = (call) => (call.startsWith('getRange') ? answers.opened : undefined);
    const files = Array.from({ length: 64 }, (_, at) => patterned(2 * MIB, at));
    const sizes = files.map((_, at) => (128 + 4 * at) * KIB);
    const reads = files.map((bytes, at) =>
      bytesOf(reader.open(fileVersion(platform, bytes)).read(0, sizes[at] ?? 0, { signal })),
    );
    const waitedFor = sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES, 0);
    expect(memory.lentBytes).toBeLessThanOrEqual(memory.limitBytes + waitedFor);
    answers.open();
    const read = await Promise.all(reads);
    expect(read.every((bytes, at) => files[at]?.subarray(0, sizes[at]).equals(bytes))).toBe(true);
  });

  it('goes round in little memory when a stream is read', async () => {
    const { platform, reader, memory } = setup(512 * MIB);
    const bytes = patterned(128 * MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    await readAll(handle, MIB);
    expect(memory.lentBytes).toBeLessThanOrEqual(32 * MIB);
  });

  it('touches little memory for a stream of 1 GiB, and gives it back when idle', async () => {
    const { platform, reader, memory } = setup(1024 * MIB);
    const bytes = Buffer.alloc(1024 * MIB);
    const handle = reader.open(fileVersion(platform, bytes));
    for (let at = 0; at < bytes.length; at += MIB) {
      const { chunks, release } = await handle.read(at, MIB, forever);
      expect(chunks.reduce((sum, { length }) => sum + length, 0)).toBe(MIB);
      release?.();
    }
    expect(memory.freshBytes).toBeLessThanOrEqual(152 * MIB);
    for (let looks = 0; looks < 2; looks += 1) memory.shrinkWhenIdle();
    expect(memory.heldBytes).toBeLessThanOrEqual(8 * MIB);
    expect(bytesFetched(platform)).toBe(bytes.length);
  });

  it.each([4, 8])('fetches no byte twice for %i readers that are slower than the line', async (readers) => {
    const { platform, reader } = setup(32 * MIB);
    const files = Array.from({ length: readers }, (_, at) => patterned(24 * MIB, at));
    const handles = files.map((bytes) => reader.open(fileVersion(platform, bytes)));
    for (let at = 0; at < 24 * MIB; at += 512 * KIB)
      for (const handle of handles) await bytesOf(handle.read(at, 512 * KIB, forever));
    expect(bytesFetched(platform)).toBeLessThanOrEqual(1.1 * readers * 24 * MIB);
  });

  it('keeps what is read here and there', async () => {
    const { platform, reader } = setup(512 * MIB);
    const handle = reader.open(fileVersion(platform, patterned(64 * MIB)));
    const reads = Array.from({ length: 60 }, (_, at) => (((at * 37) % 60) + 1) * MIB);
    for (let pass = 0; pass < 2; pass += 1) {
      for (const at of reads) await bytesOf(handle.read(at, 4 * KIB, forever));
    }
    expect(platform.ranges).toHaveLength(60);
  });
});
