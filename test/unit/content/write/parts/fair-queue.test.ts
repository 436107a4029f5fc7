import { expect, it } from 'vitest';
import { FairQueue } from '../../../../../src/content/write/parts/fair-queue.ts';

it('lets lanes take turns, each in its own order', async () => {
  const queue = new FairQueue();
  const served: string[] = [];
  for (const [lane, name] of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) => [name[0]!, name] as const)) {
    queue.enqueue(async () => served.push(name), { lane });
  }
  expect(queue.size).toBe(6);
  for (let work = queue.dequeue(); work !== undefined; work = queue.dequeue()) await work();
  expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  expect(queue.size).toBe(0);
});
