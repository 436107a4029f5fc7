import { describe, expect, it } from 'vitest';
import { Segment } from '../../../../src/content/read/segment.ts';
import { BLOCK_BYTES, SegmentIndex } from '../../../../src/content/read/segment-index.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

function segment(offset: number, end: number): Segment {
  return new Segment(offset, end, Buffer.alloc(0));
}

function indexOf(...segments: readonly Segment[]): {
  readonly index: SegmentIndex;
  readonly emptied: number[];
} {
  const emptied: number[] = [];
  const index = new SegmentIndex(() => emptied.push(1));
  for (const each of segments) index.add(each);
  return { index, emptied };
}

describe('the index of segments', () => {
  it('finds a segment by each of its bytes, and no other byte', () => {
    const large = segment(3 * MIB - 2 * BLOCK_BYTES, 5 * MIB + BLOCK_BYTES);
    const { index } = indexOf(large);
    for (const offset of [large.offset, 3 * MIB - 1, 3 * MIB, 4 * MIB + 7, 5 * MIB, large.end - 1])
      expect(index.at(offset)).toBe(large);
    expect(index.at(large.offset - 1)).toBeUndefined();
    expect(index.at(large.end)).toBeUndefined();
  });

  it('tells neighbours apart', () => {
    const parts = [segment(0, BLOCK_BYTES), segment(BLOCK_BYTES, 2 * MIB), segment(2 * MIB, 2 * MIB + 100)];
    const { index } = indexOf(...parts);
    for (const part of parts) {
      expect(index.at(part.offset)).toBe(part);
      expect(index.at(part.end - 1)).toBe(part);
    }
  });

  it('begins a gap with its block, or where the segment before it ends', () => {
    const { index } = indexOf(segment(0, MIB + 100), segment(3 * MIB, 4 * MIB));
    expect(index.gapStart(MIB + 100)).toBe(MIB + 100);
    expect(index.gapStart(MIB + 5000)).toBe(MIB + 100);
    expect(index.gapStart(MIB + 2 * BLOCK_BYTES + 5)).toBe(MIB + 2 * BLOCK_BYTES);
    expect(index.gapStart(4 * MIB)).toBe(4 * MIB);
  });

  it('ends a gap at the next segment, however far it is, or at the limit', () => {
    const { index } = indexOf(segment(0, BLOCK_BYTES), segment(6 * MIB, 7 * MIB), segment(5 * MIB, 6 * MIB));
    expect(index.gapEnd(BLOCK_BYTES, 8 * MIB)).toBe(5 * MIB);
    expect(index.gapEnd(BLOCK_BYTES, 5 * MIB)).toBe(5 * MIB);
    expect(index.gapEnd(BLOCK_BYTES, 4 * MIB + 3)).toBe(4 * MIB + 3);
    expect(index.gapEnd(7 * MIB, 9 * MIB)).toBe(9 * MIB);
  });

  it('ends a gap before a segment inside it, whatever moved its front past that', () => {
    const [large, inside] = [segment(0, 4 * MIB), segment(MIB, MIB + BLOCK_BYTES)];
    const { index } = indexOf(large, inside);
    const body = {
      position: 0,
      lend: (spare: Uint8Array, after: Uint8Array) => ({
        socket: 0,
        spare,
        after,
        taken: () => {},
        release: () => ({ bytes: spare.length, reads: 1 }),
      }),
      receive: () => {},
    };
    large.waits(body);
    large.handOn(0, 3 * MIB);
    expect(index.gapEnd(0, 4 * MIB)).toBe(MIB);
    expect(index.gapEnd(MIB + BLOCK_BYTES, 4 * MIB)).toBe(3 * MIB);
  });

  it('forgets what is removed and nothing else, and tells when it is empty', () => {
    const [first, second] = [segment(0, 3 * MIB), segment(3 * MIB, 3 * MIB + BLOCK_BYTES)];
    const { index, emptied } = indexOf(first, second);
    index.remove(first);
    expect(index.at(2 * MIB)).toBeUndefined();
    expect(index.at(3 * MIB)).toBe(second);
    expect([index.empty, emptied]).toEqual([false, []]);
    index.remove(second);
    expect([index.empty, emptied]).toEqual([true, [1]]);
  });
});
