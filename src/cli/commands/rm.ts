import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { withBatchOptions, withRecursive } from '../batch/batch-options.ts';
import type { RemoveOptions } from '../batch/remove.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf } from '../platform/command-options.ts';

const DETAILS = `
A PATH is in a mount, or project:owner/name/path without one, by the profile. 100 files take one request, and so does a folder
with all below it, which the platform removes as a job. Removal is final, but in a mount with --trash, where it is a move to the
trash. On a terminal the command counts the files and asks; elsewhere it does not, as rm(1), unless they are more than --confirm-delete
of the mount. A mount with --no-delete refuses it. Ctrl-C ends between two calls and says what was done; the same command ends what
another began.

Examples:
  svcfs rm old.bam project:me/study/tmp.txt
  svcfs rm -r ~/svc/projects/me/study/run7
  svcfs rm -r --dry-run project:me/study/run7`;

export function addRmCommand(program: Command): void {
  const command = program
    .command('rm')
    .summary('remove files and folders, 100 a request')
    .description('Remove files, and folders with all below them, on the platform.')
    .argument('<path...>', 'files or folders')
    .option('-f, --force', 'ask nothing, and take what is not there for removed', false)
    .option('-i, --interactive', 'ask before each path', false);
  withBatchOptions(withRecursive(command, 'folders as well, with all below them'))
    .addHelpText('after', wrapped(DETAILS))
    .action(async (paths: string[], options: RemoveOptions & PlatformOptions) => {
      const { remove } = await import('../batch/remove.ts');
      await remove(paths, options, contextOf(options, command));
    });
}
