import { homedir } from 'node:os';
import type { Command } from 'commander';
import { mountDirectory, stateDirectory } from '../../config/directories.ts';
import { PLATFORM_OPTIONS } from '../../config/platform-options.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { addOptions } from '../add-options.ts';
import type { DebugOptions } from '../debug/make-bundle.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { findMount } from '../mount/find-mount.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { locate, runningMounts } from '../mount/select-mount.ts';

const COLUMN = 18;

const DETAILS = `
Writes one .tar.gz, which only you may read, with what helps to find a fault: the logs, the options and where they come from,
statistics, versions, what svcfs doctor finds, the mounts, the kernel stacks of threads that wait (as root), and the last requests with
their ids. MANIFEST.txt in it lists its files. Nothing is sent to anybody.

Tokens, passwords and signatures are left out. A word stands for each name of a file, a project or a user, the same throughout;
--names leaves names as they are. Look through it before you give it away.

A mount that hangs is asked, and left after a few seconds; the bundle then has what can be had without it.

Examples:
  svcfs debug
  svcfs debug ~/svc --output /tmp/hang.tar.gz`;

export function addDebugCommand(program: Command): void {
  const command = program
    .command('debug')
    .summary('collect what helps to find a fault, without secrets')
    .description('Collect logs, options, statistics and more into one archive, without secrets.')
    .argument('[mountpoint]', 'a mount, or a path below it')
    .option('-o, --output <file>', 'the archive to write (default: svcfs-debug-TIME.tar.gz here)')
    .option('--names', 'leave names of files, projects and users as they are', false);
  addOptions(command, PLATFORM_OPTIONS)
    .addHelpText('after', wrapped(DETAILS))
    .action(async (path: string | undefined, options: DebugOptions) => {
      const { makeBundle } = await import('../debug/make-bundle.ts');
      const { path: bundle, files, bytes } = await makeBundle(await chosen(path), options, command);
      for (const { name, what } of files) console.log(`${name.padEnd(COLUMN)}${what}`);
      console.log(`${bundle} (${describeSize(bytes)}): look through it before you give it away`);
    });
}

/** The mount that is meant, also one that hangs or has ended; undefined where none is named and none runs. */
async function chosen(path: string | undefined): Promise<SvcfsMount | undefined> {
  const here = await locate(path ?? '.');
  if (here !== undefined) return here.mount;
  if (path !== undefined) {
    const { mountPoint } = await findMount(path);
    return { mountPoint, directory: mountDirectory(stateDirectory(process.env, homedir()), mountPoint) };
  }
  const [only, ...others] = await runningMounts();
  if (others.length === 0) return only;
  const all = [only, ...others].map((mount) => mount?.mountPoint).join(', ');
  throw new CliError('usage', `several mounts are there, name one: ${all}`);
}
