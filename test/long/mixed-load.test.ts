/** Programs of all kinds for half an hour: the mount takes no more memory and no more descriptors at the end than before. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FileWorker } from '../model/file-worker.ts';
import { anyOperationOnLinks } from '../model/operations.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun } from '../support/run.ts';
import { amount, SEED } from './seeded.ts';

const DURATION_MS = amount('LONG_MINUTES', 30) * 60_000;
const WORKERS = 4;
const STEPS = 200;
const SAMPLES = 120;
/** The growth that a heap may have between two collections. */
const SLACK_BYTES = 48 * 1024 * 1024;
const SLACK_DESCRIPTORS = 24;

interface Sample {
  readonly rssBytes: number;
  readonly descriptors: number;
}

let world: FaultWorld;
beforeAll(async () => {
  // The cache is full in minutes then: what grows after that is not the cache.
  world = await FaultWorld.start({ mountArgs: ['--memory', '64M'] });
});
afterAll(() => world?.clean());

async function daemonPid(): Promise<number> {
  const daemon = (await world.sandbox.processes()).find(({ command }) => command.includes('daemon.js'));
  if (daemon === undefined) throw new Error('no daemon');
  return daemon.pid;
}

async function sampleOf(pid: number): Promise<Sample> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const rssBytes = 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
  return { rssBytes, descriptors: (await readdir(`/proc/${pid}/fd`)).length };
}

/**
 * Program after program, each in a folder of its own, which is read as a whole and removed. The folder above is the worker's own as
 * well, where links lead to: a mapped file that another program cuts short is SIGBUS on every file system.
 */
async function work(worker: number, untilMs: number): Promise<number> {
  let programs = 0;
  await mustRun('mkdir', [world.own(`load-${worker}`)]);
  for (; Date.now() < untilMs; programs += 1) {
    const folder = world.own(`load-${worker}`, `${programs}`);
    await mustRun('mkdir', [folder]);
    const program = new FileWorker(folder);
    try {
      const seed = SEED + 1000 * programs + worker;
      for (const operation of fc.sample(anyOperationOnLinks, { numRuns: STEPS, seed }))
        await program.do(operation);
      await program.do(['closeAll']);
      await program.do(['tree', '.']);
    } finally {
      await program.end();
    }
    await mustRun('rm', ['-r', folder]);
  }
  return programs;
}

const most = (values: readonly number[]): number => Math.max(...values);

it('keeps memory and descriptors flat', { timeout: DURATION_MS + 600_000 }, async () => {
  const pid = await daemonPid();
  const untilMs = Date.now() + DURATION_MS;
  const working = Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker, untilMs)));
  const samples: Sample[] = [];
  for (let count = 0; count < SAMPLES; count += 1) {
    // One that fails ends the test at once.
    await Promise.race([delay(DURATION_MS / SAMPLES), working]);
    samples.push(await sampleOf(pid));
  }
  const programs = await working;
  expect(most(programs), `MODEL_SEED=${SEED}`).toBeGreaterThan(0);
  // The first third fills caches.
  const middle = samples.slice(SAMPLES / 3, (2 * SAMPLES) / 3);
  const last = samples.slice((2 * SAMPLES) / 3);
  const memory = [middle, last].map((each) => most(each.map(({ rssBytes }) => rssBytes))) as [number, number];
  const descriptors = [middle, last].map((each) => most(each.map((one) => one.descriptors))) as [
    number,
    number,
  ];
  process.stderr.write(
    `programs ${programs}; most bytes ${memory}; most descriptors ${descriptors}; ` +
      `at the begin ${JSON.stringify(samples[0])}, at the end ${JSON.stringify(samples.at(-1))}\n`,
  );
  expect(memory[1]).toBeLessThan(1.1 * memory[0] + SLACK_BYTES);
  expect(descriptors[1]).toBeLessThan(descriptors[0] + SLACK_DESCRIPTORS);
});
