import { join } from 'node:path';
import type { Command } from 'commander';
import { ALLOW_OPTIONS, type AllowOptions } from '../../config/allow-options.ts';
import { printable } from '../../lib/printable.ts';
import { timeOfDay } from '../../lib/time-of-day.ts';
import { addOptions } from '../add-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { inquire } from '../mount/inquire.ts';
import { pathOrMount } from '../mount/path-or-mount.ts';

const DETAILS = `
With svcfs mount --confirm-delete COUNT, a program that removes more than COUNT files and folders within a minute gets EPERM
for the others. This command lets such deletions through for ten minutes, or for --for: at the path and below it, or
of one program (--pid). Then run the program again. svcfs why PATH names the process that was refused.

Without a path it is about the whole mount that the working directory is in, or the only one there is. svcfs rm asks for
itself, and needs no such permission.

Examples:
  svcfs allow ~/svc/projects/me/study/old && rm -r ~/svc/projects/me/study/old
  svcfs allow --pid 4711 --for 2h`;

export function addAllowCommand(program: Command): void {
  const command = program
    .command('allow')
    .summary('confirm many deletions (--confirm-delete)')
    .description('Let a program remove as many files as it wants, where --confirm-delete refuses that.')
    .argument('[path]', 'a file or folder in a mount')
    .addHelpText('after', wrapped(DETAILS));
  addOptions(command, ALLOW_OPTIONS).action(allow);
}

async function allow(path: string | undefined, { pid, for: forMs }: AllowOptions): Promise<void> {
  const located = await pathOrMount(path);
  await inquire(located.mount, {
    request: 'allow',
    path: located.path,
    forMs,
    ...(pid !== undefined && { pid }),
  });
  const what =
    pid === undefined
      ? `${printable(join(located.mount.mountPoint, located.path))}: files and folders can be removed`
      : `process ${pid} and its group can remove files and folders`;
  console.log(`${what} until ${timeOfDay(Date.now() + forMs)}`);
}
