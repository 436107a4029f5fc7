import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
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
  ['exit', 'ended by itself', 'SIGTERM'],
  ['kill', 'was killed', 'SIGKILL'],
] as const)('tells how a process ends: %s when it %s', async (end, _, signal) => {
  const child = `sh -c 'trap "exit 3" TERM; echo child $$; while :; do sleep 0.05; done' &`;
  const parent = new BackgroundProcess('sh', ['-c', `${child} exec sleep 60`]);
  onTestFinished(() => parent.end());
  const pid = Number((await parent.says(/child (\d+)/))[1]);
  // From then on its parent never asks how it ended, so that it stays in the table.
  await waitUntil(async () => (await readFile(`/proc/${parent.pid}/comm`, 'utf8')) === 'sleep\n');
  process.kill(pid, signal);
  await waitUntil(async () => (await procProcessTable.endOf(pid)) === end);
});
