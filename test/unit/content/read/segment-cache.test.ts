import { expect, it } from 'vitest';
import type { FetchRange } from '../../../../src/content/fetch-range.ts';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import type { Segment } from '../../../../src/content/read/segment.ts';
import { SegmentCache } from '../../../../src/content/read/segment-cache.ts';
import { BLOCK_BYTES, SegmentIndex } from '../../../../src/content/read/segment-index.ts';

const MIB = 1024 * 1024;
const CHUNKS = 12;
const BLOCKS_IN_CHUNK = MIB / BLOCK_BYTES;
const { signal } = new AbortController();
const fetch = async (): Promise<object> => ({});

/** Sees what is given back that nobody has. */
class WatchedPool extends MemoryPool {
  readonly givenTwice: Buffer[] = [];
  readonly #lent = new Set<Buffer>();

  override acquireNow(sizeBytes: number): Buffer {
    const buffer = super.acquireNow(sizeBytes);
    this.#lent.add(buffer);
    return buffer;
  }

  override release(buffer: Buffer): void {
    if (!this.#lent.delete(buffer)) this.givenTwice.push(buffer);
    super.release(buffer);
  }
}

it('counts what failed, or was given up, as not filled', async () => {
  const cache = new SegmentCache(new MemoryPool(CHUNKS * MIB));
  const index = new SegmentIndex(() => {});
  const load = (block: number, how: FetchRange): Segment => {
    const [offset, end] = [block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES];
    return cache.load({ index, offset, end, fetch: how }, end);
  };
  const whole = load(0, fetch);
  const failed = load(1, async (_, __, { onProgress }) => {
    onProgress?.(100);
    throw new Error('the object changed');
  });
  await Promise.all([whole.settled, failed.settled]);
  expect([whole.isFilled, failed.isFilled]).toEqual([true, false]);
});

it('gives memory back once, also while a part waits for more than a reader makes free', async () => {
  const pool = new WatchedPool(CHUNKS * MIB);
  const cache = new SegmentCache(pool);
  const index = new SegmentIndex(() => {});
  const load = async (block: number, blocks = 1): Promise<Segment> => {
    const offset = block * BLOCK_BYTES;
    const end = offset + blocks * BLOCK_BYTES;
    const segment = cache.load({ index, offset, end, fetch }, end);
    cache.pin(segment);
    await segment.settled;
    return segment;
  };
  // While this part is in flight, the next one waits for memory within the budget.
  await pool.acquire(BLOCK_BYTES, signal);
  for (let block = 1; block < CHUNKS * BLOCKS_IN_CHUNK; block++) {
    const segment = await load(block);
    // One in each chunk stays pinned: none of them comes free as a whole.
    if (block % BLOCKS_IN_CHUNK !== 1) cache.unpin(segment);
  }
  void pool.acquire(MIB, signal);
  await load(CHUNKS * BLOCKS_IN_CHUNK, BLOCKS_IN_CHUNK);
  expect(pool.givenTwice).toHaveLength(0);
});
