/**
 * Blobs in a directory of the local file system.
 *
 *     uploads/<key>/<part number>/<md5>    parts of an upload, each written under a temporary name and renamed
 *     blobs/<k>/<key>                      a blob: one file, or a directory of parts with a manifest that orders them
 *
 * Completing an upload renames and rewrites no byte: the directory of the upload becomes the blob; reads span the parts, until
 * they are joined (`join-parts.ts`).
 * A part is durable before its PUT is answered, and a blob before its completion is.
 */
import { access, constants, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { OBJECT_SIZE_MAX, PART_SIZE_MAX } from '../../../contract/limits.ts';
import { errorCode } from '../../../lib/error-code.ts';
import { GroupSync } from '../../../lib/group-sync.ts';
import { isRandomId, randomId } from '../../../lib/random-id.ts';
import { entriesOf, removeUnchanged } from '../../../lib/remove-unchanged.ts';
import { syncDirectory } from '../../../lib/sync.ts';
import type { SignedAddress } from '../objects/byte-source.ts';
import { copyFileDurably, makeDirectory } from '../objects/durable-file.ts';
import type { Remains } from '../objects/remains.ts';
import {
  asideOf,
  missingSegment,
  readLayout,
  renameDurably,
  type Segment,
  writeManifest,
} from './blob-layout.ts';
import {
  type BlobStore,
  MissingPartError,
  type OpenBlob,
  type PartedBlob,
  type PartName,
  type StoredBlob,
  type UploadTarget,
} from './blob-store.ts';
import { combinedEtag } from './combined-etag.ts';
import { DirectoryBlob } from './directory-blob.ts';
import { JOINING, joinParts } from './join-parts.ts';
import { PartedBlobs } from './parted-blobs.ts';
import { receiveBytes } from './receive-bytes.ts';
import { uploadRemains } from './upload-remains.ts';
import type { UrlSigner } from './url-signer.ts';

/** Segments of blobs whose layout is remembered. */
const SEGMENTS_REMEMBERED = 100_000;

export interface DirectoryBlobStoreOptions {
  readonly root: string;
  readonly signer: UrlSigner;
  readonly partUrlSeconds: number;
  readonly downloadUrlSeconds: number;
}

/** Paths of the service that lead to parts and blobs. */
export const PART_PATH = '/storage/parts';
export const BLOB_PATH = '/storage/blobs';

export class DirectoryBlobStore implements BlobStore {
  readonly #options: DirectoryBlobStoreOptions;
  readonly #parted: PartedBlobs;
  readonly #layouts = new LRUCache<string, readonly Segment[]>({
    maxSize: SEGMENTS_REMEMBERED,
    sizeCalculation: (segments) => segments.length,
  });
  /** Completions at work: a second one of the same upload waits for the first. */
  readonly #completing = new Map<string, Promise<StoredBlob>>();
  /** Makes the names of uploads that are begun at the same time durable together. */
  readonly #uploadNames = new GroupSync(() => syncDirectory(this.#path('uploads')));

  constructor(options: DirectoryBlobStoreOptions) {
    this.#options = options;
    this.#parted = new PartedBlobs(this.#path('blobs'));
  }

  /** Makes the directories. */
  async prepare(): Promise<void> {
    const { root } = this.#options;
    await mkdir(this.#path('uploads'), { recursive: true });
    await mkdir(this.#path('blobs'), { recursive: true });
    await syncDirectory(root);
    await syncDirectory(dirname(root));
  }

  async beginUpload(): Promise<UploadTarget> {
    const key = randomId();
    await mkdir(this.#upload(key));
    this.#uploadNames.note();
    await this.#uploadNames.settled();
    return { key };
  }

  partAddress({ key }: UploadTarget, partNumber: number): Promise<SignedAddress> {
    const { signer, partUrlSeconds } = this.#options;
    return Promise.resolve(signer.sign('PUT', `${PART_PATH}/${key}/${partNumber}`, partUrlSeconds));
  }

  /** Keeps the bytes of a part sent to its address and answers their ETag; undefined when the upload is gone. */
  async receivePart(key: string, partNumber: number, bytes: Readable): Promise<StoredPart | undefined> {
    if (!isRandomId(key)) return undefined;
    try {
      return await this.#keepPart(join(this.#upload(key), String(partNumber)), bytes);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Fails with ENOENT as soon as the upload is gone, also while the bytes come. */
  async #keepPart(directory: string, bytes: Readable): Promise<StoredPart> {
    if (await mkdirUnlessThere(directory)) await syncDirectory(dirname(directory));
    const before = await readdir(directory);
    const part = await receiveBytes(directory, bytes, PART_SIZE_MAX);
    await renameDurably(part.path, join(directory, part.md5));
    // Only what was there before: a part of the same number sent at the same time is left alone.
    const replaced = before.filter((name) => name !== part.md5 && !name.startsWith('.'));
    await Promise.all(replaced.map((name) => rm(join(directory, name), { force: true })));
    return { etag: part.md5, sizeBytes: part.sizeBytes };
  }

  partSizes(target: UploadTarget, parts: readonly PartName[]): Promise<readonly (number | undefined)[]> {
    return Promise.all(parts.map((part) => this.#partSize(target, part)));
  }

  async #partSize({ key }: UploadTarget, { partNumber, etag }: PartName): Promise<number | undefined> {
    if (!isMd5(etag)) return undefined;
    try {
      return (await stat(join(this.#upload(key), String(partNumber), etag))).size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  completeUpload(target: UploadTarget, parts: readonly PartName[]): Promise<StoredBlob> {
    const { key } = target;
    const running = this.#completing.get(key);
    if (running !== undefined) return running;
    const completing = this.#complete(target, parts).finally(() => this.#completing.delete(key));
    this.#completing.set(key, completing);
    return completing;
  }

  async abortUpload({ key }: UploadTarget): Promise<void> {
    // Aside first: parts that are still coming cannot come to lie there while it is removed.
    const aside = this.#path('uploads', `.${randomId()}`);
    await rename(this.#upload(key), aside).catch(ignoreMissing);
    await rm(aside, { recursive: true, force: true });
    await this.remove(key);
  }

  async write(bytes: Readable, maxBytes = OBJECT_SIZE_MAX): Promise<StoredBlob> {
    const key = randomId();
    const received = await receiveBytes(this.#path('uploads'), bytes, maxBytes);
    await this.#moveIn(received.path, key);
    return { key, sizeBytes: received.sizeBytes, etag: received.md5 };
  }

  async open(key: string): Promise<OpenBlob | undefined> {
    const segments = await this.#layout(key);
    return segments && DirectoryBlob.open(key, { segments, anew: () => this.#layoutAnew(key) });
  }

  /** The path of a blob's one file below the directory of all blobs, with `/`. */
  placeOf(localPath: string): string {
    return relative(this.#path('blobs'), localPath);
  }

  downloadAddress(key: string): Promise<SignedAddress> {
    const { signer, downloadUrlSeconds } = this.#options;
    return Promise.resolve(signer.sign('GET', `${BLOB_PATH}/${key}`, downloadUrlSeconds));
  }

  async remove(key: string): Promise<void> {
    this.#layouts.delete(key);
    const blob = this.#blob(key);
    // Last the first once more: the blob may become one file meanwhile.
    for (const path of [blob, asideOf(blob), blob]) await rm(path, { recursive: true, force: true });
  }

  async *parted(before: number): AsyncGenerator<PartedBlob> {
    for (const { name } of await entriesOf(this.#path('uploads'))) {
      if (name.startsWith(JOINING)) await removeUnchanged(this.#path('uploads', name), before);
    }
    for await (const path of this.#parted.paths()) {
      yield {
        name: path,
        join: async (signal) => {
          const isJoined = await joinParts(path, this.#path('uploads'), signal);
          this.#layouts.delete(basename(path));
          return isJoined;
        },
      };
    }
  }

  async unshare(key: string): Promise<void> {
    const [only, another] = (await this.#layout(key)) ?? [];
    if (only === undefined || another !== undefined) return;
    const own = this.#path('uploads', `.${randomId()}`);
    try {
      if ((await stat(only.path)).nlink === 1) return;
      await copyFileDurably(only.path, own);
      await renameDurably(own, only.path);
    } catch (error) {
      ignoreMissing(error);
    } finally {
      await rm(own, { force: true });
    }
  }

  async probe(): Promise<void> {
    await access(this.#path('uploads'), constants.W_OK);
    await access(this.#path('blobs'), constants.W_OK);
  }

  remains(before: number, isActive: (key: string) => boolean): AsyncGenerator<Remains> {
    return uploadRemains(this.#path('uploads'), before, isActive);
  }

  async #complete(target: UploadTarget, parts: readonly PartName[]): Promise<StoredBlob> {
    const { key } = target;
    const sizeBytes = (await this.#completed(key, parts)) ?? (await this.#assembleOnce(target, parts));
    return { key, sizeBytes, etag: combinedEtag(parts.map((part) => part.etag)) };
  }

  /** Another process may complete the upload at the same time: what it took from under us is in the blob. */
  async #assembleOnce(target: UploadTarget, parts: readonly PartName[]): Promise<number> {
    try {
      return await this.#assemble(target, parts);
    } catch (error) {
      const made = await this.#completed(target.key, parts);
      if (made === undefined) throw error;
      return made;
    }
  }

  /**
   * The size of the blob that an upload has become; undefined while it is none.
   *
   * Until the directory of the upload moved, a part that was sent again could replace one that the manifest names. Since
   * then none can: either all are there for good, or the directory becomes the upload again.
   */
  async #completed(key: string, parts: readonly PartName[]): Promise<number | undefined> {
    let segments = await this.#layout(key);
    if (segments === undefined) return undefined;
    let missing = await missingSegment(segments);
    // Parts that became one file are missing, too: then the files are others now.
    for (let before: string | undefined; missing !== undefined && before !== segments[0]?.path; ) {
      before = segments[0]?.path;
      segments = await this.#layoutAnew(key);
      if (segments === undefined) return undefined;
      missing = await missingSegment(segments);
    }
    if (missing === undefined) return sizeOf(segments);
    this.#layouts.delete(key);
    // Another process that completes the same upload may have been faster.
    await rename(this.#blob(key), this.#upload(key)).catch(ignoreMissing);
    throw new MissingPartError(parts[missing]?.partNumber ?? 0);
  }

  /** Makes the parts a blob, and answers its size. */
  async #assemble(target: UploadTarget, parts: readonly PartName[]): Promise<number> {
    const { key } = target;
    const sizes = await this.partSizes(target, parts);
    const named = parts.map(({ partNumber, etag }, index): NamedPart => {
      const sizeBytes = sizes[index];
      if (sizeBytes === undefined) throw new MissingPartError(partNumber);
      return { name: join(String(partNumber), etag), sizeBytes };
    });
    const [only, another] = named;
    if (only !== undefined && another === undefined) await this.#partBecomesBlob(key, only);
    else await this.#directoryBecomesBlob(key, named);
    return (await this.#completed(key, parts)) ?? sizeOf(named);
  }

  async #partBecomesBlob(key: string, { name }: NamedPart): Promise<void> {
    try {
      await this.#moveIn(join(this.#upload(key), name), key);
    } catch (error) {
      if (isMissing(error)) throw new MissingPartError(Number(dirname(name)));
      throw error;
    }
    await rm(this.#upload(key), { recursive: true, force: true });
  }

  async #directoryBecomesBlob(key: string, parts: readonly NamedPart[]): Promise<void> {
    const upload = this.#upload(key);
    const used = new Set(parts.map(({ name }) => dirname(name)));
    const unused = (await readdir(upload)).filter((name) => isPartNumber(name) && !used.has(name));
    await Promise.all(unused.map((name) => rm(join(upload, name), { recursive: true, force: true })));
    await writeManifest(upload, parts);
    await this.#moveIn(upload, key);
  }

  async #moveIn(path: string, key: string): Promise<void> {
    const blob = this.#blob(key);
    await makeDirectory(dirname(blob));
    await renameDurably(path, blob);
  }

  async #layout(key: string): Promise<readonly Segment[] | undefined> {
    if (!isRandomId(key)) return undefined;
    const known = this.#layouts.get(key) ?? (await readLayout(this.#blob(key)));
    if (known !== undefined) this.#layouts.set(key, known);
    return known;
  }

  async #layoutAnew(key: string): Promise<readonly Segment[] | undefined> {
    this.#layouts.delete(key);
    return this.#layout(key);
  }

  #path(...names: string[]): string {
    return join(this.#options.root, ...names);
  }

  #upload(key: string): string {
    return this.#path('uploads', key);
  }

  #blob(key: string): string {
    return this.#path('blobs', key.slice(0, 2), key);
  }
}

interface NamedPart {
  /** Path below the upload's directory. */
  readonly name: string;
  readonly sizeBytes: number;
}

interface StoredPart {
  readonly etag: string;
  readonly sizeBytes: number;
}

function sizeOf(segments: readonly { readonly sizeBytes: number }[]): number {
  return segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

/** All else is manifests, perhaps that of another process that is completing the upload too. */
function isPartNumber(name: string): boolean {
  return /^\d+$/.test(name);
}

/** A client's report becomes part of a path only when it is one of our names. */
function isMd5(etag: string): boolean {
  return /^[0-9a-f]{32}$/.test(etag);
}

/** Unlike a recursive `mkdir`, does not make the parents. Whether it made the directory. */
async function mkdirUnlessThere(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}
