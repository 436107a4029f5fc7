/** The service is killed with SIGKILL while programs write: the mount goes on, and what was acknowledged is there. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { promisesOf, versionOf } from '../model/promises.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { waitUntil } from '../support/wait-until.ts';
import { amount, Random, SEED } from './seeded.ts';

const PROGRAM = fileURLToPath(new URL('../model/kept-promises.py', import.meta.url));
const KILLS = amount('LONG_SERVICE_KILLS', 50);
const LARGEST_BYTES = 20_000_000;
const ROUND_MS = 120_000;

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start();
});
afterAll(() => world?.clean());

/** Every version that was acknowledged, or a later one that was begun; read by this mount and by another. */
async function check(program: BackgroundProcess, path: (...names: string[]) => string): Promise<void> {
  const { closed, tried, synced } = promisesOf(program.stdout);
  for (const [name, version] of closed) {
    const found = versionOf(name, await readFile(path(name)));
    expect(found, name).toBeGreaterThanOrEqual(version);
    expect(found, name).toBeLessThanOrEqual(tried.get(name) ?? 0);
  }
  for (const [name, { version, sizeBytes }] of synced) {
    const bytes = await readFile(path(name));
    expect(versionOf(name, bytes), name).toBe(version);
    expect(bytes.length, name).toBe(sizeBytes);
  }
}

it('keeps what it acknowledged, and the mount goes on', { timeout: KILLS * ROUND_MS }, async () => {
  const random = new Random(SEED);
  for (let round = 0; round < KILLS; round += 1) {
    const path = (...names: string[]): string => world.own(`round-${round}`, ...names);
    await mkdir(path());
    const stop = world.outside(`stop-${round}`);
    const program = new BackgroundProcess('python3', [
      PROGRAM,
      path(),
      `${SEED + round}`,
      `${LARGEST_BYTES}`,
      stop,
    ]);
    try {
      await program.says(/closed/);
      await delay(random.below(1500));
      await world.stopService('SIGKILL');
      await delay(random.below(500));
      await world.startService();
      const before = program.stdout.length;
      await waitUntil(() => program.stdout.includes('closed', before), {
        what: `the program goes on after kill ${round + 1}, MODEL_SEED=${SEED}`,
        timeoutMs: ROUND_MS / 2,
      });
      await writeFile(stop, '');
      expect(await program.exited()).toBe(0);
    } finally {
      await program.end();
    }
    await check(program, path);
  }
  await world.remount();
  expect(await world.halfDone(), `MODEL_SEED=${SEED}`).toEqual([]);
});
