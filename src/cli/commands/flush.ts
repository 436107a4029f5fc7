import type { Command } from 'commander';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { locate, type PathInMount, selectMount } from '../mount/select-mount.ts';

const DETAILS = `
With --write-back, close(2) returns when a file is safe on this machine, and its upload follows. This waits for the
uploads of what was closed at the path or below it, and tries at once what waits to be tried again. Exit code 1: something
cannot be uploaded, now or ever; it is named, with the place on this machine that keeps it. svcfs recover deals with that.

Without a path it is about all of the mount that the working directory is in, or of the only one there is.`;

export function addFlushCommand(program: Command): void {
  program
    .command('flush')
    .summary('wait until files written with --write-back are on the platform')
    .description('Wait until what was written is on the platform.')
    .argument('[path]', 'a file or folder in a mount')
    .addHelpText('after', DETAILS)
    .action(flush);
}

async function flush(path: string | undefined): Promise<void> {
  const { mount, path: below } = path === undefined ? await wholeMount() : await placeOf(path);
  const { failures } = await inquire(mount, { request: 'flush', path: below });
  if (failures.length > 0) throw new CliError('failure', failures.join('\n'));
}

async function wholeMount(): Promise<PathInMount> {
  return { mount: await selectMount(undefined), path: '/' };
}

async function placeOf(path: string): Promise<PathInMount> {
  const located = await locate(path);
  if (located === undefined) throw new CliError('notMounted', `${path}: not in a mount of svcfs`);
  return located;
}
