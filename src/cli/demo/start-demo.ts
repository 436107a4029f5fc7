import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MOUNT_OPTIONS } from '../../config/mount-options.ts';
import { DIRECTLY } from '../../config/network.ts';
import { defaultsOf } from '../../config/option.ts';
import { prepareMountPoint } from '../../fuse/mount-point.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import type { ProcessIdentity } from '../../lib/process-identity.ts';
import { isUnfinished } from '../../service/demo/unfinished-demo.ts';
import { CliError } from '../exit-codes.ts';
import { DATA_DIRECTORY_FAILS, makeOwnDirectory, STATE_DIRECTORY_FAILS } from '../make-own-directory.ts';
import { clearDeadMount } from '../mount/clear-dead-mount.ts';
import type { StateLock } from '../mount/lock-state.ts';
import type { Daemon } from '../mount/start-daemon.ts';
import { chooseMountPoint, startMount } from '../mount/start-mount.ts';
import { type DemoRecord, readRecord, writeRecord } from '../record.ts';
import { requireOpenFiles } from '../require-open-files.ts';
import { requireOwnState } from '../require-own-state.ts';
import { sayRateWait } from '../say-waits.ts';
import { clearDemo, type DemoPlace, removeMountPoint, stopService } from './clear-demo.ts';
import { lockDemo } from './lock-demo.ts';
import { type DemoService, startDemoService } from './start-demo-service.ts';

/** One of the demo's own: so that a demo can write to its volumes. */
const STAGING_PROJECT = 'demo/rna-seq-study';

export interface DemoRequest {
  readonly path: string;
  /** Default: a directory that belongs to the mount point. */
  readonly data: string | undefined;
  /** The mount ends with this process. */
  readonly tied: boolean;
  readonly onProgress: (line: string) => void;
  /** Ends the start. */
  readonly signal: AbortSignal;
}

export interface RunningDemo extends DemoPlace {
  readonly record: DemoRecord;
  readonly service: DemoService;
  readonly daemon: Daemon;
}

/** Service with demo content, and a mount of it. When it fails, nothing is left of it. */
export async function startDemo(request: DemoRequest): Promise<RunningDemo> {
  const path = resolve(request.path);
  await requireOpenFiles();
  await clearDeadMount(path);
  const madeMountPoint = await makeDirectory(path);
  const ownData = request.data === undefined ? [] : [{ what: 'service data', path: resolve(request.data) }];
  const place = await chooseMountPoint(path, ownData);
  let lock: StateLock | undefined;
  let record: DemoRecord | undefined;
  try {
    await makeOwnDirectory(place.directory.root, STATE_DIRECTORY_FAILS);
    await requireOwnState(place.directory);
    lock = await lockDemo(place);
    // The command that had the lock may have mounted.
    await prepareMountPoint(path);
    const service = await startService(request, place, madeMountPoint);
    const { data, identity, port } = service;
    record = { service: identity, port, data, madeMountPoint };
    await writeRecord(place.directory.demoRecord, record);
    request.signal.throwIfAborted();
    const { daemon } = await startMount({
      path,
      credentials: {
        endpoint: service.url,
        token: (await readFile(join(data, 'demo-token'), 'utf8')).trim(),
        dialect: { dialect: 'svc', settled: true },
      },
      options: { ...defaultsOf(MOUNT_OPTIONS), stagingProject: STAGING_PROJECT },
      network: DIRECTLY,
      buckets: [],
      tied: request.tied,
      onWait: sayRateWait,
    });
    return { ...place, record, service, daemon };
  } catch (error) {
    if (record !== undefined) await clearDemo(place, record);
    else if (madeMountPoint) await removeMountPoint(place.mountPoint);
    throw request.signal.aborted ? new CliError('failure', 'interrupted', { cause: error }) : error;
  } finally {
    await lock?.unlock();
  }
}

async function startService(
  { data: givenData, onProgress, signal }: DemoRequest,
  { directory }: DemoPlace,
  madeMountPoint: boolean,
): Promise<DemoService & { readonly data: string }> {
  const { demoRecord, serviceLog: log } = directory;
  const previous = await readRecord<DemoRecord>(demoRecord);
  // Its mount was killed, or there would be one now; or the command that started it.
  if (previous?.service !== undefined) await stopService(previous.service);
  const data = resolve(givenData ?? directory.demoData);
  const begun = previous?.unfinished === true && previous.data === data;
  if (begun && (await isUnfinished(data))) await rm(data, { recursive: true, force: true });
  const madeData = await makeOwnDirectory(data, DATA_DIRECTORY_FAILS);
  if (madeData) onProgress('making the demo content: some seconds, the first time only');
  const port = previous?.port;
  // Should this process be killed, the next one finds what it began.
  const onProcess = (service: ProcessIdentity | undefined): Promise<void> =>
    writeRecord(demoRecord, { service, port, data, madeMountPoint, unfinished: madeData || begun });
  try {
    return { data, ...(await startDemoService({ data, log, preferredPort: port, onProcess, signal })) };
  } catch (error) {
    // Half of the content is good for nothing.
    if (madeData) await rm(data, { recursive: true, force: true });
    const ended = { service: undefined, port, data, madeMountPoint: false };
    await writeRecord(demoRecord, ended).catch(() => undefined);
    throw error;
  }
}

/** False when it was there, or cannot be made: mounting says why. */
async function makeDirectory(path: string): Promise<boolean> {
  try {
    return (await makeDirectories(path)) !== undefined;
  } catch {
    return false;
  }
}
