import type { Command } from 'commander';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import { locate } from '../mount/select-mount.ts';

const DETAILS = `
A mount shows facts of the platform that are at most --metadata-ttl old (60 s). This asks for them anew now: the names in a
directory, and at their next use what is in the directories below it that were looked into. A project that was made elsewhere is
there afterwards. It costs as many requests as listing the directory.

Examples:
  svcfs refresh ~/svc/projects
  svcfs refresh projects/ada/study/results`;

export function addRefreshCommand(program: Command): void {
  program
    .command('refresh')
    .summary('ask anew for what is at a path, and below')
    .description('Have a mount ask the platform anew for what is at a path, and below.')
    .argument('[path]', 'a path in a mount', '.')
    .addHelpText('after', wrapped(DETAILS))
    .action(refresh);
}

async function refresh(path: string): Promise<void> {
  const located = await locate(path);
  if (located === undefined) throw new CliError('notMounted', `${path}: not in a mount of svcfs`);
  await inquire(located.mount, { request: 'refresh', path: located.path });
}
