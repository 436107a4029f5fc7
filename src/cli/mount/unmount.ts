import { forceUnmount, recoverDeadMount } from '../../fuse/recover-dead-mount.ts';
import { CliError } from '../exit-codes.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { untilGone } from '../until-gone.ts';
import { askDaemon } from './ask-daemon.ts';
import type { UnmountResult } from './control-messages.ts';
import type { SvcfsMount } from './require-mount.ts';
import { tellDaemon } from './tell-daemon.ts';

/** How long the process may take to end once its mount is gone. */
const END_TIMEOUT_MS = 10_000;

/** Asks the mount's process to finish and unmount, and returns when both mount and process are gone. */
export async function unmount(
  mount: SvcfsMount,
  onWaiting: (pending: readonly string[]) => void,
): Promise<UnmountResult> {
  const { mountPoint, directory } = mount;
  const record = await readRecord<MountRecord>(directory.record);
  for await (const said of askDaemon(directory.socket, { request: 'unmount' })) {
    if (said.answer === 'waiting') onWaiting(said.pending);
    if (said.answer === 'busy' || said.answer === 'held') return said;
    if (said.answer === 'failed') throw new CliError('failure', said.message);
    if (said.answer === 'unmounted') {
      if (record !== undefined) await untilGone(record.daemon, END_TIMEOUT_MS);
      return said;
    }
  }
  if (await recoverDeadMount(mountPoint)) return { answer: 'unmounted', left: [] };
  throw new CliError(
    'failure',
    `${mountPoint}: its process does not answer at ${directory.socket}; try --force`,
  );
}

/** Takes the mount away whoever uses it; its process, if it lives, leaves what is unfinished to the next mount. */
export async function unmountByForce({ mountPoint, directory }: SvcfsMount): Promise<void> {
  const record = await readRecord<MountRecord>(directory.record);
  await forceUnmount(mountPoint);
  await tellDaemon(directory.socket, { request: 'abandon' });
  if (record !== undefined) await untilGone(record.daemon, END_TIMEOUT_MS);
}
