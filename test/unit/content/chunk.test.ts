import { memoryUsage } from 'node:process';
import { expect, it } from 'vitest';
import { allocateChunk, giveBackChunk } from '../../../src/content/memory/chunk.ts';

const BYTES = 32 * 1024 * 1024;

it('is memory that the garbage collector does not count', () => {
  const before = memoryUsage().arrayBuffers;
  const chunk = allocateChunk(BYTES);
  chunk.fill('x');
  expect(chunk.length).toBe(BYTES);
  expect(chunk.lastIndexOf('x')).toBe(BYTES - 1);
  expect(memoryUsage().arrayBuffers - before).toBeLessThan(BYTES);
});

it('takes no room once it was given back, and can still be touched', () => {
  const chunk = allocateChunk(BYTES).fill('x');
  const before = memoryUsage().rss;
  giveBackChunk(chunk);
  expect(before - memoryUsage().rss).toBeGreaterThan(BYTES / 2);
  expect(chunk[BYTES - 1]).toBe(0);
});
