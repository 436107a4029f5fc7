import { type Command, Option } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { wrapped } from '../describe/help-format.ts';
import type { FindOptions } from '../find/find.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';

const DETAILS = `
A PATH is a folder in a mount, or project:owner/name/path without one, by the profile. All TERMs have to be met:

  KEY         has the pair
  !KEY        lacks it
  KEY=VALUE   byte for byte; != for any other value, or none
  KEY~GLOB    with * ? and [a-z]
  KEY<NUMBER  also <= > >=; of decimal numbers, and of dates as 2026-05-31

A|B in a value is either of them. The fields name, path, size, type (file or alias), tag, created and task go by these names; a
metadata key that is called so is key.name. %7C is a | that is part of the text, and %25 a %.

KEY=VALUE, tag=, name= and task= are left to the platform: a request for each 100 files. Without one of them all folders below
are listed.

Examples:
  svcfs find ~/svc/projects/me/study sample_id=P042 'size>1G' 'name~*.bam'
  svcfs find project:me/study 'tag=tumour|normal' '!reviewed'
  svcfs find . 'name~*.bam' --exec 'samtools index "$1"'
  svcfs find . reviewed=no --tsv > table.tsv`;

export function addFindCommand(program: Command): void {
  const command = program
    .command('find')
    .summary('find files by their metadata')
    .description('Find files of a project by their metadata, tags, names and sizes.')
    .argument('<path>', 'a folder or project')
    .argument('[term...]', 'conditions that files have to meet, all of them')
    .option('-0, --null', 'end each path with NUL, for xargs -0', false)
    .addOption(
      new Option('--tsv', 'print the table of the files, as svcfs meta export does')
        .default(false, '')
        .conflicts(['json', 'exec', 'null']),
    )
    .addOption(new Option('--json', 'the same as JSON Lines').default(false, '').conflicts(['exec', 'null']))
    .option('--exec <command>', 'have the shell run a command for each file, with the path as $1');
  withPlatform(command)
    .addHelpText('after', wrapped(DETAILS))
    .action(async (path: string, terms: string[], options: FindOptions & PlatformOptions) => {
      const { find } = await import('../find/find.ts');
      await find(path, terms, options, contextOf(options, command));
    });
}
