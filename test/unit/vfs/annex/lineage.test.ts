import { describe, expect, it } from 'vitest';
import { Lineage } from '../../../../src/vfs/annex/lineage.ts';

describe('a file that imports changed from a to b to c', () => {
  const lineage = new Lineage();
  lineage.follows('file', 'a', 'b');
  lineage.follows('file', 'b', 'c');

  it('may be changed by a table of any of these', () => {
    expect(['a', 'b'].map((before) => lineage.isOwn('file', before, 'c'))).toEqual([true, true]);
  });

  it('is in conflict once it is something else, and so is a table from before that', () => {
    expect(lineage.isOwn('file', 'a', 'd')).toBe(false);
    lineage.follows('file', 'd', 'e');
    expect(lineage.isOwn('file', 'a', 'e')).toBe(false);
    expect(lineage.isOwn('file', 'd', 'e')).toBe(true);
  });

  it('says nothing of another file', () => {
    expect(lineage.isOwn('other', 'a', 'c')).toBe(false);
  });
});
