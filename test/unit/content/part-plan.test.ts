import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  leftBehind,
  outgrows,
  partCount,
  partRange,
  partSizeFor,
  partsIn,
} from '../../../src/content/write/part-plan.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

it('cuts a file into parts that cover it once, all but the last of the part size', () => {
  fc.assert(
    fc.property(fc.nat(1000), fc.integer({ min: 1, max: 100 }), (size, part) => {
      let at = 0;
      for (let number = 1; number <= partCount(size, part); number += 1) {
        const range = partRange(number, size, part);
        expect(range.start).toBe(at);
        if (number < partCount(size, part)) expect(range.end - range.start).toBe(part);
        at = range.end;
      }
      expect(at).toBe(size);
    }),
  );
});

it('makes an empty file one empty part', () => {
  expect(partCount(0, 16 * MIB)).toBe(1);
  expect(partRange(1, 0, 16 * MIB)).toEqual({ start: 0, end: 0 });
});

it('takes the preferred part size until 10,000 of them are too few', () => {
  expect(partSizeFor(100 * GIB, 16 * MIB)).toBe(16 * MIB);
  expect(partSizeFor(1024 * GIB, 16 * MIB)).toBe(105 * MIB);
  expect(outgrows(1024 * GIB, partSizeFor(1024 * GIB, 16 * MIB))).toBe(false);
});

it('names the parts that hold some of a range', () => {
  expect([...partsIn({ start: 10, end: 20 }, 10)]).toEqual([2]);
  expect([...partsIn({ start: 9, end: 21 }, 10)]).toEqual([1, 2, 3]);
  expect([...partsIn({ start: 5, end: 5 }, 10)]).toEqual([1]);
});

it('leaves a part behind when the writer goes beyond it, and not when it stops at its end', () => {
  const file = { sizeBytes: 30, partSizeBytes: 10 };
  expect(leftBehind([1], { start: 5, end: 10 }, file)).toEqual([]);
  expect(leftBehind([1], { start: 5, end: 11 }, file)).toEqual([1]);
  expect(leftBehind([1, 2], { start: 10, end: 15 }, file)).toEqual([1]);
});

it('leaves no part behind that is not full yet', () => {
  expect(leftBehind([1, 2], { start: 30, end: 31 }, { sizeBytes: 15, partSizeBytes: 10 })).toEqual([1]);
});
