import { describe, expect, it } from 'vitest';
import { textHash } from '../../../src/lib/text-hash.ts';

describe('the hash of a text', () => {
  // The published vectors of MurmurHash3_x86_32, of bytes that are UTF-16LE.
  it.each([
    ['', 0, 0],
    ['', 1, 0x514e28b7],
    ['', 0xffffffff, 0x81f16f39],
    ['\u0000\u0000', 0, 0x2362f9de],
    ['\u0000', 0, 0x30f4c306],
    ['\u4321\u8765', 0, 0xf55b516b],
    ['\u4321\u8765', 0x5082edee, 0x2362f9de],
    ['\u4321', 0, 0xa0f7b07a],
  ])('%j with seed %i', (text, seed, expected) => {
    expect(textHash(text, seed)).toBe(expected);
  });

  it('of ids in a row differs in both halves', () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => index.toString(16).padStart(24, '0'));
    const whole = new Set(ids.map((id) => `${textHash(id, 0)} ${textHash(id, 1)}`));
    expect(whole.size).toBe(ids.length);
    // As many pairs of 32 bits meet by chance as 100,000 birthdays in so long a year: 1.2.
    expect(new Set(ids.map((id) => textHash(id, 0))).size).toBeGreaterThan(ids.length - 10);
  });
});
