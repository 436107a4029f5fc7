import type { Command } from 'commander';
import { describeStatus } from '../describe/describe-status.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { inquire } from '../mount/inquire.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { runningMounts, selectMount } from '../mount/select-mount.ts';
import { sayKeptHere, sayWaitingElsewhere } from '../say-waiting-elsewhere.ts';

const DETAILS = `
Shows uploads and jobs under way, what is left of the request limit, how the cache is used, and how much disk files being
written take. It names the files that are kept on this machine and not on the service (svcfs recover).

Without a mount point it shows all mounts of yours, and names closed files that wait for a mount that does not run now.
The file .svcfs/stats in the mount has the same numbers and more.`;

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .summary('show what a mount is doing')
    .description('Show what a mount is doing.')
    .argument('[mountpoint]', 'the mount point, or a path below it')
    .addHelpText('after', wrapped(DETAILS))
    .action(status);
}

async function status(path: string | undefined): Promise<void> {
  const mounts = path === undefined ? await runningMounts() : [await selectMount(path)];
  if (mounts.length === 0) console.log('there is no mount of svcfs');
  const failures: string[] = [];
  for (const mount of mounts) {
    try {
      console.log(await statusOf(mount));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      failures.push(error.message);
    }
  }
  if (path === undefined) await sayWaitingElsewhere();
  await sayKeptHere(path === undefined ? undefined : mounts[0]?.directory, (line) => console.log(line));
  if (failures.length > 0) throw new CliError('failure', failures.join('\n'));
}

async function statusOf(mount: SvcfsMount): Promise<string> {
  const answer = await inquire(mount, { request: 'status' });
  return [mount.mountPoint, ...describeStatus(answer).map((line) => `  ${line}`)].join('\n');
}
