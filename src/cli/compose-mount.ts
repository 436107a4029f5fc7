import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type ApiClient, createApi } from '../api/create-api.ts';
import { createStorageClient } from '../api/create-storage-client.ts';
import { MemoryPool } from '../content/memory/memory-pool.ts';
import type { ContentWriter } from '../content/ports.ts';
import { createContentReader } from '../content/read/content-reader.ts';
import { createContentWriter } from '../content/write/content-writer.ts';
import { mountFuseNative } from '../fuse/fuse-native-driver.ts';
import type { Driver, Mount } from '../fuse/mount.ts';
import { MountError } from '../fuse/mount-error.ts';
import { mountNative } from '../fuse/mount-native.ts';
import { createJobs } from '../jobs/create-jobs.ts';
import { systemClock } from '../lib/clock.ts';
import { errnoNumber } from '../lib/errno.ts';
import type { Logger } from '../observe/logger.ts';
import { OperationCounts } from '../observe/operation-counts.ts';
import { createFileSystem, type MountedFileSystem } from '../vfs/create-file-system.ts';
import { errnoOf } from '../vfs/errno-of.ts';
import type { MountSettings } from './mount/daemon-messages.ts';
import { findStaging } from './mount/find-staging.ts';
import type { RunningMount } from './mount/running-mount.ts';
import { packageVersion } from './package-version.ts';

/** For cached blocks and parts on their way, together. */
const MEMORY_BYTES = 512 * 1024 * 1024;

const DRIVERS: Readonly<Record<MountSettings['options']['driver'], Driver>> = {
  native: mountNative,
  'fuse-native': mountFuseNative,
};

interface MountContext {
  readonly log: Logger;
  readonly username: string;
}

/** The mount put together: client, bytes, jobs, file system, kernel. */
export async function composeMount(settings: MountSettings, context: MountContext): Promise<RunningMount> {
  const { endpoint, token, options } = settings;
  const clock = systemClock;
  const operations = new OperationCounts();
  const limits = { timeoutMs: options.retryTimeout };
  const api = createApi({ endpoint, token, clock, limits });
  const storage = createStorageClient({ clock, limits });
  const state = stateOfAccount(settings, context.username);
  const memory = new MemoryPool(MEMORY_BYTES);
  const reader = createContentReader({ api, storage, memory, clock });
  const writer = createContentWriter({
    api,
    storage,
    reader,
    memory,
    clock,
    directory: join(state, 'uploads'),
  });
  const files = await createFileSystem({
    api,
    reader,
    writer,
    jobs: createJobs({ api, clock }),
    clock,
    log: context.log,
    options: { metadataTtlMs: options.metadataTtl, readOnly: options.readOnly },
    stateDirectory: state,
    information: information(settings, { api, operations }),
    staging:
      options.stagingProject === undefined ? undefined : await findStaging(api, options.stagingProject),
  });
  await recover(writer, files, context.log);
  const mount = await DRIVERS[options.driver](files.fileSystem, {
    mountPoint: settings.mountPoint,
    fsName: `svcfs:${new URL(endpoint).host}`,
    readOnly: options.readOnly,
    errnoOf: (error) => errnoNumber(errnoOf(error)),
    observer: {
      onReply: ({ operation, errno, durationMs }) =>
        operations.add(operation, { failed: errno !== 0, ms: durationMs }),
    },
  });
  return {
    pending: () =>
      writer.uploads().flatMap(({ label, state: upload }) => (upload === 'publishing' ? [label] : [])),
    idle: (signal) => files.idle(signal),
    unmount: () => unmountUnlessBusy(mount),
    detachNow: () => mount.detachNow(),
    closed: mount.closed,
    close: async () => {
      await files.close();
      await writer.close();
      await Promise.all([api.close(), storage.close()]);
    },
  };
}

/** What one account left unfinished is no business of another at the same mount point. */
function stateOfAccount({ directory, endpoint }: MountSettings, username: string): string {
  const account = createHash('sha256').update(`${endpoint}\0${username}`).digest('hex').slice(0, 8);
  return join(directory.accounts, account);
}

function information(
  settings: MountSettings,
  { api, operations }: { readonly api: ApiClient; readonly operations: OperationCounts },
): Parameters<typeof createFileSystem>[0]['information'] {
  const { endpoint, mountPoint, options, directory } = settings;
  return {
    version: packageVersion(),
    config: { endpoint, mountPoint, log: directory.log, ...options },
    statistics: () => ({ api: api.status(), operations: operations.snapshot() }),
  };
}

/** Goes on with what an ended mount left unfinished, before anything new begins. */
async function recover(writer: ContentWriter, files: MountedFileSystem, log: Logger): Promise<void> {
  await files.recover();
  for (const { label, outcome } of await writer.recover()) {
    if (outcome.kind === 'kept') {
      log.warn({ path: label, kept: outcome.path, reason: outcome.reason }, 'unfinished file kept');
      continue;
    }
    log.info({ path: label }, 'upload goes on');
    outcome.done.then(
      (file) => log.info({ path: label, file: file.id }, 'upload finished'),
      (error: unknown) => log.error({ path: label, err: error }, 'upload failed'),
    );
  }
}

async function unmountUnlessBusy(mount: Mount): Promise<boolean> {
  try {
    await mount.unmount();
    return true;
  } catch (error) {
    if (error instanceof MountError && error.kind === 'busy') return false;
    throw error;
  }
}
