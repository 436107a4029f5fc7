import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { procProcessTable } from '../../../src/lib/process-table.ts';
import { BackgroundProcess } from '../../support/background-process.ts';
import { waitUntil } from '../../support/wait-until.ts';

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
  expect(await procProcessTable.endOf(0)).toBeUndefined();
});

it('does not take a living process for an ending one', async () => {
  expect(await procProcessTable.endOf(process.pid)).toBeUndefined();
});

it.each([
  ['exit', 'ended by itself', 'sh -c "exit 3" &'],
  ['kill', 'was killed', 'sleep 60 & kill -9 $!;'],
])('tells how a process ends: %s when it %s', async (end, _, start) => {
  // Its parent never asks how it ended, so that it stays in the table.
  const parent = new BackgroundProcess('sh', ['-c', `${start} echo child $!; exec sleep 60`]);
  onTestFinished(() => parent.end());
  const [, child] = await parent.says(/child (\d+)/);
  await waitUntil(async () => (await procProcessTable.endOf(Number(child))) === end);
});
