import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { mountDirectory, stateDirectory } from '../../config/directories.ts';
import type { MountedFileSystem } from '../../fuse/mount-table.ts';
import { errorCode } from '../../lib/error-code.ts';
import { isRunning } from '../../lib/process-identity.ts';
import { CliError } from '../exit-codes.ts';
import { findMount } from '../mount/find-mount.ts';
import { describeMountUse } from '../mount/mount-users.ts';
import { unmount } from '../mount/unmount.ts';
import { whileUnmounting } from '../progress/while-unmounting.ts';
import { type DemoRecord, type MountRecord, readRecord } from '../record.ts';
import { untilGone } from '../until-gone.ts';
import { clearDemo, type DemoPlace } from './clear-demo.ts';
import { lockDemo } from './lock-demo.ts';

export interface StopListener {
  /** The programs that lose files, a line each: the demo ends all the same. */
  readonly onBusy: (users: string) => void;
}

interface FoundDemo {
  readonly place: DemoPlace;
  readonly mounted: MountedFileSystem | undefined;
}

const SHOWN = { quiet: false, json: false } as const;
const END_TIMEOUT_MS = 10_000;

/** Ends the demo at a mount point; answers where its data stays. */
export async function stopDemo(path: string, listener: StopListener): Promise<string> {
  const { place, mounted } = await findDemo(path);
  const lock = await lockDemo(place);
  try {
    return await stopAt(path, { place, mounted }, listener);
  } finally {
    await lock.unlock();
  }
}

async function stopAt(path: string, { place, mounted }: FoundDemo, listener: StopListener): Promise<string> {
  const record = await readRecord<DemoRecord>(place.directory.demoRecord);
  if (record?.service === undefined) {
    const hint = mounted ? ': it is a mount without a demo; use svcfs unmount' : '';
    throw new CliError('notMounted', `no demo at ${path}${hint}`);
  }
  const mount = mounted && { ...place, deviceMinor: mounted.deviceMinor };
  const answer =
    mount && (await whileUnmounting(mount, SHOWN, (onWaiting) => unmount(mount, onWaiting))).answer;
  if (answer === 'busy' || answer === 'held') {
    listener.onBusy(await describeMountUse(place.mountPoint));
    await endDaemon(place);
  }
  await clearDemo(place, record);
  return record.data;
}

/** Told to end by a signal, it takes the mount away even while programs use it. */
async function endDaemon({ directory }: DemoPlace): Promise<void> {
  const record = await readRecord<MountRecord>(directory.record);
  if (record === undefined || !(await isRunning(record.daemon))) return;
  process.kill(record.daemon.pid, 'SIGTERM');
  await untilGone(record.daemon, END_TIMEOUT_MS);
}

async function findDemo(path: string): Promise<FoundDemo> {
  const found = await findMount(path).catch((error: unknown) => {
    if (error instanceof CliError && errorCode(error.cause) === 'ENOENT')
      return { mountPoint: resolve(path), mounted: undefined };
    throw error;
  });
  const { mountPoint, mounted } = found;
  const directory = mountDirectory(stateDirectory(process.env, homedir()), mountPoint);
  return { place: { mountPoint, directory }, mounted };
}
