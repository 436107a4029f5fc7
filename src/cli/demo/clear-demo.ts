import { rmdir } from 'node:fs/promises';
import type { MountDirectory } from '../../config/directories.ts';
import { errorCode } from '../../lib/error-code.ts';
import { isRunning, type ProcessIdentity } from '../../lib/process-identity.ts';
import { type DemoRecord, readRecord, writeRecord } from '../record.ts';
import { untilGone } from '../until-gone.ts';
import { lockDemo } from './lock-demo.ts';

export interface DemoPlace {
  readonly mountPoint: string;
  readonly directory: MountDirectory;
}

/** Answering its last requests; an upload's part may take a while. */
const SERVICE_END_TIMEOUT_MS = 10_000;

/** After the mount is gone: ends the service and takes away what the demo made, except for its data. */
export async function clearDemo(place: DemoPlace, record: DemoRecord): Promise<void> {
  if (record.service !== undefined) await stopService(record.service);
  await writeRecord(place.directory.demoRecord, { ...record, service: undefined, madeMountPoint: false });
  if (record.madeMountPoint) await removeMountPoint(place.mountPoint);
}

/** As `clearDemo`, for the command that started the demo, unless another one ends it or has begun the next. */
export async function clearOwnDemo(place: DemoPlace, record: DemoRecord): Promise<void> {
  const lock = await lockDemo(place).catch(() => undefined);
  try {
    const now = await readRecord<DemoRecord>(place.directory.demoRecord);
    const isOwn = now?.service === undefined || now.service.pid === record.service?.pid;
    if (lock !== undefined && isOwn) await clearDemo(place, record);
  } finally {
    await lock?.unlock();
  }
}

export async function stopService(service: ProcessIdentity): Promise<void> {
  if (!(await isRunning(service))) return;
  process.kill(service.pid, 'SIGTERM');
  if (await untilGone(service, SERVICE_END_TIMEOUT_MS)) return;
  process.kill(service.pid, 'SIGKILL');
  await untilGone(service, SERVICE_END_TIMEOUT_MS);
}

/** Only the directory itself, and only when nobody put anything in, nor mounted anything there (or has not unmounted yet). */
export async function removeMountPoint(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EBUSY') throw error;
  }
}
