import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { withBatchOptions } from '../batch/batch-options.ts';
import type { MakeFoldersOptions } from '../batch/make-folders.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf } from '../platform/command-options.ts';

const DETAILS = `
A PATH is in a mount, or project:owner/name/path without one, by the profile. Each folder takes a request.

Example:
  svcfs mkdir -p project:me/study/run8/raw project:me/study/run8/aligned`;

export function addMkdirCommand(program: Command): void {
  const command = program
    .command('mkdir')
    .summary('make folders')
    .description('Make folders in projects.')
    .argument('<path...>', 'the folders')
    .option('-p, --parents', 'make those above as well; one that is there is no error', false);
  withBatchOptions(command)
    .addHelpText('after', wrapped(DETAILS))
    .action(async (paths: string[], options: MakeFoldersOptions & PlatformOptions) => {
      const { makeFolders } = await import('../batch/make-folders.ts');
      await makeFolders(paths, options, contextOf(options, command));
    });
}
