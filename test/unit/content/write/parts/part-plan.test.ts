import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  leftBehind,
  outgrows,
  type PartLayout,
  partCount,
  partRange,
  partSizeFor,
  partsIn,
} from '../../../../../src/content/write/parts/part-plan.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

const fixed = (partSizeBytes: number): PartLayout => ({ partSizeBytes, grows: false });
const growing = (partSizeBytes: number): PartLayout => ({ partSizeBytes, grows: true });

it('cuts a file into parts that cover it once, all but the last of the part size', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 100 }), (size, partSizeBytes) => {
      const part = fixed(partSizeBytes);
      let at = 0;
      for (let number = 1; number <= partCount(size, part); number += 1) {
        const range = partRange(number, size, part);
        expect(range.start).toBe(at);
        if (number < partCount(size, part)) expect(range.end - range.start).toBe(partSizeBytes);
        at = range.end;
      }
      expect(at).toBe(size);
    }),
  );
});

it('cuts it into parts that cover it once and get larger, where parts may differ', () => {
  fc.assert(
    fc.property(fc.nat(6000), fc.integer({ min: 1, max: 3 }), (size, partSizeBytes) => {
      const part = growing(partSizeBytes);
      let at = 0;
      for (let number = 1; number <= partCount(size, part); number += 1) {
        const range = partRange(number, size, part);
        expect(range.start).toBe(at);
        const sizeOfRun = partSizeBytes * 2 ** Math.floor((number - 1) / 1000);
        if (number < partCount(size, part)) expect(range.end - range.start).toBe(sizeOfRun);
        if (range.end > range.start) expect([...partsIn(range, part)]).toEqual([number]);
        at = range.end;
      }
      expect(at).toBe(size);
    }),
    { numRuns: 10 },
  );
});

it('lets a file of unknown size grow to 4.8 TiB where parts may differ, and to 156 GiB where not', () => {
  expect(outgrows(157 * GIB, fixed(16 * MIB))).toBe(true);
  expect(outgrows(4.8 * 1024 * GIB, growing(16 * MIB))).toBe(false);
  expect(partSizeFor(4.8 * 1024 * GIB, growing(16 * MIB))).toBe(16 * MIB);
  expect(partSizeFor(5 * 1024 * GIB, growing(16 * MIB))).toBe(525 * MIB);
});

it('makes an empty file one empty part', () => {
  expect(partCount(0, fixed(16 * MIB))).toBe(1);
  expect(partRange(1, 0, fixed(16 * MIB))).toEqual({ start: 0, end: 0 });
});

it('takes the preferred part size until 10,000 of them are too few', () => {
  expect(partSizeFor(100 * GIB, fixed(16 * MIB))).toBe(16 * MIB);
  expect(partSizeFor(1024 * GIB, fixed(16 * MIB))).toBe(105 * MIB);
  // In memory it is one buffer of Node.
  expect(partSizeFor(100_000 * GIB, fixed(16 * MIB))).toBe(4 * GIB);
  expect(outgrows(1024 * GIB, fixed(partSizeFor(1024 * GIB, fixed(16 * MIB))))).toBe(false);
});

it('names the parts that hold some of a range', () => {
  expect([...partsIn({ start: 10, end: 20 }, fixed(10))]).toEqual([2]);
  expect([...partsIn({ start: 9, end: 21 }, fixed(10))]).toEqual([1, 2, 3]);
  expect([...partsIn({ start: 5, end: 5 }, fixed(10))]).toEqual([1]);
});

it('leaves a part behind when the writer goes beyond it, and not when it stops at its end', () => {
  const file = { sizeBytes: 30, ...fixed(10) };
  expect(leftBehind([1], { start: 5, end: 10 }, file)).toEqual([]);
  expect(leftBehind([1], { start: 5, end: 11 }, file)).toEqual([1]);
  expect(leftBehind([1, 2], { start: 10, end: 15 }, file)).toEqual([1]);
});

it('leaves no part behind that is not full yet', () => {
  expect(leftBehind([1, 2], { start: 30, end: 31 }, { sizeBytes: 15, ...fixed(10) })).toEqual([1]);
});
