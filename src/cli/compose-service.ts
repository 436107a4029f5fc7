import type { FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { secretKeysGiven } from '../config/secret-key.ts';
import type { ServeOptions } from '../config/serve-options.ts';
import { errorCode } from '../lib/error-code.ts';
import { lockFile } from '../lib/lock-file.ts';
import { messageOf } from '../lib/message-of.ts';
import { createLogger, type Logger } from '../observe/logger.ts';
import { DemoError, fillWithDemo } from '../service/demo/fill-with-demo.ts';
import { MissingProgramError } from '../service/demo/program.ts';
import {
  type RunningService,
  type RunningWorkers,
  startService,
  startWorkers,
} from '../service/start-service.ts';
import type { S3BlobsPlace } from '../service/storage/blobs/s3-blobs-place.ts';
import { BucketError } from '../service/storage/objects/bucket-error.ts';
import { databaseFailure } from '../service/store/database-failure.ts';
import { CliError } from './exit-codes.ts';
import { DATA_DIRECTORY_FAILS, makeOwnDirectory } from './make-own-directory.ts';
import { taskService } from './task-service.ts';

const STDERR = 2;

type Options = ServeOptions & { readonly data: string };

/**
 * The service on a data directory, in this process, or that part of it which is the process's role. Rejects with one line
 * that says why it cannot be.
 */
export async function composeService(options: Options): Promise<RunningService | RunningWorkers> {
  const service = await start(options);
  try {
    if (options.demo) {
      await fillWithDemo(service.services, { dataDir: options.data, log: (line) => console.error(line) });
    }
    return service;
  } catch (error) {
    await service.close();
    if (!(error instanceof DemoError || error instanceof MissingProgramError)) throw error;
    throw new CliError('serviceFailed', error.message, { cause: error });
  }
}

async function start(options: Options): Promise<RunningService | RunningWorkers> {
  const { data, database, role, listen, rateLimit, secretKeyFile, allowEndpoint } = options;
  const tasks = await taskService(options, process.env);
  await makeOwnDirectory(data, DATA_DIRECTORY_FAILS);
  if (tasks?.directory !== undefined) {
    await makeOwnDirectory(resolve(tasks.directory), {
      exit: 'serviceFailed',
      remedy: 'give another with --task-dir',
    });
  }
  const logger = createLogger({
    fd: STDERR,
    level: options.logLevel,
    format: options.logFormat,
  });
  let lock: FileHandle | undefined;
  try {
    if (database === undefined) lock = await lockData(data, logger);
    const common = {
      dataDir: data,
      databaseUrl: database,
      blobs: blobsPlace(options),
      volumeEndpoint: options.volumeEndpoint,
      stsEndpoint: options.s3StsEndpoint,
      secretKeys: secretKeysGiven(secretKeyFile, process.env),
      allowedEndpoints: allowEndpoint,
      auditDays: options.auditDays,
      rateLimit:
        rateLimit === 'off' ? rateLimit : { requests: rateLimit.requests, seconds: rateLimit.windowSeconds },
      monitor: options.monitor,
      shutdownSeconds: options.shutdownTimeout,
      leaseSeconds: options.jobLease,
      uploadDays: options.uploadDays,
      blobGraceSeconds: options.blobGrace,
      tasks,
      logger,
    };
    if (role === 'worker') return whileLocked(await startWorkers(common), lock);
    const { internalStats, clientTimeout, clientRate } = options;
    const service = await startService({
      ...common,
      ...listen,
      workers: role === 'all',
      internalStats,
      trustedProxies: options.trustedProxy,
      accelRedirect: options.accelRedirect,
      clientLimits: {
        headSeconds: clientTimeout,
        bodyWindowSeconds: clientTimeout,
        bodyBytesPerSecond: clientRate,
      },
    });
    return whileLocked(service, lock);
  } catch (error) {
    await lock?.close();
    throw new CliError('serviceFailed', reasonOf(error, options), { cause: error });
  }
}

/** The same, which lets go of the lock when it is closed. */
function whileLocked<Running extends RunningWorkers>(
  running: Running,
  lock: FileHandle | undefined,
): Running {
  if (lock === undefined) return running;
  return { ...running, close: () => running.close().finally(() => lock.close()) };
}

function blobsPlace(options: Options): S3BlobsPlace | undefined {
  const { blobs, s3Endpoint: endpoint, s3PublicEndpoint: publicEndpoint, s3Region: region } = options;
  const pathStyle = { auto: undefined, always: true, never: false }[options.s3PathStyle];
  return blobs && { ...blobs, endpoint, publicEndpoint, region, pathStyle };
}

function reasonOf(error: unknown, { data, blobs, listen, monitor }: Options): string {
  if (error instanceof BucketError)
    return `cannot keep blobs in the bucket ${blobs?.bucket}: ${error.message}`;
  if (databaseFailure(error) === 'unreachable') {
    return `the database cannot be reached: ${messageOf((error as Error).cause)}`;
  }
  const message = messageOf(error);
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return monitor !== undefined && portOf(error) === monitor.port
        ? `${monitor.host}:${monitor.port} is in use; give another with --monitor, or port 0`
        : `${listen.host}:${listen.port} is in use; give another with --listen, or port 0`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${listen.host} is no address of this machine`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
      return `cannot use ${data}, or listen on ${listen.host}:${listen.port}: ${message}`;
    default:
      return `the service cannot start on ${data}: ${message}`;
  }
}

function portOf(error: unknown): number | undefined {
  return (error as { port?: number }).port;
}

/** A process that was killed, or has just ended, is gone by then. */
const WAIT_SECONDS = 2;

/**
 * Keeps a second process from a data directory whose database is SQLite's. Each of the two would count the requests of a
 * token alone. Each would wait while the other writes, and would fill an empty directory with the same demo. Two machines
 * that share the directory would destroy the database: its log is no log between machines (sqlite.org/wal.html).
 *
 * @returns The lock, for as long as it is open; undefined where nothing can be locked
 */
async function lockData(data: string, log: Logger): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await lockFile(join(data, 'lock'), WAIT_SECONDS);
  } catch (err) {
    log.warn({ err }, 'nothing can be locked here: no other process may serve this data directory');
    return undefined;
  }
  if (handle !== undefined) return handle;
  throw new Error(
    'another svcfs serve works on it, here or on a machine that shares it; several processes need a PostgreSQL database (--database)',
  );
}
