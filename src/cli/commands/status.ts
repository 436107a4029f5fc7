import type { Command } from 'commander';
import { describeHealth } from '../describe/describe-health.ts';
import { describeStatus } from '../describe/describe-status.ts';
import { wrapped } from '../describe/help-format.ts';
import { findingsOfMount, isHealthy } from '../describe/mount-health.ts';
import { wrapText } from '../describe/wrap-text.ts';
import { CliError } from '../exit-codes.ts';
import { type Finding, fault } from '../finding.ts';
import type { MountStatus } from '../mount/control-messages.ts';
import { inquire } from '../mount/inquire.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { runningMounts, selectMount } from '../mount/select-mount.ts';
import { type KeptEntry, needsPerson } from '../recover/kept-entries.ts';
import { keptHere, sayKept, sayWaitingElsewhere } from '../say-waiting-elsewhere.ts';

const DETAILS = `
Begins with the health of the mount: what is wrong, and the command that helps. Then come uploads and jobs under way, what is left of
the request limit, cache, memory, the disk that files being written take, and the last errors. It names the files that are kept on this
machine and not on the service (svcfs recover).

Without a mount point it shows all mounts of yours, and names closed files that wait for a mount that does not run now.
The file .svcfs/stats in the mount has the same numbers and more; svcfs top shows them live.

Exit code 0 says that each mount is healthy, and 18 that one is not: the service does not answer, or refuses the token; the disk cache
fails; or files wait for you. Waiting for the request limit is healthy. With 1 the process of a mount does not answer.`;

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .summary('show how a mount is, and what it is doing')
    .description('Show how a mount is, and what it is doing.')
    .argument('[mountpoint]', 'the mount point, or a path below it')
    .option('--json', 'print a JSON list of mounts, with all numbers, for programs', false)
    .addHelpText('after', wrapped(DETAILS))
    .action(status);
}

/** A mount as it was looked at. */
interface Looked {
  readonly mountPoint: string;
  readonly findings: readonly Finding[];
  /** Undefined: its process does not answer. */
  readonly status: MountStatus | undefined;
  readonly kept: readonly KeptEntry[];
}

async function status(path: string | undefined, { json }: { readonly json: boolean }): Promise<void> {
  const mounts = path === undefined ? await runningMounts() : [await selectMount(path)];
  if (mounts.length === 0 && !json) console.log('there is no mount of svcfs');
  const kept = await keptHere(path === undefined ? undefined : mounts[0]?.directory);
  const entries = kept.entries.filter(needsPerson);
  const failures: string[] = [];
  const looked: Looked[] = [];
  for (const mount of mounts) {
    const one = await look(mount, entries, (failure) => failures.push(failure));
    looked.push(one);
    if (!json && one.status !== undefined) print(one, one.status);
  }
  if (json) console.log(JSON.stringify(looked.map(shown), null, 2));
  if (path === undefined) await sayWaitingElsewhere();
  if (!json) sayKept(kept, (line) => console.log(line));
  if (failures.length > 0) throw new CliError('failure', failures.join('\n'));
  requireHealth(looked, entries);
}

async function look(
  mount: SvcfsMount,
  entries: readonly KeptEntry[],
  onFailure: (message: string) => void,
): Promise<Looked> {
  const { mountPoint, directory } = mount;
  const kept = entries.filter(({ place }) => place.directory.root === directory.root);
  try {
    const { answer: _, ...status } = await inquire(mount, { request: 'status' });
    const findings = findingsOfMount(status, { mountPoint, kept: kept.length, nowMs: Date.now() });
    return { mountPoint, findings, status, kept };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    onFailure(error.message);
    return { mountPoint, findings: [fault('process', error.message)], status: undefined, kept };
  }
}

function print({ mountPoint, findings }: Looked, status: MountStatus): void {
  const lines = [...describeHealth(findings, process.stdout), ...describeStatus(status, Date.now())];
  console.log([mountPoint, ...lines.map((line) => fitted(`  ${line}`, process.stdout))].join('\n'));
}

const USUAL_WIDTH = 80;

/** Programs that search in a pipe find what belongs together in one line. */
function fitted(line: string, { isTTY, columns }: NodeJS.WriteStream): string {
  const width = columns || USUAL_WIDTH;
  return isTTY && line.length > width ? wrapText(line, width) : line;
}

/** For programs. */
function shown({ mountPoint, findings, status, kept }: Looked): object {
  return {
    mountPoint,
    health: {
      healthy: isHealthy(findings),
      findings: findings.map(({ check, state, found, remedy = null }) => ({ check, state, found, remedy })),
    },
    ...status,
    kept: kept.map(({ file }) => file),
  };
}

function requireHealth(looked: readonly Looked[], entries: readonly KeptEntry[]): void {
  const ill = looked.filter(({ findings }) => !isHealthy(findings)).map(({ mountPoint }) => mountPoint);
  if (ill.length > 0)
    throw new CliError('unhealthy', `not healthy: ${ill.join(', ')} (svcfs status has the remedies)`);
  if (entries.length > 0) throw new CliError('unhealthy', 'files of mounts that do not run now wait for you');
}
