import { expect, it } from 'vitest';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const forever = new AbortController().signal;

it('lends a released buffer again', () => {
  const pool = new MemoryPool(4 * MIB);
  const first = pool.acquireNow(MIB);
  pool.release(first);
  expect(pool.acquireNow(MIB - 5)).toBe(first);
});

it('refuses those who can do without when the budget is spent', () => {
  const pool = new MemoryPool(2 * MIB);
  pool.acquireNow(2 * MIB);
  expect(pool.tryAcquire(16)).toBeUndefined();
  expect(pool.acquireNow(16)).toBeDefined();
});

it('takes back what the cache can give up before it refuses', () => {
  const pool = new MemoryPool(MIB);
  const cached = pool.acquireNow(MIB);
  pool.reclaimWith(() => {
    pool.release(cached);
    return true;
  });
  expect(pool.tryAcquire(MIB)).toBe(cached);
});

it('serves those who wait in turn, as memory is released', async () => {
  const pool = new MemoryPool(2 * MIB);
  const held = pool.acquireNow(2 * MIB);
  const order: string[] = [];
  const first = pool.acquire(2 * MIB, forever).then((buffer) => {
    order.push('first');
    pool.release(buffer);
  });
  // The first is served over the budget, since no other part is held; the second waits for it.
  const second = pool.acquire(MIB, forever).then(() => order.push('second'));
  pool.release(held);
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});

it('lets one part go ahead that is larger than the whole budget', async () => {
  const pool = new MemoryPool(MIB);
  expect((await pool.acquire(16 * MIB, forever)).length).toBe(16 * MIB);
});

it('forgets a waiter whose signal fires, and serves the next', async () => {
  const pool = new MemoryPool(MIB);
  const held = await pool.acquire(MIB, forever);
  const gone = new AbortController();
  const first = pool.acquire(MIB, gone.signal);
  const second = pool.acquire(MIB, forever);
  gone.abort(new Error('interrupted'));
  pool.release(held);
  await expect(first).rejects.toThrow('interrupted');
  expect((await second).length).toBe(MIB);
});

it('keeps no more than its budget for later', () => {
  const pool = new MemoryPool(MIB);
  const within = pool.acquireNow(MIB);
  const over = pool.acquireNow(MIB);
  pool.release(over);
  pool.release(within);
  expect(pool.lentBytes).toBe(0);
  expect([pool.acquireNow(MIB), pool.acquireNow(MIB)]).not.toContain(over);
});

it('makes a large buffer of small ones that are free again', () => {
  const pool = new MemoryPool(MIB);
  const small = Array.from({ length: 64 }, () => pool.acquireNow(16 * KIB));
  expect(new Set(small.map(({ byteOffset }) => byteOffset)).size).toBe(64);
  expect(pool.tryAcquire(MIB)).toBeUndefined();
  for (const buffer of small) pool.release(buffer);
  expect(pool.tryAcquire(MIB)?.length).toBe(MIB);
});

it('gives the memory of free blocks to what is larger than a chunk', () => {
  const pool = new MemoryPool(4 * MIB);
  const blocks = Array.from({ length: 4 }, () => pool.acquireNow(MIB));
  for (const block of blocks) pool.release(block);
  expect(pool.tryAcquire(3 * MIB)?.length).toBe(3 * MIB);
  expect(pool.tryAcquire(MIB)).toBeDefined();
  expect(pool.tryAcquire(16 * KIB)).toBeUndefined();
});

it('takes what streams have read before new memory', () => {
  const pool = new MemoryPool(15 * MIB);
  const read = [pool.acquireNow(MIB)];
  pool.reclaimWith(
    () => false,
    () => {
      const oldest = read.pop();
      if (oldest !== undefined) pool.release(oldest);
      return oldest !== undefined;
    },
  );
  pool.acquireNow(MIB);
  expect([pool.freshBytes, pool.heldBytes]).toEqual([MIB, MIB]);
  pool.acquireNow(MIB);
  expect([pool.freshBytes, pool.heldBytes]).toEqual([2 * MIB, 2 * MIB]);
});

it('joins free blocks before it takes new memory', () => {
  const pool = new MemoryPool(15 * MIB);
  const small = Array.from({ length: 64 }, () => pool.acquireNow(16 * KIB));
  for (const buffer of small) pool.release(buffer);
  pool.acquireNow(MIB);
  expect(pool.freshBytes).toBe(MIB);
});

it('gives memory back that nobody asked for between two looks, and keeps what is lent', () => {
  const pool = new MemoryPool(64 * MIB);
  const lent = pool.acquireNow(4 * MIB);
  const others = Array.from({ length: 8 }, () => pool.acquireNow(4 * MIB));
  lent.fill(7);
  for (const buffer of others) pool.release(buffer);
  pool.release(pool.acquireNow(16 * MIB));
  pool.shrinkWhenIdle();
  const heldBytes = 40 * MIB + 16 * MIB;
  expect(pool.heldBytes).toBe(heldBytes);
  pool.shrinkWhenIdle();
  expect(pool.heldBytes).toBe(8 * MIB);
  expect(lent.every((byte) => byte === 7)).toBe(true);
  expect(pool.acquireNow(8 * MIB)).toBeDefined();
  expect(pool.freshBytes).toBe(heldBytes + 8 * MIB);
});
