import type { MountDirectory } from '../../config/directories.ts';
import { mountedOn } from '../../fuse/mount-table.ts';
import { forceUnmount, recoverDeadMount } from '../../fuse/recover-dead-mount.ts';
import { unmountDirectly } from '../../fuse/unmount-directly.ts';
import { isRunning, processState } from '../../lib/process-identity.ts';
import { CliError } from '../exit-codes.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { untilGone } from '../until-gone.ts';
import { askMount } from './ask-mount.ts';
import { removeIfLingering } from './clear-dead-mount.ts';
import type { UnmountResult } from './control-messages.ts';
import type { SvcfsMount, TabledMount } from './require-mount.ts';
import { tellDaemon } from './tell-daemon.ts';
import { waitingAt } from './waiting-elsewhere.ts';

/**
 * `recovered`: its process had ended before; `waiting` tells what it left, a line each. `anothers`: its process cannot be asked, and
 * finishes by itself.
 */
type UnmountOutcome =
  | Exclude<UnmountResult, { readonly answer: 'not-ours' }>
  | { readonly answer: 'recovered'; readonly waiting: readonly string[] }
  | { readonly answer: 'anothers' };

/** Of a process that hears nothing (proc_pid_stat(5)). */
const STOPPED = new Set(['T', 't']);

const ROOT = 0;

/** How long the process may take to end once its mount is gone. */
const END_TIMEOUT_MS = 10_000;

/** Asks the mount's process to finish and unmount, and returns when both mount and process are gone. */
export async function unmount(
  mount: TabledMount,
  onWaiting: (pending: readonly string[]) => void,
): Promise<UnmountOutcome> {
  const { mountPoint, directory } = mount;
  const record = await readRecord<MountRecord>(directory.record);
  if (await removeIfLingering(mount, record)) return recovered(directory);
  for await (const said of askMount(mount, { request: 'unmount' })) {
    if (said.answer === 'waiting') onWaiting(said.pending);
    if (said.answer === 'busy' || said.answer === 'held') return said;
    if (said.answer === 'failed') throw new CliError('failure', said.message);
    if (said.answer === 'unmounted') {
      if (record !== undefined) await untilGone(record.daemon, END_TIMEOUT_MS);
      return said;
    }
  }
  if ((await recoverDeadMount(mountPoint)) || (await isOver(mountPoint, record))) return recovered(directory);
  if (record === undefined && isAnothers(mount.userId)) {
    await unmountDirectly(mountPoint);
    return { answer: 'anothers' };
  }
  throw new CliError('failure', `${mountPoint}: ${describeAbsence(directory, record)}`);
}

/** Whether root is asked to unmount for another user, whose state is elsewhere. */
function isAnothers(userId: number | undefined): boolean {
  return process.getuid?.() === ROOT && userId !== undefined && userId !== ROOT;
}

/** The process was killed while it was asked, and its watchdog was faster than this command. */
async function isOver(mountPoint: string, record: MountRecord | undefined): Promise<boolean> {
  if (record === undefined || (await mountedOn(mountPoint)) !== undefined) return false;
  return untilGone(record.daemon, END_TIMEOUT_MS);
}

async function recovered(directory: MountDirectory): Promise<UnmountOutcome> {
  return { answer: 'recovered', waiting: await waitingAt(directory) };
}

/** A user without a record of the mount did not mount it; a process that is stuck has left a record. */
function describeAbsence({ socket, root }: MountDirectory, record: MountRecord | undefined): string {
  if (record !== undefined) return `its process does not answer at ${socket}; try svcfs unmount --force`;
  return (
    `nothing about it is in ${root}: it was mounted by another user, or with another XDG_STATE_HOME; unmount it as it was ` +
    'mounted (--force takes it away from its users)'
  );
}

/**
 * Takes the mount away even while programs use it. Its process leaves what is unfinished to the next mount, and is
 * killed when it does not end.
 */
export async function unmountByForce({ mountPoint, directory }: SvcfsMount): Promise<void> {
  const record = await readRecord<MountRecord>(directory.record);
  await forceUnmount(mountPoint);
  await tellDaemon(directory.socket, { request: 'abandon' });
  if (record === undefined) return;
  const { daemon } = record;
  const isStopped = STOPPED.has((await processState(daemon)) ?? '');
  if (!isStopped && (await untilGone(daemon, END_TIMEOUT_MS))) return;
  // Bytes that it has acknowledged are on the disk. Alive, it would keep the next mount out.
  if (await isRunning(daemon)) process.kill(daemon.pid, 'SIGKILL');
  await untilGone(daemon, END_TIMEOUT_MS);
}
