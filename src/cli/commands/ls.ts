import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import type { ListOptions } from '../batch/list.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf, withPlatform } from '../platform/command-options.ts';

const DETAILS = `
A PATH is in a mount, or project:owner/name/path or volume:owner/name/key without one, by the profile; without a PATH it is
the working directory. 100 entries take a request. Names of folders end in a slash.

Examples:
  svcfs ls -l project:me/study
  svcfs ls -R --json volume:me/archive | jq -r 'select(.size > 1e9).path'`;

export function addLsCommand(program: Command): void {
  const command = program
    .command('ls')
    .summary('list folders and levels of volumes')
    .description('List what is in folders of projects and on volumes.')
    .argument('[path...]', 'files or folders')
    .option('-l, --long', 'sizes in bytes and times of change, too', false)
    .option('-h, --human', 'sizes in KiB, MiB and so on', false)
    .option('-R, --recursive', 'all folders below, too', false)
    .option('-d, --directory', 'folders themselves, not what is in them', false)
    .option('--json', 'print one line of JSON for each entry', false)
    .helpOption('--help', 'show this help');
  withPlatform(command)
    .addHelpText('after', wrapped(DETAILS))
    .action(async (paths: string[], options: ListOptions & PlatformOptions) => {
      const { list } = await import('../batch/list.ts');
      await list(paths, options, contextOf(options, command));
    });
}
