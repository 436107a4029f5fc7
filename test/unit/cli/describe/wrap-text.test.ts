import { describe, expect, it } from 'vitest';
import { wrapText } from '../../../../src/cli/describe/wrap-text.ts';

describe('a text of help', () => {
  it('is filled to the width, paragraph by paragraph', () => {
    expect(wrapText('one two three\nfour\n\nfive', 9)).toBe('one two\nthree\nfour\n\nfive');
  });

  it('keeps the columns of items, and aligns what follows with the second one', () => {
    expect(wrapText('   1  one two three\n      four\n  11  five', 14)).toBe(
      '   1  one two\n      three\n      four\n  11  five',
    );
  });

  it('does not join lines that stand by themselves', () => {
    expect(wrapText('  [default]\n  a = b\n  c', 40)).toBe('  [default]\n  a = b\n  c');
  });

  it('does not break a word that is longer than a line', () => {
    expect(wrapText('a https://api.example.org/v2 b', 10)).toBe('a\nhttps://api.example.org/v2\nb');
  });
});
