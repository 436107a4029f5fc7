/** Carries bytes between this machine and a platform for one command, straight to and from its store. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Api } from '../../api/api.ts';
import { NO_BUCKETS } from '../../api/buckets/no-buckets.ts';
import { createStorageClient } from '../../api/create-storage-client.ts';
import { StorageError } from '../../api/errors.ts';
import type { Capability, FileRecord } from '../../api/model.ts';
import { Network } from '../../api/network/network.ts';
import { type ByteCarrier, FileRefusedError } from '../../batch/run/run-context.ts';
import { stateDirectory } from '../../config/directories.ts';
import { resolveNetwork } from '../../config/network.ts';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { LocalDownloads } from '../../content/local/download-local.ts';
import { UnfinishedUploads } from '../../content/local/unfinished-uploads.ts';
import { requestsToUpload } from '../../content/local/upload-cost.ts';
import { LocalUploads } from '../../content/local/upload-local.ts';
import { MemoryPool } from '../../content/memory/memory-pool.ts';
import { ContentError } from '../../content/ports.ts';
import { createContentReader } from '../../content/read/content-reader.ts';
import { PartSender } from '../../content/write/parts/part-sender.ts';
import { UploadAborts } from '../../content/write/upload/upload-aborts.ts';
import { systemClock } from '../../lib/clock.ts';
import { plainReason } from '../../lib/plain-reason.ts';
import { userPairs } from '../../metadata/own-pairs.ts';
import { readReservedPairs, reservedPairs } from '../../vfs/attributes/reserved-pairs.ts';
import { makeOwnDirectory, STATE_DIRECTORY_FAILS } from '../make-own-directory.ts';
import type { Platform } from '../platform/platform.ts';

const MEMORY_BYTES = 256 * 2 ** 20;
/** The pair by which mounts tell the MD5 of a content: of the one that is replaced. */
const MD5_PAIR = 'md5_sum';

export interface LocalCarrier extends ByteCarrier {
  requestsToUpload(sizeBytes: number, annotated: boolean): number;
  /** Whether a file of this machine has the content of one of the platform. */
  isSame(path: string, file: FileRecord, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

export async function byteCarrier(platform: Platform, options: PlatformOptions): Promise<LocalCarrier> {
  const endpoint = await platform.endpoint();
  const directory = join(stateDirectory(process.env, homedir()), 'transfers');
  await makeOwnDirectory(directory, STATE_DIRECTORY_FAILS);
  const clock = systemClock;
  const unfinished = new UnfinishedUploads(directory);
  await unfinished.sweep(clock.now());
  const capabilities = await platform.api.capabilities();
  const api = readingApi(platform, capabilities);
  const network = new Network(await resolveNetwork({ ...options, environment: process.env }, endpoint));
  const storage = createStorageClient({ clock, network });
  const memory = new MemoryPool(MEMORY_BYTES);
  const reader = createContentReader({ api, storage, memory, clock });
  const aborts = new UploadAborts(api, clock);
  const sender = new PartSender({ api, storage, memory, clock, partsInFlight: undefined });
  const uploads = new LocalUploads({ api, sender, aborts, memory, reader, unfinished, clock, endpoint });
  const downloads = new LocalDownloads({ api, storage, reader, memory });
  return {
    upload: async ({ path, replaced, pairs }, { parent, name }, carrying) => {
      const target = { parent, name, overwrite: replaced !== undefined, replaces: replaced?.id };
      await explained(
        uploads.upload({ path, target, annotations: annotationsOf(replaced, pairs) }, carrying),
      );
    },
    download: async ({ file, path, mode, mtimeMs }, carrying) =>
      explained(downloads.download({ file, path, attributes: { mode, mtimeMs } }, carrying)),
    requestsToUpload: (sizeBytes, annotated) =>
      requestsToUpload(sizeBytes, { inline: capabilities.has('upload_inline'), annotated }),
    isSame: (path, file, signal) => downloads.isSame(path, file, signal),
    close: async () => {
      await aborts.close();
      await storage.close();
    },
  };
}

/** The API of a platform, as far as carrying takes it. It asks for nothing that only the process of a mount knows. */
function readingApi({ api }: Platform, capabilities: ReadonlySet<Capability>) {
  return {
    ...api,
    isKnownToOffer: (capability: Capability): boolean =>
      capability !== 'download_info_file' && capabilities.has(capability),
    downloadOrigin: () => undefined,
    buckets: NO_BUCKETS,
  } satisfies Partial<Api>;
}

/** A new file in the place of another has its tags, pairs, mode and owner: not what told of the other's content. */
function annotationsOf(replaced: FileRecord | undefined, pairs: Readonly<Record<string, string>>) {
  if (replaced === undefined)
    return Object.keys(pairs).length === 0 ? undefined : { metadata: pairs, tags: undefined };
  const { [MD5_PAIR]: _, ...kept } = userPairs(replaced.metadata);
  const { mtimeNs: __, ...own } = readReservedPairs(replaced.metadata);
  return { metadata: { ...kept, ...reservedPairs(own), ...pairs }, tags: replaced.tags };
}

/** What concerns the file alone is told as that. */
async function explained(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    const isOfContent = error instanceof ContentError && !isOfStore(error.cause);
    const isOfSystem = error instanceof Error && 'syscall' in error && 'path' in error;
    const isOfDisk =
      error instanceof Error &&
      'syscall' in error &&
      ['read', 'write', 'fdatasync'].includes(String(error.syscall));
    if (isOfContent || isOfSystem || isOfDisk || (error instanceof StorageError && !isOfStore(error)))
      throw new FileRefusedError(plainReason(error), { cause: error });
    throw error;
  }
}

/** The store does not answer. */
function isOfStore(error: unknown): boolean {
  return error instanceof StorageError && error.kind === 'failed' && error.status === undefined;
}
