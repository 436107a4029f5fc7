import { expect, it } from 'vitest';
import { GroupSync } from '../../../src/lib/group-sync.ts';

/** Syncs that end when the test says so. */
function heldSyncs() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const group = new GroupSync(() => new Promise((resolve, reject) => ends.push({ resolve, reject })));
  return { group, ends };
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

it('those who write during a sync share the next', async () => {
  const { group, ends } = heldSyncs();
  const settled: number[] = [];
  const write = (number: number): void => {
    group.note();
    void group.settled().then(() => settled.push(number));
  };
  write(1);
  for (const number of [2, 3, 4]) write(number);
  expect(ends).toHaveLength(1);
  ends[0]?.resolve();
  await turns();
  // The first sync covers what was noted before it began.
  expect(settled).toEqual([1]);
  expect(ends).toHaveLength(2);
  ends[1]?.resolve();
  await turns();
  expect(settled).toEqual([1, 2, 3, 4]);
  expect(ends).toHaveLength(2);
});

it('who wrote nothing waits only for what is not durable yet', async () => {
  const { group, ends } = heldSyncs();
  await group.settled();
  expect(ends).toEqual([]);
  group.note();
  const writer = group.settled();
  const reader = group.settled();
  ends[0]?.resolve();
  await Promise.all([writer, reader]);
  await group.settled();
  expect(ends).toHaveLength(1);
});

it('a sync that fails is told to all who wait for it, and is no sync', async () => {
  const { group, ends } = heldSyncs();
  group.note();
  const waiting = [group.settled(), group.settled()];
  ends[0]?.reject(new Error('EIO'));
  for (const one of waiting) await expect(one).rejects.toThrow('EIO');
  const again = group.settled();
  expect(ends).toHaveLength(2);
  ends[1]?.resolve();
  await again;
});
