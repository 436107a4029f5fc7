import { beforeEach, describe, expect, it } from 'vitest';
import { LowWater } from '../../../../src/api/storage/low-water.ts';

const KIB = 1024;
const PIECE = 128 * KIB;
const MUCH = 4 * 1024 * KIB;

let marks: number[];
let lowWater: LowWater;
beforeEach(() => {
  marks = [];
  lowWater = new LowWater((bytes) => marks.push(bytes));
  lowWater.begin();
});

/** Pieces of `bytes` at these times, with much to come. */
function pieces(bytes: number, ...times: number[]): void {
  for (const nowMs of times) lowWater.afterPiece(bytes, { left: MUCH, nowMs });
}

describe('the low-water mark of a connection', () => {
  it('is a piece when one comes within milliseconds, and is set once', () => {
    pieces(64 * KIB, 0, 1, 2, 3, 4);
    expect(marks).toEqual([PIECE]);
  });

  it('is a byte before a whole piece has come, however fast its beginning was', () => {
    pieces(16 * KIB, 0, 0, 0, 0, 0, 0, 0);
    expect(marks).toEqual([]);
  });

  it('is a byte when a piece takes long', () => {
    pieces(64 * KIB, 0, 5, 10, 15, 20);
    expect(marks).toEqual([]);
  });

  it('is a byte again after one piece that took long', () => {
    pieces(PIECE, 0, 1, 2, 52);
    expect(marks).toEqual([PIECE, 1]);
  });

  it('counts what came, not how often: a large piece may take longer', () => {
    pieces(4 * PIECE, 0, 12, 24);
    expect(marks).toEqual([PIECE]);
  });

  it('is a byte for the end of the body, of which no piece is left to come', () => {
    pieces(PIECE, 0, 1);
    lowWater.afterPiece(PIECE, { left: 2 * PIECE - 1, nowMs: 2 });
    expect(marks).toEqual([PIECE, 1]);
  });

  it('is a byte for the next answer, whose head is small', () => {
    pieces(PIECE, 0, 1);
    lowWater.begin();
    expect(marks).toEqual([PIECE, 1]);
    pieces(PIECE, 100);
    expect(marks).toEqual([PIECE, 1]);
  });
});
