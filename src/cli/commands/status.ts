import type { Command } from 'commander';
import { describeStatus, type MountStatus } from '../describe/describe-status.ts';
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
    .option('--json', 'print a JSON list of mounts, with all numbers, for programs', false)
    .addHelpText('after', wrapped(DETAILS))
    .action(status);
}

async function status(path: string | undefined, { json }: { readonly json: boolean }): Promise<void> {
  const mounts = path === undefined ? await runningMounts() : [await selectMount(path)];
  if (mounts.length === 0 && !json) console.log('there is no mount of svcfs');
  const failures: string[] = [];
  const told: object[] = [];
  for (const mount of mounts) {
    try {
      const { answer: _, ...status } = await inquire(mount, { request: 'status' });
      if (json) told.push({ mountPoint: mount.mountPoint, ...status });
      else console.log(linesOf(mount, status).join('\n'));
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      failures.push(error.message);
    }
  }
  if (json) console.log(JSON.stringify(told, null, 2));
  else await sayFilesHere(path === undefined ? undefined : mounts[0]);
  if (failures.length > 0) throw new CliError('failure', failures.join('\n'));
}

function linesOf({ mountPoint }: SvcfsMount, status: MountStatus): readonly string[] {
  return [mountPoint, ...describeStatus(status).map((line) => `  ${line}`)];
}

/** `mount`: of one mount alone. */
async function sayFilesHere(mount: SvcfsMount | undefined): Promise<void> {
  if (mount === undefined) await sayWaitingElsewhere();
  await sayKeptHere(mount?.directory, (line) => console.log(line));
}
