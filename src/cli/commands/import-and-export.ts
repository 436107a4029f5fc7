import type { Command } from 'commander';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { withBatchOptions, withRecursive } from '../batch/batch-options.ts';
import type { Direction, StartOptions } from '../batch/start-transfers.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf } from '../platform/command-options.ts';

const PATHS = `
A PATH is in a mount, or project:owner/name/path or volume:owner/name/key without one, by the profile. In the latter *, ? and
[a-z] stand for names, as in a shell: quote them. 100 files take a request.

Without --wait the command ends when the jobs are started, and prints a line for each: its id, the source and the target. --job
tells how jobs are, by their ids. Where the target has the name already, that file fails, and the others go on; what is the same
there is left alone, so that the command can be repeated.`;

const IMPORT_DETAILS = `${PATHS}

An import makes an alias in the project: the object stays where it is, and no byte is copied.

Examples:
  svcfs import --wait 'volume:ada/archive/raw/*.bam' project:ada/study/raw
  svcfs import -r volume:ada/archive/run7 project:ada/study
  svcfs import --wait --job 4ZTaCpZ2 8kLdQ0fW`;

const EXPORT_DETAILS = `${PATHS}

An export copies the file to the volume. Then the file in the project becomes an alias of the object, and its bytes are on the
volume alone. With --copy-only the file stays as it is.

Examples:
  svcfs export --wait 'project:ada/study/results/*' volume:ada/archive/2026/
  svcfs export -r --copy-only ~/svc/projects/ada/study/run7 volume:ada/archive/`;

export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .summary('make aliases of objects of volumes, 100 a request')
    .description('Import objects of volumes into a project, as aliases.');
  addAction(command, 'import', IMPORT_DETAILS);
}

export function addExportCommand(program: Command): void {
  const command = program
    .command('export')
    .summary('put files of projects on volumes, 100 a request')
    .description('Export files of projects to a volume.')
    .option('--copy-only', 'leave the files as they are, and make no aliases of them', false);
  addAction(command, 'export', EXPORT_DETAILS);
}

type Options = StartOptions & PlatformOptions & { readonly job: boolean };

function addAction(command: Command, direction: Direction, details: string): void {
  withRecursive(command, 'folders as well, with all below them')
    .argument('<path...>', 'the sources, then the target; with --job ids of jobs')
    .option('--overwrite', 'replace what has the name', false)
    .option('--wait', 'wait until all is done', false)
    .option('--job', 'tell how jobs are that were started before', false);
  withBatchOptions(command)
    .addHelpText('after', wrapped(details))
    .action(async (paths: string[], options: Options) => {
      const context = contextOf(options, command);
      if (options.job) {
        const { showTransfers } = await import('../batch/show-transfers.ts');
        return showTransfers(direction, paths, options, context);
      }
      const { startTransfers } = await import('../batch/start-transfers.ts');
      return startTransfers(direction, paths, options, context);
    });
}
