import type { Command } from 'commander';
import { printable } from '../../lib/printable.ts';
import { wrapped } from '../describe/help-format.ts';
import { CliError } from '../exit-codes.ts';
import { describeNamespaces, findOtherNamespaces } from '../mount/mount-namespaces.ts';
import { describeMountUse } from '../mount/mount-users.ts';
import { requireMount, type SvcfsMount } from '../mount/require-mount.ts';
import { passedMount } from '../mount/select-mount.ts';
import { unmount, unmountByForce } from '../mount/unmount.ts';
import { abandonPassed, unmountPassed } from '../mount/unmount-passed.ts';
import { withProgress } from '../progress/progress-options.ts';
import type { WaitOptions } from '../progress/show-progress.ts';
import { whileUnmounting } from '../progress/while-unmounting.ts';
import { describeKeptShort } from '../recover/describe-kept.ts';
import { type FoundKept, keptAt } from '../recover/kept-entries.ts';

const DETAILS = `
Waits until everything written has reached the service, then unmounts. Ctrl-C while it waits leaves the mount as it is. What
takes longer than a second shows how far it is: on a terminal in one line, else in a line every ten seconds.

Exit codes:
   0  unmounted, and nothing is left on this machine
   1  unmounted, but the service refused files for good: they are named, and stay until svcfs recover deals with them
  11  programs use the mount: they are named, and the mount stays as it is; or it is unmounted here, and a container or
      another mount namespace still has it: it says where, and how to end it; or another process mounted it (/dev/fd/N)
      and has to unmount it
  16  unmounted, but files are not uploaded yet: they are named, and the next mount on this mount point uploads them; this
      is also how a killed mount or --force ends`;

export function addUnmountCommand(program: Command): void {
  const command = program
    .command('unmount')
    .alias('umount')
    .summary('finish what is unfinished, then unmount')
    .description('Unmount after everything written has reached the service.')
    .argument('<mountpoint>', 'the mount point')
    .option(
      '--force',
      'do not wait: programs that use the mount get errors, and the next mount finishes the uploads',
      false,
    );
  withProgress(command).addHelpText('after', wrapped(DETAILS)).action(unmountCommand);
}

interface UnmountOptions extends WaitOptions {
  readonly force: boolean;
}

async function unmountCommand(path: string, options: UnmountOptions): Promise<void> {
  const passed = await passedMount(path);
  if (passed !== undefined) return unmountPassedCommand(passed, options);
  const mount = await requireMount(path);
  const { mountPoint, deviceMinor } = mount;
  if (options.force) {
    await unmountByForce(mount);
    return requireNoneLeft(mountPoint, notUploaded(await keptAt(mount.directory)), { byForce: true });
  }
  const result = await whileUnmounting(mount, options, (onWaiting) => unmount(mount, onWaiting));
  if (result.answer === 'busy') {
    throw new CliError('busy', `${mountPoint}: in use\n${await describeMountUse(mountPoint)}`);
  }
  if (result.answer === 'held') {
    const others = describeNamespaces(await findOtherNamespaces(deviceMinor));
    throw new CliError('busy', describeHeld(mountPoint, result.daemon, others));
  }
  if (result.answer === 'anothers') {
    console.error(
      `svcfs: ${mountPoint}: unmounted; its process, of another user, goes on until all is uploaded`,
    );
    return;
  }
  if (result.answer === 'recovered') {
    const refused = (await keptAt(mount.directory)).entries.filter(({ file }) => file.state === 'refused');
    if (refused.length > 0)
      throw new CliError(
        'failure',
        describeRefused(mountPoint, [...refused.map(describeKeptShort), ...result.waiting]),
      );
    if (result.waiting.length === 0) return;
    throw new CliError('unfinished', [describeRecovered(mountPoint), ...result.waiting].join('\n  '));
  }
  const { left, refused } = result;
  if (refused.length > 0) {
    const others = left.map((path) => `${path} (uploaded when you mount there again)`);
    throw new CliError('failure', describeRefused(mountPoint, [...refused, ...others].map(printable)));
  }
  requireNoneLeft(mountPoint, left);
}

async function unmountPassedCommand(mount: SvcfsMount, options: UnmountOptions): Promise<void> {
  const { force } = options;
  if (force) await abandonPassed(mount);
  else await whileUnmounting(mount, options, (onWaiting) => unmountPassed(mount, onWaiting));
  requireNoneLeft(mount.mountPoint, notUploaded(await keptAt(mount.directory)), { byForce: force });
}

/** Of what is on this machine after an end by force: what somebody was told would be uploaded, and what was still written. */
function notUploaded({ entries, unreadable }: FoundKept): readonly string[] {
  const owed = entries.filter(({ file }) => file.state !== 'aside' || file.acknowledged);
  return [...owed.map(describeKeptShort), ...unreadable];
}

function requireNoneLeft(mountPoint: string, left: readonly string[], { byForce = false } = {}): void {
  if (left.length === 0) return;
  throw new CliError('unfinished', describeLeft(mountPoint, left.map(printable), byForce));
}

function describeRefused(mountPoint: string, files: readonly string[]): string {
  return (
    `${mountPoint}: unmounted, but some written files are on this machine alone:\n  ${files.join('\n  ')}\n` +
    'It stays here until you deal with it: svcfs recover list shows it; svcfs recover save, retry or drop ends it.'
  );
}

function describeHeld(mountPoint: string, daemon: number, others: string): string {
  return (
    `${mountPoint}: unmounted here, but a process that began while it was mounted still holds it:\n${others}\n` +
    `It ends with the last of them; kill ${daemon} ends it now.`
  );
}

function describeRecovered(mountPoint: string): string {
  return `${mountPoint}: unmounted, but its process had been killed before all that was written had reached the service:`;
}

function describeLeft(mountPoint: string, left: readonly string[], byForce: boolean): string {
  const files = left.map((path) => `  ${path}\n`).join('');
  const said = `${mountPoint}: unmounted, but not all that was written has reached the service:\n${files}`;
  return byForce
    ? `${said}What was closed is uploaded when you mount on ${mountPoint} again; svcfs recover list shows what is here.`
    : `${said}It is safe on this machine, and uploaded when you mount on ${mountPoint} again.`;
}
