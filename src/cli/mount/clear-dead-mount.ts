import { homedir } from 'node:os';
import { mountDirectory, stateDirectory } from '../../config/directories.ts';
import { type MountedFileSystem, readMountTable } from '../../fuse/mount-table.ts';
import { walkToMount } from '../../fuse/mount-walk.ts';
import { forceUnmount } from '../../fuse/recover-dead-mount.ts';
import { systemClock } from '../../lib/clock.ts';
import { isRunning, lingers, type ProcessIdentity } from '../../lib/process-identity.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { askMount } from './ask-mount.ts';

/** The kernel lets go of a process as soon as its connection is aborted. */
const END_TIMEOUT_MS = 3000;
const POLL_MS = 20;

/**
 * Takes the mount at a path away when its process was killed and the kernel keeps a thread of it: a look at such a mount
 * would wait for ever. Looks at the process on record alone.
 *
 * @throws CliError when a process serves the mount that does not answer
 */
export async function clearDeadMount(path: string): Promise<void> {
  const walked = await walkToMount(path, await readMountTable());
  if (walked?.mount === undefined || walked.rest.length > 0) return;
  const { path: mountPoint, mount } = walked;
  const directory = mountDirectory(stateDirectory(process.env, homedir()), mountPoint);
  const written = await readRecord<MountRecord>(directory.record);
  if (await removeIfLingering({ mountPoint, deviceMinor: mount.deviceMinor }, written)) return;
  if (written === undefined || !(await isRunning(written.daemon))) return;
  // Says so when it does not answer; one that does is refused with the mount point.
  const answers = askMount({ mountPoint, directory }, { request: 'ping' }, { exit: 'alreadyMounted' });
  for await (const _ of answers) return;
}

/** Whether it was taken away. */
export async function removeIfLingering(
  { mountPoint, deviceMinor }: Pick<MountedFileSystem, 'mountPoint' | 'deviceMinor'>,
  record: MountRecord | undefined,
): Promise<boolean> {
  // Another mount has another number as long as that one is there.
  if (record === undefined || (record.deviceMinor ?? deviceMinor) !== deviceMinor) return false;
  if (!(await lingers(record.daemon))) return false;
  await forceUnmount(mountPoint);
  await untilLetGo(record.daemon);
  return true;
}

/** Where nobody may abort the connection it stays. */
async function untilLetGo(daemon: ProcessIdentity): Promise<void> {
  const deadline = systemClock.monotonic() + END_TIMEOUT_MS;
  while ((await lingers(daemon)) && systemClock.monotonic() < deadline) await systemClock.sleep(POLL_MS);
}
