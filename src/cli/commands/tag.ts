import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import type { ChangeOptions, FileChange } from '../metadata/change-files.ts';
import { afterDashes, splitAfterFirst } from '../metadata/split-words.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';

const DETAILS = `
The first word is the tag; the others are files, in a mount or as project:owner/name/path. Several tags end at --.

Tags are replaced whole on the platform, 100 files a request: what somebody else sets in the same moment may be lost.

Examples:
  svcfs tag add reviewed *.bam
  svcfs tag add tumour 'batch 7' -- *.bam
  svcfs tag rm -r reviewed ~/svc/projects/me/study
  svcfs tag set -- old.bam                       no tag is left`;

type Tags = readonly string[];

const CHANGES: Readonly<Record<'add' | 'rm' | 'set', (given: Tags) => (before: Tags) => Tags>> = {
  add: (given) => (before) => [...before, ...given],
  rm: (given) => (before) => before.filter((tag) => !given.includes(tag)),
  set: (given) => () => given,
};

const SUMMARIES = {
  add: 'give files a tag',
  rm: 'take a tag from files',
  set: 'replace all tags of files',
} as const;

export function addTagCommand(program: Command): void {
  const tag = program
    .command('tag')
    .summary('tags of many files')
    .description('Change the tags of many files.')
    .addHelpText('after', wrapped(DETAILS));
  for (const [name, change] of Object.entries(CHANGES)) addChange(tag, name as keyof typeof CHANGES, change);
}

function addChange(
  tag: Command,
  name: keyof typeof CHANGES,
  change: (given: Tags) => (before: Tags) => Tags,
): void {
  const summary = SUMMARIES[name];
  const command = tag
    .command(name)
    .summary(summary)
    .description(`${summary.replace(/^./, (letter) => letter.toUpperCase())}.`)
    .usage('[options] <tag> <path...>')
    .argument('<path...>', 'the tag, or tags that end at --, then files')
    .option('-r, --recursive', 'the files in folders and below', false)
    .option('--undo <file>', 'where the old tags are written, for svcfs meta undo');
  withPlatform(command).action(async (words: string[], options: ChangeOptions & PlatformOptions) => {
    const { subjects, paths } = splitAfterFirst(words, afterDashes(command));
    if (subjects.length === 0 && name !== 'set') throw new CliError('usage', 'name a tag before the --');
    const { changeFiles } = await import('../metadata/change-files.ts');
    const unique: FileChange = { tags: (before) => [...new Set(change(subjects)(before))] };
    await changeFiles(paths, unique, options, contextOf(options, command));
  });
}
