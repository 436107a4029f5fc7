import { describe, expect, it } from 'vitest';
import { splitAfterFirst, splitPairs, wordsAfterDashes } from '../../../../src/cli/metadata/split-words.ts';

const split = (splitter: typeof splitPairs, line: string) => {
  const commandLine = line.split(' ');
  const words = commandLine.filter((word) => word !== '--' && !word.startsWith('-'));
  const { subjects, paths } = splitter(words, wordsAfterDashes(commandLine));
  return `${subjects.join(' ')} | ${paths.join(' ')}`;
};

describe('the words of a command', () => {
  it.each([
    ['a=1 b=x=y f.bam g.bam', 'a=1 b=x=y | f.bam g.bam'],
    ['a= ./b=c', 'a= | ./b=c'],
    ['a=1 /data/b=c', 'a=1 | /data/b=c'],
    ['a/b=1 c=2 -- d=e', 'a/b=1 c=2 | d=e'],
  ])('begin with pairs: %s', (line, expected) => {
    expect(split(splitPairs, line)).toBe(expected);
  });

  it.each([
    ['tumour a.bam b.bam', 'tumour | a.bam b.bam'],
    ['a=1 a.bam', 'a=1 | a.bam'],
    ['tumour normal -- a.bam', 'tumour normal | a.bam'],
    ['-- a.bam', ' | a.bam'],
  ])('begin with one word, or those before --: %s', (line, expected) => {
    expect(split(splitAfterFirst, line)).toBe(expected);
  });

  it.each([
    [splitPairs, 'a=1', 'name files or folders'],
    [splitPairs, 'f.bam', 'name pairs first'],
    [splitPairs, 'a=1 b -- f.bam', 'b: write KEY=VALUE'],
    [splitPairs, '=1 -- f.bam', '=1: write KEY=VALUE'],
    [splitAfterFirst, 'tumour', 'name files or folders'],
    [splitAfterFirst, 'tumour --', 'name files or folders'],
  ])('are refused when something is missing', (splitter, line, message) => {
    expect(() => split(splitter, line)).toThrow(message);
  });
});
