import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterRead,
  rangeBytes,
  UNREAD,
  windowBytes,
  windowShare,
} from '../../../../src/content/read/readahead-window.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const LARGEST = 128 * MIB;

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
  it('of a stream is a multiple of what was read', () => {
    expect(windowsOf(sequential(4, 128 * KIB))).toEqual([1, 2, 3, 96].map((mib) => mib * MIB));
    expect(windowsOf(sequential(1, MIB))).toEqual([128 * MIB]);
  });

  it('of a small first read is not more than that', () => {
    expect(windowsOf(sequential(3, 32 * KIB))).toEqual([32, 64, 96].map((kib) => kib * KIB));
  });

  it('waits for a second read of a run that does not begin at the front', () => {
    const reads = sequential(3, 64 * KIB).map(({ offset, size }) => ({ offset: offset + 9 * MIB, size }));
    expect(windowsOf(reads)).toEqual([0, 128 * KIB, 192 * KIB]);
  });

  it('never exceeds the share', () => {
    expect(windowsOf(sequential(200, MIB)).at(-1)).toBe(LARGEST);
  });

  it('is empty for a reader that jumps', () => {
    const reads = [7, 3, 9, 1, 5].map((at) => ({ offset: at * 10 * MIB, size: 64 * KIB }));
    expect(windowsOf(reads)).toEqual([0, 0, 0, 0, 0]);
  });

  it('after a jump reaches as far as the last two runs, the longer one when they are alike', () => {
    const runs = [10, 30, 50, 90].flatMap((at, index) =>
      sequential(index === 0 ? 4 : 6, 32 * KIB).map(({ offset, size }) => ({
        offset: offset + at * MIB,
        size,
      })),
    );
    const third = windowsOf(runs).slice(10);
    expect(third.slice(0, 6).map((bytes) => bytes / KIB)).toEqual([160, 128, 96, 64, 32, 0]);
    expect(third[6]).toBe(160 * KIB);
  });

  it('after a jump reaches as far as the shorter of the last two runs when they are not alike', () => {
    const runs = [10, 30, 50].flatMap((at, index) =>
      sequential([2, 6, 1][index] ?? 0, 32 * KIB).map(({ offset, size }) => ({
        offset: offset + at * MIB,
        size,
      })),
    );
    expect(windowsOf(runs).at(-1)).toBe(32 * KIB);
  });

  it('of a run that has outlived the others twice is that of a stream again', () => {
    const short = [10, 30, 50].map((at) => ({ offset: at * MIB, size: 128 * KIB }));
    const long = sequential(5, 128 * KIB).map(({ offset, size }) => ({ offset: offset + 70 * MIB, size }));
    expect(windowsOf([...short, ...long]).slice(3)).toEqual([0, 0, 0, 512 * KIB, 640 * KIB]);
  });

  it('is empty for a stride that skips more than it reads', () => {
    expect(windowsOf(sequential(50, 4 * KIB, 64 * KIB)).slice(2)).toEqual(Array(48).fill(0));
  });

  it('grows although the kernel sends two requests in the wrong order', () => {
    const inOrder = sequential(20, MIB);
    const swapped = inOrder.map((_, at) => inOrder[at ^ 1]!);
    expect(windowsOf(swapped).at(-1)).toBe(windowsOf(inOrder).at(-1));
  });

  it('grows although the kernel sends the requests of its growing read-ahead out of order', () => {
    const sizes = [128, 256, 512, 1024, 1024, 1024].map((kib) => kib * KIB);
    const inOrder = sizes.map((size, at) => ({
      offset: sizes.slice(0, at).reduce((sum, each) => sum + each, 0),
      size,
    }));
    const swapped = inOrder.map((_, at) => inOrder[at ^ 1]!);
    expect(windowsOf(swapped).at(-1)).toBe(windowsOf(inOrder).at(-1));
  });

  it('is that of a new run after a step back by more than a few requests', () => {
    const reads = [...sequential(20, 32 * KIB), { offset: 300 * KIB, size: 32 * KIB }];
    expect(windowsOf(reads).at(-1)).toBe(0);
  });

  it('is as it was when the kernel asks anew for what it had dropped before it was read', () => {
    const inOrder = sequential(40, 512 * KIB);
    const anew = { offset: 17 * MIB, size: 4 * KIB };
    const [before, during, after] = windowsOf([
      ...inOrder,
      anew,
      { offset: 20 * MIB, size: 512 * KIB },
    ]).slice(-3);
    expect([during, after]).toEqual([before, before]);
    expect(windowsOf([...inOrder, { ...anew, offset: 15 * MIB }]).at(-1)).toBe(0);
  });

  it('of a short run is that of a new one after a step back to before its beginning', () => {
    const reads = sequential(4, 256 * KIB).map(({ offset, size }) => ({ offset: offset + 9 * MIB, size }));
    expect(windowsOf([...reads, { offset: 9 * MIB - 64 * KIB, size: 64 * KIB }]).at(-1)).toBe(0);
  });

  it('of a reader that jumped is never more than it has read, whatever the pattern', () => {
    const read = fc.record({ offset: fc.nat(40 * MIB), size: fc.integer({ min: 1, max: MIB }) });
    fc.assert(
      fc.property(fc.array(read, { minLength: 1, maxLength: 50 }), (reads) => {
        const jumping = [{ offset: 60 * MIB, size: 1 }, ...reads];
        const used = jumping.reduce((sum, { size }) => sum + size, 0);
        expect(windowsOf(jumping).at(-1)).toBeLessThanOrEqual(used);
      }),
    );
  });
});

describe('the range', () => {
  it('leaves several in flight of a large window and is not split of a small one', () => {
    expect(rangeBytes(64 * KIB, 1)).toBe(128 * KIB);
    expect(rangeBytes(8 * MIB, 1)).toBe(512 * KIB);
    expect(rangeBytes(48 * MIB, 1)).toBe(2 * MIB);
    expect(rangeBytes(144 * MIB, 1)).toBe(4 * MIB);
  });

  it('of the first that asks is that of one handle', () => {
    expect(rangeBytes(144 * MIB, 0)).toBe(4 * MIB);
  });

  it('is as large for each of several handles as for one, so that connections stay busy', () => {
    expect(rangeBytes(72 * MIB, 2)).toBe(4 * MIB);
    expect(rangeBytes(36 * MIB, 4)).toBe(4 * MIB);
  });

  it('leaves some in flight of each window, however many there are', () => {
    expect(rangeBytes(9 * MIB, 64)).toBe(4 * MIB);
    expect(rangeBytes(2 * MIB, 64)).toBe(1024 * KIB);
  });
});

describe('the share of a handle', () => {
  const share = (handles: number, memoryBytes: number): number =>
    windowShare({ ranges: 16, handles }, memoryBytes);

  it('is enough for all ranges in flight and some more, divided between handles', () => {
    expect(share(1, 1024 * MIB)).toBe(80 * MIB);
    expect(share(4, 1024 * MIB)).toBe(20 * MIB);
  });

  it('together is no more than a third of the memory', () => {
    expect(share(1, 30 * MIB)).toBe(10 * MIB);
  });
});
