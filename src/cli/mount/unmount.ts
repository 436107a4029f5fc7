import type { MountDirectory } from '../../config/directories.ts';
import { forceUnmount, recoverDeadMount } from '../../fuse/recover-dead-mount.ts';
import { CliError } from '../exit-codes.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { untilGone } from '../until-gone.ts';
import { askDaemon } from './ask-daemon.ts';
import { removeIfLingering } from './clear-dead-mount.ts';
import type { UnmountResult } from './control-messages.ts';
import type { SvcfsMount, TabledMount } from './require-mount.ts';
import { tellDaemon } from './tell-daemon.ts';
import { waitingAt } from './waiting-elsewhere.ts';

/** `recovered`: its process had ended before; `waiting` tells what it left, a line each. */
type UnmountOutcome = UnmountResult | { readonly answer: 'recovered'; readonly waiting: readonly string[] };

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
  for await (const said of askDaemon(directory.socket, { request: 'unmount' })) {
    if (said.answer === 'waiting') onWaiting(said.pending);
    if (said.answer === 'busy' || said.answer === 'held') return said;
    if (said.answer === 'failed') throw new CliError('failure', said.message);
    if (said.answer === 'unmounted') {
      if (record !== undefined) await untilGone(record.daemon, END_TIMEOUT_MS);
      return said;
    }
  }
  if (await recoverDeadMount(mountPoint)) return recovered(directory);
  throw new CliError('failure', `${mountPoint}: ${describeSilence(directory, record)}`);
}

async function recovered(directory: MountDirectory): Promise<UnmountOutcome> {
  return { answer: 'recovered', waiting: await waitingAt(directory) };
}

/** Who has no record of it did not mount it; a process that is stuck has left one. */
function describeSilence({ socket, root }: MountDirectory, record: MountRecord | undefined): string {
  if (record !== undefined) return `its process does not answer at ${socket}; try --force`;
  return (
    `nothing about it is in ${root}: it was mounted by another user, or with another XDG_STATE_HOME; unmount it as it was ` +
    'mounted (--force takes it away from its users)'
  );
}

/** Takes the mount away whoever uses it; its process, if it lives, leaves what is unfinished to the next mount. */
export async function unmountByForce({ mountPoint, directory }: SvcfsMount): Promise<void> {
  const record = await readRecord<MountRecord>(directory.record);
  await forceUnmount(mountPoint);
  await tellDaemon(directory.socket, { request: 'abandon' });
  if (record !== undefined) await untilGone(record.daemon, END_TIMEOUT_MS);
}
