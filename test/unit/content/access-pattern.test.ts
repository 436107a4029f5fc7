import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterRead, rangeBytes, UNREAD, windowBytes } from '../../../src/content/read/access-pattern.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const LARGEST = 64 * MIB;

function windowsOf(reads: readonly { offset: number; size: number }[]): number[] {
  let pattern = UNREAD;
  return reads.map(({ offset, size }) => {
    pattern = afterRead(pattern, offset, size);
    return windowBytes(pattern, LARGEST);
  });
}

function sequential(count: number, size: number, stride = size): { offset: number; size: number }[] {
  return Array.from({ length: count }, (_, at) => ({ offset: at * stride, size }));
}

describe('the window', () => {
  it('doubles each time a sequential reader has consumed it', () => {
    expect(windowsOf(sequential(4, 128 * KIB))).toEqual([128, 256, 384, 512].map((kib) => kib * KIB));
  });

  it('never exceeds the share', () => {
    expect(windowsOf(sequential(200, MIB)).at(-1)).toBe(LARGEST);
  });

  it('is empty for a reader that jumps', () => {
    const reads = [7, 3, 9, 1, 5].map((at) => ({ offset: at * 10 * MIB, size: 64 * KIB }));
    expect(windowsOf(reads)).toEqual([0, 0, 0, 0, 0]);
  });

  it('is empty for a stride that skips more than it reads', () => {
    expect(windowsOf(sequential(50, 4 * KIB, 64 * KIB)).slice(2)).toEqual(Array(48).fill(0));
  });

  it('grows although the kernel sends two requests in the wrong order', () => {
    const inOrder = sequential(20, MIB);
    const swapped = inOrder.map((_, at) => inOrder[at ^ 1]!);
    expect(windowsOf(swapped).at(-1)).toBe(windowsOf(inOrder).at(-1));
  });

  it('with the bytes read makes no more than twice the bytes read, whatever the pattern', () => {
    const read = fc.record({ offset: fc.nat(40 * MIB), size: fc.integer({ min: 1, max: MIB }) });
    fc.assert(
      fc.property(fc.array(read, { minLength: 1, maxLength: 50 }), (reads) => {
        const used = reads.reduce((sum, { size }) => sum + size, 0);
        expect(windowsOf(reads).at(-1)).toBeLessThanOrEqual(used);
      }),
    );
  });
});

describe('the range', () => {
  it('leaves several in flight of a large window and is not split of a small one', () => {
    expect(rangeBytes(64 * KIB)).toBe(128 * KIB);
    expect(rangeBytes(8 * MIB)).toBe(2 * MIB);
    expect(rangeBytes(64 * MIB)).toBe(4 * MIB);
  });
});
