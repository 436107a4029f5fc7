/** Stores that break off amid an answer whose bytes the kernel takes from the socket. */
import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { readBehind } from '../support/read-behind.ts';
import { sampleBytes } from '../support/sample-bytes.ts';

const MIB = 1024 * 1024;
const SIZE = 96 * MIB;
/** Of a range of 4 MiB the middle. */
const MIDWAY = 2 * MIB;

let world: FaultWorld;
const content = sampleBytes(SIZE);

beforeAll(async () => {
  world = await FaultWorld.start();
  await writeFile(world.own('stream.fastq'), content);
});
beforeEach(() => world.remount(['--retry-timeout', '5']));
afterEach(() => world.proxy.heal());
afterAll(() => world?.clean());

function isLargeRange({ method, headers }: SeenRequest): boolean {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['range'])) ?? [];
  return method === 'GET' && Number(last) - Number(first) >= MIDWAY;
}

it.each([
  ['resets connections', 'reset'],
  ['ends answers too soon', 'truncate'],
  ['stalls', 'stall'],
] as const)('a store that %s: the bytes are right', async (_, kind) => {
  world.proxy.inject({ kind, afterBytes: MIDWAY }, { when: isLargeRange, times: 6 });
  await readBehind(world.own('stream.fastq'), content);
  expect((await world.sandbox.statistics()).cache.splicedBytes).toBeGreaterThan(0);
  expect(world.proxy.requests.filter(isLargeRange).length).toBeGreaterThan(6);
});
