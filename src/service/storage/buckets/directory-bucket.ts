/**
 * A bucket that is a directory: keys are paths below it.
 *
 * Invariants:
 * - A file appears under its key whole and durable, or not at all: it is written elsewhere in the bucket, synced, and
 *   then renamed, or linked when nothing may be overwritten.
 * - A directory that was filled by hand, such as a lab's NAS, is a bucket like any other: what the service notes about
 *   its own objects (object-notes.ts) is never needed, and the etag is then made from size, mtime and inode.
 * - No key and no symbolic link leads out of the directory.
 *
 * Limit: a directory cannot hold both `a` and `a/b`; the second put is refused with `bad-key`.
 */
import { randomUUID } from 'node:crypto';
import { constants as fsConstants } from 'node:fs';
import { access, type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import type {
  Bucket,
  ListPage,
  ListQuery,
  ObjectInfo,
  OpenObject,
  PutOptions,
  PutSource,
} from '../objects/bucket.ts';
import { BucketError, type BucketErrorKind } from '../objects/bucket-error.ts';
import { makeDirectory, placeFile, receiveFile } from '../objects/durable-file.ts';
import { isInside, type LevelEntry } from './directory-level.ts';
import { INCOMING_DIRECTORY } from './incoming-remains.ts';
import { canHold, keyPath } from './key-path.ts';
import { levelPage } from './level-page.ts';
import { noteOf, type ObjectNote, readNote, removeNote, writeNote } from './object-notes.ts';
import { describe } from './object-of-file.ts';
import type { SortedLevels } from './sorted-levels.ts';

export class DirectoryBucket implements Bucket {
  readonly #root: string;
  readonly #levels: SortedLevels;
  readonly #clock: Clock;

  /** `root` may be missing; then every call rejects with `no-bucket`. */
  constructor(root: string, levels: SortedLevels, clock: Clock) {
    this.#root = root;
    this.#levels = levels;
    this.#clock = clock;
  }

  async head(key: string): Promise<ObjectInfo | undefined> {
    const object = await this.open(key);
    await object?.close();
    return object?.info;
  }

  async list(query: ListQuery): Promise<ListPage> {
    await this.#mustExist();
    const folder = query.prefix.slice(0, query.prefix.lastIndexOf('/') + 1);
    const level = await this.#level(folder).catch(refusedAs('list-denied'));
    const { entries, truncated } = levelPage(level, {
      start: query.prefix.slice(folder.length),
      after: query.continuation?.slice(folder.length),
      limit: query.limit,
    });
    const objects = await Promise.all(
      entries.filter(({ kind }) => kind === 'object').map(({ name }) => this.#describe(folder + name)),
    );
    return {
      // An object that a person deleted since the directory was read is simply not there.
      objects: objects.filter((object) => object !== undefined),
      prefixes: entries.filter(({ kind }) => kind === 'prefix').map(({ name }) => folder + name),
      continuation: truncated ? folder + entries.at(-1)?.name : undefined,
    };
  }

  async open(key: string): Promise<OpenObject | undefined> {
    await this.#mustExist();
    if (!canHold(key)) return undefined;
    const path = keyPath(this.#root, key);
    if (!(await isInside(this.#root, path))) return undefined;
    // Non-blocking, or opening a fifo would wait for its writer.
    const handle = await open(path, fsConstants.O_RDONLY | fsConstants.O_NONBLOCK)
      .catch(absentAsUndefined)
      .catch(refusedAs('get-denied'));
    return handle && this.#opened(key, handle);
  }

  async put(key: string, source: PutSource, options: PutOptions): Promise<ObjectInfo> {
    await this.#mustExist();
    const path = keyPath(this.#root, key);
    const scratch = join(this.#root, INCOMING_DIRECTORY);
    const temporary = join(scratch, randomUUID());
    try {
      await this.#makeParents(path);
      await makeDirectory(scratch);
      const etag = await receiveFile(temporary, source, options.signal);
      return await this.#publish(
        key,
        temporary,
        noteOf({ etag, updatedMs: this.#clock.now() }, options),
        options,
      );
    } catch (error) {
      throw putError(error);
    } finally {
      await unlink(temporary).catch(() => undefined);
    }
  }

  addressOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async tryPut(): Promise<void> {
    await this.#mustExist();
    await access(this.#root, fsConstants.W_OK).catch((error: unknown) => Promise.reject(putError(error)));
  }

  async #publish(
    key: string,
    temporary: string,
    note: ObjectNote,
    { overwrite }: PutOptions,
  ): Promise<ObjectInfo> {
    const path = keyPath(this.#root, key);
    const file = await stat(temporary, { bigint: true });
    const replaced = await stat(path, { bigint: true }).catch(absentAsUndefined);
    await writeNote(this.#root, key, file, note);
    try {
      await placeFile(temporary, path, overwrite);
    } catch (error) {
      if (replaced?.ino !== file.ino) await removeNote(this.#root, key, file);
      throw error;
    }
    if (replaced && replaced.ino !== file.ino) await removeNote(this.#root, key, replaced);
    return describe(key, file, note);
  }

  async #opened(key: string, handle: FileHandle): Promise<OpenObject | undefined> {
    try {
      const file = await handle.stat({ bigint: true });
      if (file.isFile()) {
        const info = describe(key, file, await readNote(this.#root, key, file));
        return {
          info,
          sizeBytes: info.sizeBytes,
          etag: info.etag,
          stream: (range) =>
            handle.createReadStream({
              start: range?.first ?? 0,
              end: range?.last ?? Number.POSITIVE_INFINITY,
            }),
          readAt: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
          close: () => handle.close(),
        };
      }
    } catch (error) {
      await handle.close();
      throw error;
    }
    await handle.close();
    return undefined;
  }

  async #describe(key: string): Promise<ObjectInfo | undefined> {
    const file = await stat(keyPath(this.#root, key), { bigint: true }).catch(absentAsUndefined);
    return file?.isFile() ? describe(key, file, await readNote(this.#root, key, file)) : undefined;
  }

  async #level(folder: string): Promise<readonly LevelEntry[]> {
    if (folder === '') return this.#levels.read(this.#root, '');
    const key = folder.slice(0, -1);
    // A prefix that no key here can have matches nothing; in a listing that is no error.
    if (!canHold(key) || !(await isInside(this.#root, keyPath(this.#root, key)))) return [];
    return this.#levels.read(this.#root, folder);
  }

  async #makeParents(path: string): Promise<void> {
    let existing = dirname(path);
    while (!(await stat(existing).catch(absentAsUndefined))) existing = dirname(existing);
    if (!(await isInside(this.#root, existing)))
      throw new BucketError('bad-key', 'the key leads out of the bucket');
    try {
      await makeDirectory(dirname(path));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
      throw new BucketError('bad-key', 'an object lies where the key needs a folder', { cause: error });
    }
  }

  async #mustExist(): Promise<void> {
    const found = await stat(this.#root).catch(absentAsUndefined);
    if (!found?.isDirectory()) throw new BucketError('no-bucket', 'there is no such bucket');
  }
}

function absentAsUndefined(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

function refusedAs(kind: BucketErrorKind): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.code !== 'EACCES') throw error;
    throw new BucketError(kind, 'the bucket refuses access', { cause: error });
  };
}

/** The error of a failed put. An error that is not the file system's (an abort, a broken source) passes unchanged. */
function putError(error: unknown): unknown {
  const cause = { cause: error };
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EEXIST':
      return new BucketError('exists', 'there is an object under that key', cause);
    case 'EISDIR':
    case 'ENOTDIR':
      return new BucketError('bad-key', 'a folder lies under that key', cause);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new BucketError('put-denied', 'the bucket refuses to be written', cause);
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EIO':
      return new BucketError('unreachable', 'the bucket cannot take the object now', cause);
    default:
      return error;
  }
}
