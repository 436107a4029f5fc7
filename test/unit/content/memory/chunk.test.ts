import { constants } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { memoryUsage } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { allocateChunk, giveBackChunk } from '../../../../src/content/memory/chunk.ts';
import { run } from '../../../support/run.ts';

const ADDON = fileURLToPath(new URL('../../../../native/build/svcfs.node', import.meta.url));
const BYTES = 32 * 1024 * 1024;
const PAGE_BYTES = 4096;

/** js::ForeignBuffer */
const countsAll = Number(process.versions.node.split('.')[0]) >= 23;

it.skipIf(countsAll)('is memory that the garbage collector does not count', async () => {
  const chunks = `Array.from({ length: 64 }, () => require('${ADDON}').memory.chunk(${8 * 1024 * 1024}))`;
  const script = `const held = ${chunks}; setImmediate(() => held.length)`;
  const { stdout } = await run(process.execPath, ['--trace-gc', '-e', script]);
  expect(stdout).not.toContain('Mark-Compact');
});

it('can be used to its end', () => {
  const chunk = allocateChunk(BYTES).fill('x');
  expect(chunk.length).toBe(BYTES);
  expect(chunk.lastIndexOf('x')).toBe(BYTES - 1);
});

it('is as large as was asked for, or there is none', () => {
  const largest = 4 * 1024 ** 3;
  expect(allocateChunk(largest).length).toBe(largest);
  expect(() => allocateChunk(constants.MAX_LENGTH + BYTES)).toThrow();
});

it.skipIf(platform() !== 'linux')('takes no addresses when Node.js has no buffer so large', async () => {
  const addressPages = async (): Promise<number> =>
    Number.parseInt(await readFile('/proc/self/statm', 'utf8'), 10);
  const before = await addressPages();
  expect(() => allocateChunk(constants.MAX_LENGTH + BYTES)).toThrow();
  await setImmediate();
  expect(((await addressPages()) - before) * PAGE_BYTES).toBeLessThan(constants.MAX_LENGTH);
});

it('takes no room once it was given back, and can still be touched', () => {
  const chunk = allocateChunk(BYTES).fill('x');
  const before = memoryUsage().rss;
  giveBackChunk(chunk);
  expect(before - memoryUsage().rss).toBeGreaterThan(BYTES / 2);
  expect(chunk[BYTES - 1]).toBe(0);
});
