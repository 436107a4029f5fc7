import type { Command } from 'commander';
import { CliError } from '../exit-codes.ts';

/** The words of a command that says something of files: `KEY=VALUE… PATH…`. */
export interface SplitWords {
  readonly subjects: readonly string[];
  readonly paths: readonly string[];
}

/**
 * The first word is a key or a tag, and paths follow. Several of them end at `--`, as revisions of git do. `afterDashes`: so
 * many words came after it.
 */
export function splitAfterFirst(words: readonly string[], afterDashes: number | undefined): SplitWords {
  return afterDashes === undefined ? splitAt(words, 1) : splitAt(words, words.length - afterDashes);
}

/** As many words as are `KEY=VALUE`; one with a slash before the sign is a path. `--` ends them as well. */
export function splitPairs(words: readonly string[], afterDashes: number | undefined): SplitWords {
  const first = words.findIndex((word) => !/^[^/=]+=/.test(word));
  const split = splitAt(words, afterDashes === undefined ? first : words.length - afterDashes);
  const bad = split.subjects.find((word) => !/^[^=]+=/.test(word));
  if (bad !== undefined) throw new CliError('usage', `${bad}: write KEY=VALUE`);
  if (split.subjects.length === 0) throw new CliError('usage', 'name pairs first: KEY=VALUE… PATH…');
  return split;
}

function splitAt(words: readonly string[], index: number): SplitWords {
  const subjects = words.slice(0, Math.max(0, index));
  const paths = index < 0 ? [] : words.slice(index);
  if (paths.length === 0) throw new CliError('usage', 'name files or folders after the rest');
  return { subjects, paths };
}

/** The words after the first `--` of a command line; undefined where there is none. */
export function wordsAfterDashes(commandLine: readonly string[]): number | undefined {
  const index = commandLine.indexOf('--');
  return index < 0 ? undefined : commandLine.length - index - 1;
}

/** The parser leaves `--` out of the words that it gives. */
export function afterDashes(command: Command): number | undefined {
  let top = command;
  while (top.parent) top = top.parent;
  return wordsAfterDashes((top as Command & { readonly rawArgs?: readonly string[] }).rawArgs ?? []);
}
