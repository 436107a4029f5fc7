import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { MOUNT_OPTIONS } from '../../config/mount-options.ts';
import type { Daemon } from '../mount/start-daemon.ts';
import { chooseMountPoint, startMount } from '../mount/start-mount.ts';
import { type DemoRecord, readRecord, writeRecord } from '../record.ts';
import { clearDemo, type DemoPlace, stopService } from './clear-demo.ts';
import { type DemoService, startDemoService } from './start-demo-service.ts';

export interface DemoRequest {
  readonly path: string;
  /** Default: a directory that belongs to the mount point. */
  readonly data: string | undefined;
  /** The mount ends with this process. */
  readonly tied: boolean;
  readonly onProgress: (line: string) => void;
}

export interface RunningDemo extends DemoPlace {
  readonly record: DemoRecord;
  readonly service: DemoService;
  readonly daemon: Daemon;
}

/** Service with demo content, and a mount of it. Leaves nothing running when it fails. */
export async function startDemo(request: DemoRequest): Promise<RunningDemo> {
  const path = resolve(request.path);
  const madeMountPoint = await makeDirectory(path);
  const ownData = request.data === undefined ? [] : [{ what: 'service data', path: resolve(request.data) }];
  const place = await chooseMountPoint(path, ownData);
  const { directory } = place;
  const previous = await readRecord<DemoRecord>(directory.demoRecord);
  // Its mount was killed, or there would be one now.
  if (previous?.service !== undefined) await stopService(previous.service);
  const data = resolve(request.data ?? directory.demoData);
  await mkdir(data, { recursive: true, mode: 0o700 });
  request.onProgress(`starting the service on ${data} (the first time it makes its content: some seconds)`);
  const service = await startDemoService({ data, log: directory.serviceLog, preferredPort: previous?.port });
  const record = { service: service.identity, port: service.port, data, madeMountPoint };
  await writeRecord(directory.demoRecord, record);
  try {
    const { daemon } = await startMount({
      path,
      credentials: {
        endpoint: service.url,
        token: (await readFile(join(data, 'demo-token'), 'utf8')).trim(),
      },
      options: defaultMountOptions(),
      tied: request.tied,
    });
    return { ...place, record, service, daemon };
  } catch (error) {
    await clearDemo(place, record);
    throw error;
  }
}

/** False when it was there, or cannot be made: mounting says why. */
async function makeDirectory(path: string): Promise<boolean> {
  try {
    return (await mkdir(path, { recursive: true })) !== undefined;
  } catch {
    return false;
  }
}

function defaultMountOptions(): Parameters<typeof startMount>[0]['options'] {
  const { readOnly, driver, metadataTtl, retryTimeout, logLevel } = MOUNT_OPTIONS;
  return {
    readOnly: readOnly.default,
    driver: driver.default,
    metadataTtl: metadataTtl.default,
    retryTimeout: retryTimeout.default,
    logLevel: logLevel.default,
  };
}
