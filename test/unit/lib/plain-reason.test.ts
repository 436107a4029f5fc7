import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { plainReason } from '../../../src/lib/plain-reason.ts';

describe('why something failed', () => {
  it.each([
    ['/nowhere/f', 'no such file or directory'],
    ['/', 'illegal operation on a directory'],
  ])('of reading %s is what the system says: %s', async (path, words) => {
    expect(plainReason(await readFile(path).catch((error: unknown) => error))).toBe(words);
  });

  it('is its message, when the system has no part in it', () => {
    expect(plainReason(new Error('too late'))).toBe('too late');
    expect(plainReason('too late')).toBe('too late');
  });
});
