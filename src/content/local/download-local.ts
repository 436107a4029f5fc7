/**
 * Files of the platform to this machine. The bytes come in parallel ranges and are written one after the other beside
 * their place; under the name there is nothing before all of it is there, and is what the store has.
 */
import { stat } from 'node:fs/promises';
import type { Api } from '../../api/api.ts';
import type { FileRecord } from '../../api/model.ts';
import type { StorageClient } from '../../api/storage-client.ts';
import { errorCode } from '../../lib/error-code.ts';
import { versionOfFile } from '../content-version.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { ContentError, type ContentReader, type ContentVersion, type OpenVersion } from '../ports.ts';
import { contentLink } from '../read/content-link.ts';
import { type ReadRange, sameBytes } from '../write/upload/same-bytes.ts';
import { LocalSource } from './local-source.ts';
import { type LocalAttributes, PartialFile } from './partial-file.ts';
import { isOfEtag, sameContent } from './same-content.ts';
import type { LocalCopying } from './upload-local.ts';

const MIB = 1024 * 1024;
/** Up to here a file comes in one range. */
const SMALL_BYTES = 4 * MIB;
const PIECE_BYTES = MIB;

export interface LocalDownloadsContext {
  readonly api: Pick<Api, 'capabilities' | 'isKnownToOffer' | 'files' | 'volumes' | 'buckets'>;
  readonly storage: StorageClient;
  readonly reader: ContentReader;
  readonly memory: MemoryPool;
}

export interface LocalDownload {
  readonly file: FileRecord;
  readonly path: string;
  readonly attributes: LocalAttributes;
}

export class LocalDownloads {
  readonly #context: LocalDownloadsContext;

  constructor(context: LocalDownloadsContext) {
    this.#context = context;
  }

  /** Rejects with the system's error, a `ContentError`, or as the API does. An aborted signal leaves what came to the next run. */
  async download({ file, path, attributes }: LocalDownload, copying: LocalCopying): Promise<void> {
    const version = versionOfFile(file);
    if (version.sizeBytes <= SMALL_BYTES) {
      await this.#into(await PartialFile.begin(path, version), { path, attributes }, (partial) =>
        this.#small(version, partial, copying),
      );
      return;
    }
    const view = this.#context.reader.open(version);
    try {
      const pinned = await pinnedBy(view, copying.signal);
      await this.#into(await PartialFile.resume(path, pinned), { path, attributes }, (partial) =>
        this.#large(view, partial, copying),
      );
    } finally {
      view.close();
    }
  }

  async #into(
    partial: PartialFile,
    { path, attributes }: Pick<LocalDownload, 'path' | 'attributes'>,
    fetch: (partial: PartialFile) => Promise<void>,
  ): Promise<void> {
    try {
      await fetch(partial);
      await partial.finish(path, attributes);
    } catch (error) {
      await (isOfNoUse(error) || partial.sizeBytes < SMALL_BYTES ? partial.discard() : partial.close());
      throw error;
    }
  }

  /** Whether a file of this machine has the content of one of the platform. */
  async isSame(path: string, file: FileRecord, signal: AbortSignal): Promise<boolean> {
    const { size } = await stat(path);
    if (size !== file.sizeBytes) return false;
    if (size === 0) return true;
    const source = await LocalSource.open(path);
    const view = this.#context.reader.open(versionOfFile(file));
    try {
      const local: ReadRange = async ({ start, end }) => {
        const bytes = Buffer.allocUnsafe(end - start);
        await source.readInto(start, bytes);
        return { chunks: [bytes] };
      };
      const { etag } = await view.inspect(signal);
      const read: ReadRange = ({ start, end }) => view.read(start, end - start, { signal });
      return await sameContent(size, local, { etag, read });
    } finally {
      view.close();
      await source.close();
    }
  }

  async #small(
    version: ContentVersion,
    partial: PartialFile,
    { signal, onProgress }: LocalCopying,
  ): Promise<void> {
    const { api, storage, memory } = this.#context;
    if (version.sizeBytes === 0) return;
    const { url } = await contentLink(api, version);
    const buffer = await memory.acquire(version.sizeBytes, signal);
    try {
      const into = buffer.subarray(0, version.sizeBytes);
      const answer = await storage.getRange(url, { offset: 0, into }, signal);
      if (answer.objectSizeBytes !== undefined && answer.objectSizeBytes !== version.sizeBytes)
        throw new ContentError('changed', 'it was replaced while it was fetched');
      const local: ReadRange = ({ start, end }) => ({ chunks: [into.subarray(start, end)] });
      await this.#requireSame(version, answer, local, signal);
      await partial.append(into);
      onProgress(into.length);
    } finally {
      memory.release(buffer);
    }
  }

  async #large(view: OpenVersion, partial: PartialFile, { signal, onProgress }: LocalCopying): Promise<void> {
    const { version } = view;
    onProgress(partial.sizeBytes);
    while (partial.sizeBytes < version.sizeBytes) {
      signal.throwIfAborted();
      const before = partial.sizeBytes;
      const { chunks, release } = await view.read(before, PIECE_BYTES, { signal });
      try {
        for (const chunk of chunks) await partial.append(chunk);
      } finally {
        release?.();
      }
      if (partial.sizeBytes === before)
        throw new ContentError('failed', `it ends after ${before} of ${version.sizeBytes} bytes`);
      onProgress(partial.sizeBytes - before);
    }
    const local: ReadRange = async ({ start, end }) => {
      const bytes = Buffer.allocUnsafe(end - start);
      await partial.read(start, bytes);
      return { chunks: [bytes] };
    };
    await this.#requireSame(version, await view.inspect(signal), local, signal);
  }

  /**
   * Compares what came with the MD5 that the store tells, where it tells one. An ETag that looks like an MD5 may be something
   * else: another look at the bytes decides when they do not fit.
   */
  async #requireSame(
    version: ContentVersion,
    { md5 }: { readonly md5?: string | undefined },
    local: ReadRange,
    signal: AbortSignal,
  ): Promise<void> {
    const { sizeBytes } = version;
    if (md5 === undefined || (await isOfEtag(sizeBytes, local, md5))) return;
    const { api, storage } = this.#context;
    const { url } = await contentLink(api, version);
    const again: ReadRange = async ({ start, end }) => {
      const into = Buffer.allocUnsafe(end - start);
      await storage.getRange(url, { offset: start, into }, signal);
      return { chunks: [into] };
    };
    if (!(await sameBytes(sizeBytes, local, again)))
      throw new ContentError(
        'changed',
        'it arrived damaged: it has not the MD5 that the store tells; copy it again',
      );
  }
}

/** The content behind an alias may change: its validator tells which it is. */
async function pinnedBy(view: OpenVersion, signal: AbortSignal): Promise<ContentVersion> {
  const { version } = view;
  if (version.kind !== 'alias') return version;
  const { etag, sizeBytes } = await view.inspect(signal);
  if (sizeBytes !== version.sizeBytes)
    throw new ContentError('changed', `the object behind it is ${sizeBytes} bytes long now: copy it again`);
  return { ...version, etag };
}

/** This machine has no room for what came, or it is not what was wanted. */
function isOfNoUse(error: unknown): boolean {
  if (error instanceof ContentError) return error.kind === 'changed';
  return ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'].includes(errorCode(error) ?? '');
}
