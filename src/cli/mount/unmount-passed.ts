import { MountError } from '../../fuse/mount-error.ts';
import { mountedOn, mountPointOfConnection } from '../../fuse/mount-table.ts';
import { unmountDirectly } from '../../fuse/unmount-directly.ts';
import { CliError } from '../exit-codes.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { untilGone } from '../until-gone.ts';
import { askMount } from './ask-mount.ts';
import { describeMountUse } from './mount-users.ts';
import type { SvcfsMount } from './require-mount.ts';
import { tellDaemon } from './tell-daemon.ts';

/** How long the process may take to end once it has nothing to upload. */
const END_TIMEOUT_MS = 10_000;

/**
 * Waits for uploads, and unmounts a mount that another process has made. The rights of this command have to do: its process has no
 * more of them.
 *
 * @throws CliError when the one who mounted has to unmount
 */
export async function unmountPassed(
  mount: SvcfsMount,
  onWaiting: (pending: readonly string[]) => void,
): Promise<void> {
  const { mountPoint, directory } = mount;
  const record = await readRecord<MountRecord>(directory.record);
  for await (const said of askMount(mount, { request: 'unmount' })) {
    if (said.answer === 'waiting') onWaiting(said.pending);
    if (said.answer === 'failed') throw new CliError('failure', said.message);
  }
  const seenAt = await whereSeen(mountPoint, record?.deviceMinor);
  const remedy = record === undefined ? '' : `; kill ${record.daemon.pid} lets go of it`;
  if (seenAt === undefined)
    throw new CliError('busy', `${mountPoint}: the process that mounted it has to unmount it${remedy}`);
  try {
    await unmountDirectly(seenAt);
  } catch (error) {
    if (!(error instanceof MountError)) throw error;
    const why =
      error.kind === 'busy' ? `in use\n${await describeMountUse(seenAt)}` : `${error.message}${remedy}`;
    throw new CliError('busy', `${mountPoint}: ${why}`, { cause: error });
  }
  if (record !== undefined) await untilGone(record.daemon, END_TIMEOUT_MS);
}

/** Its process lets go of the mount at once, which is dead then until it is unmounted. */
export async function abandonPassed({ directory }: SvcfsMount): Promise<void> {
  const record = await readRecord<MountRecord>(directory.record);
  await tellDaemon(directory.socket, { request: 'abandon' });
  if (record !== undefined) await untilGone(record.daemon, END_TIMEOUT_MS);
}

/** The directory that it is on, if this process can see it. */
async function whereSeen(name: string, deviceMinor: number | undefined): Promise<string | undefined> {
  if (deviceMinor !== undefined) return mountPointOfConnection(deviceMinor);
  return (await mountedOn(name)) === undefined ? undefined : name;
}
