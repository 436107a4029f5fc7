import type { Command } from 'commander';
import type { Operation } from '../../batch/plan/transfer.ts';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { withBatchOptions, withRecursive } from '../batch/batch-options.ts';
import type { TransferOptions } from '../batch/transfer-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { contextOf } from '../platform/command-options.ts';

const PATHS = `
A PATH is in a mount, or project:owner/name/path or volume:owner/name/key without one, by the profile. With several sources,
or where the target is a folder, they go into it.`;

const CP_DETAILS = `${PATHS}

On the platform no byte passes this machine. A folder is copied by one job of the platform, many files by jobs of 100, to a
volume by exports and from a volume by imports of 100 a request. A folder that is there already is merged with, and its files
are replaced: -n leaves them alone, -u those that are not older, whatever their size. After an interruption, -n or -u goes on
with the rest.

Any other PATH is on this machine, and is copied to a project or from one: a small file by one request, a large one in parallel
parts, which are checked. Each file appears whole. Ctrl-C or a kill in the middle loses nothing of a large file: the same
command goes on with its parts. What came of one is kept beside its place until then, as .NAME.….svcfs-part. --checksum compares
contents, by what the store tells where that is enough. Symbolic links, sockets and the like are told, and not copied.

Examples:
  svcfs cp -r project:me/study/run7 project:me/archive/
  svcfs cp -r ~/svc/projects/me/study/run7 volume:me/bucket/2026/
  svcfs cp -ru /data/run7 project:me/study/
  svcfs cp -r project:me/study/run7 /data/
  svcfs cp -r --dry-run volume:me/bucket/raw project:me/study`;

const MV_DETAILS = `${PATHS}

A folder is moved by one job of the platform, many files by jobs of 100. A file that is moved to a volume stays in its project
as an alias of the object, as the platform has it; an object that is moved to a project stays where it is. A folder that is
there already is merged with, as long as no file of a name is in both: so the same command ends what another began.

Examples:
  svcfs mv project:me/study/a.bam project:me/study/b.bam
  svcfs mv -t project:me/archive ~/svc/projects/me/study/run*`;

export function addCpCommand(program: Command): void {
  const command = program
    .command('cp')
    .summary('copy on the platform, to it and from it')
    .description(
      'Copy files and folders between projects and volumes, and between this machine and projects.',
    )
    .argument('<path...>', 'the sources, then the target')
    .option('-u, --update', 'leave alone what is there and not older', false)
    .option('--checksum', 'leave alone what is there with the same content (from or to this machine)', false)
    .option('-p, --preserve', 'keep mode and time (from or to this machine)', false)
    .option('-a, --archive', 'as -r -p', false);
  addAction(withRecursive(command, 'folders as well, with all below them'), 'copy', CP_DETAILS);
}

export function addMvCommand(program: Command): void {
  const command = program
    .command('mv')
    .summary('move on the platform, folders by one job')
    .description('Move or rename files and folders, between projects and volumes, on the platform.')
    .argument('<path...>', 'the sources, then the target')
    .option('-u, --update', 'leave alone what is there and not older', false);
  addAction(command, 'move', MV_DETAILS);
}

function addAction(command: Command, operation: Operation, details: string): void {
  command
    .option('-n, --no-clobber', 'leave alone what is there')
    .option('-f, --force', 'replace what is there, without a question (default)')
    .option('-i, --interactive', 'ask before a file is replaced', false)
    .option('-t, --target-directory <directory>', 'the target, before the sources')
    .option('-T, --no-target-directory', 'the target is the entry itself, never a folder to go into');
  withBatchOptions(command)
    .addHelpText('after', wrapped(details))
    .action(async (paths: string[], options: Given, given: Command) => {
      const { transfer } = await import('../batch/transfer.ts');
      await transfer(operation, paths, optionsOf(operation, options), contextOf(options, given));
    });
}

type Given = Omit<TransferOptions, 'targetDirectory' | 'noTargetDirectory'> &
  PlatformOptions & {
    /** False: `-T`. */
    readonly targetDirectory?: string | false;
    readonly archive?: boolean;
  };

function optionsOf(
  operation: Operation,
  { targetDirectory, archive = false, ...options }: Given,
): TransferOptions {
  return {
    ...options,
    recursive: operation === 'move' || archive || options.recursive,
    preserve: archive || (options.preserve ?? false),
    checksum: options.checksum ?? false,
    targetDirectory: targetDirectory === false ? undefined : targetDirectory,
    noTargetDirectory: targetDirectory === false,
  };
}
