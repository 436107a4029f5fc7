import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { procProcessTable } from '../../../src/lib/process-table.ts';

it('knows the process of a thread', async () => {
  const worker = new Worker('setInterval(() => {}, 1000)', { eval: true });
  await once(worker, 'online');
  const threads = (await readdir('/proc/self/task')).map(Number);
  expect(threads.length).toBeGreaterThan(1);
  for (const thread of threads) expect(await procProcessTable.processOf(thread)).toBe(process.pid);
  await worker.terminate();
});

it('does not know threads that are gone', async () => {
  expect(await procProcessTable.processOf(0)).toBeUndefined();
  expect(await procProcessTable.isExiting(0)).toBe(false);
});

it('does not take a living process for an ending one', async () => {
  expect(await procProcessTable.isExiting(process.pid)).toBe(false);
});
