import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import type { Cell } from '../../metadata/table.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';
import type { ChangeOptions } from './change-files.ts';
import { afterDashes, splitAfterFirst, splitPairs } from './split-words.ts';

const GET_DETAILS = `
The first word is the key; several keys end at --. Of one key and one file the value is printed as it is. Otherwise there is a
line for each file: its path and the values, by tabs and with the escapes of a table.

Examples:
  svcfs meta get sample_id a.bam
  svcfs meta get sample_id platform -- *.bam`;

const SET_DETAILS = `
Words up to the first one that is no KEY=VALUE are pairs; a path with = in it is written with a slash, as ./a=b. Folders have
no metadata: -r sets the pairs on the files below.

Examples:
  svcfs meta set sample_id=P042 reviewed=yes *.bam
  svcfs meta set -r batch=7 project:me/study/run7`;

const UNSET_DETAILS = `
The first word is the key; several keys end at --. Folders have no metadata: -r erases the pairs of the files below.

Example:
  svcfs meta unset -r reviewed ~/svc/projects/me/study`;

/** `svcfs meta get|set|unset`: pairs that are named on the command line. */
export function addPairCommands(meta: Command): void {
  addGet(meta);
  addSet(meta);
  addUnset(meta);
}

function addGet(meta: Command): void {
  const command = meta
    .command('get')
    .summary('print values of metadata keys')
    .description('Print the values of metadata keys of files.')
    .usage('[options] <key> <path...>')
    .argument('<path...>', 'the key, or keys that end at --, then files')
    .option('-r, --recursive', 'the files in folders and below', false);
  withPlatform(command)
    .addHelpText('after', wrapped(GET_DETAILS))
    .action(async (words: string[], options: Pick<ChangeOptions, 'recursive'> & PlatformOptions) => {
      const { subjects, paths } = splitAfterFirst(words, afterDashes(command));
      const { getPairs } = await import('./get-pairs.ts');
      await getPairs(subjects, paths, { ...contextOf(options, command), recursive: options.recursive });
    });
}

function addSet(meta: Command): void {
  const command = changing(meta, 'set')
    .summary('set metadata pairs of files')
    .description('Set metadata pairs of files.')
    .usage('[options] <key=value...> <path...>')
    .argument('<path...>', 'pairs, then files');
  withPlatform(command)
    .addHelpText('after', wrapped(SET_DETAILS))
    .action(async (words: string[], options: ChangeOptions & PlatformOptions) => {
      const { subjects, paths } = splitPairs(words, afterDashes(command));
      const pairs = new Map(subjects.map((text): [string, Cell] => pairOf(text)));
      const { changeFiles } = await import('./change-files.ts');
      await changeFiles(paths, { pairs }, options, contextOf(options, command));
    });
}

function pairOf(text: string): [string, string] {
  const index = text.indexOf('=');
  return [text.slice(0, index), text.slice(index + 1)];
}

function addUnset(meta: Command): void {
  const command = changing(meta, 'unset')
    .summary('erase metadata pairs of files')
    .description('Erase metadata pairs of files.')
    .usage('[options] <key> <path...>')
    .argument('<path...>', 'the key, or keys that end at --, then files');
  withPlatform(command)
    .addHelpText('after', wrapped(UNSET_DETAILS))
    .action(async (words: string[], options: ChangeOptions & PlatformOptions) => {
      const { subjects, paths } = splitAfterFirst(words, afterDashes(command));
      const { changeFiles } = await import('./change-files.ts');
      const pairs = new Map(subjects.map((key): [string, Cell] => [key, null]));
      await changeFiles(paths, { pairs }, options, contextOf(options, command));
    });
}

function changing(meta: Command, name: string): Command {
  return meta
    .command(name)
    .option('-r, --recursive', 'the files in folders and below', false)
    .option('--undo <file>', 'where the old values are written, for svcfs meta undo');
}
