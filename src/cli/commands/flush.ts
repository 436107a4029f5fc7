import type { Command } from 'commander';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { pathOrMount } from '../mount/path-or-mount.ts';
import { withProgress } from '../progress/progress-options.ts';
import { showing, type WaitOptions } from '../progress/show-progress.ts';
import { uploadsOf } from '../progress/uploads-standing.ts';

const DETAILS = `
With --write-back, close(2) returns when a file is safe on this machine, and its upload follows. This command waits for the
uploads of all files that were closed at the path or below it. Uploads that wait for their next try are tried at once. What
takes longer than a second shows how far it is: on a terminal in one line, else in a line every ten seconds.

Exit code 1 says that a file cannot be uploaded, now or ever. The file is named, with the place on this machine that keeps
it; svcfs recover deals with it.

Without a path it waits for the whole mount that the working directory is in, or for the only one there is.`;

export function addFlushCommand(program: Command): void {
  const command = program
    .command('flush')
    .summary('wait until files written with --write-back are on the platform')
    .description('Wait until all written files are on the platform.')
    .argument('[path]', 'a file or folder in a mount');
  withProgress(command).addHelpText('after', wrapped(DETAILS)).action(flush);
}

async function flush(path: string | undefined, options: WaitOptions): Promise<void> {
  const { mount, path: below } = await pathOrMount(path);
  const wait = () => inquire(mount, { request: 'flush', path: below });
  const { failures } = await showing(uploadsOf(mount, below), { ...options, doing: 'uploading' }, wait);
  if (failures.length > 0) throw new CliError('failure', failures.join('\n'));
}
