import { describe, expect, it } from 'vitest';
import { IdPatterns, isPattern } from '../../../src/lib/id-patterns.ts';

describe('patterns of ids', () => {
  it.each([
    ['lab/rna', 'lab/rna', true],
    ['lab/rna', 'lab/rna-2', false],
    ['lab/rna', 'LAB/rna', false],
    ['lab/*', 'lab/rna', true],
    ['lab/*', 'lab2/rna', false],
    ['*/rna', 'other/rna', true],
    ['*', 'lab/rna', false],
    ['lab/rna-?', 'lab/rna-1', true],
    ['lab/rna-[0-9]', 'lab/rna-x', false],
    // A pattern ends at the slash.
    ['l*a/x', 'lab/rna/x', false],
  ])('%s of %s: %s', (pattern, id, expected) => {
    expect(new IdPatterns([pattern]).has(id)).toBe(expected);
  });

  it('fit an id when one of them does', () => {
    const patterns = new IdPatterns(['lab/rna', 'core/*']);
    expect(patterns.has('core/x')).toBe(true);
    expect(patterns.hasOwner('core')).toBe(true);
    expect(patterns.hasOwner('other')).toBe(false);
  });

  it('are ids themselves when none stands for several', () => {
    expect(new IdPatterns(['lab/a', 'lab/b', 'lab/a']).ids).toEqual(['lab/a', 'lab/b']);
    expect(new IdPatterns(['lab/a', 'lab/?']).ids).toBeUndefined();
    expect(isPattern('lab/[ab]')).toBe(true);
  });
});
