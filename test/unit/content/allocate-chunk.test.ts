import { memoryUsage } from 'node:process';
import { expect, it } from 'vitest';
import { allocateChunk } from '../../../src/content/memory/allocate-chunk.ts';

const BYTES = 8 * 1024 * 1024;

it('is memory that the garbage collector does not count', () => {
  const before = memoryUsage().arrayBuffers;
  const chunk = allocateChunk(BYTES);
  chunk.fill('x');
  expect(chunk.length).toBe(BYTES);
  expect(chunk.lastIndexOf('x')).toBe(BYTES - 1);
  expect(memoryUsage().arrayBuffers - before).toBeLessThan(BYTES);
});
