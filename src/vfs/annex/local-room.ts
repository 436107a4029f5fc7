import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';
import { FsError } from '../errors/fs-error.ts';

const DAY_MS = 86_400_000;
/** So long nobody has written there. */
const KEPT_MS = 30 * DAY_MS;

/** Files of one annex on this machine: temporary ones of editors, and tables of old values. No name holds a slash. */
export class LocalRoom {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async names(): Promise<readonly string[]> {
    return readdir(this.#directory).catch((error: unknown) => absentAs<readonly string[]>(error, []));
  }

  /** Undefined when there is none. */
  async stat(name: string): Promise<BigIntStats | undefined> {
    return lstat(this.#path(name), { bigint: true }).catch((error: unknown) => absentAs(error, undefined));
  }

  /** `flags` and errors as of open(2). */
  async open(name: string, flags: number, mode = 0o600): Promise<FileHandle> {
    if ((flags & constants.O_CREAT) !== 0) await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    return open(this.#path(name), flags | constants.O_NOFOLLOW, mode).catch(refuse);
  }

  async read(name: string): Promise<Buffer> {
    return readFile(this.#path(name)).catch(refuse);
  }

  async write(name: string, content: Iterable<string> | Uint8Array): Promise<void> {
    const file = await this.open(name, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
    try {
      await file.writeFile(content instanceof Uint8Array ? content : [...content].join(''));
    } catch (error) {
      refuse(error);
    } finally {
      await file.close();
    }
  }

  async rename(name: string, to: LocalRoom, newName: string): Promise<void> {
    await mkdir(to.#directory, { recursive: true, mode: 0o700 });
    await rename(this.#path(name), to.#path(newName)).catch(refuse);
  }

  async remove(name: string): Promise<void> {
    await unlink(this.#path(name)).catch(refuse);
  }

  /** Removes it, if it is there. */
  async discard(name: string): Promise<void> {
    await rm(this.#path(name), { force: true }).catch(refuse);
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

/** Removes rooms that were not used for a month. */
export async function removeOldRooms(root: string, nowMs: number): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats && nowMs - stats.mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

function absentAs<T>(error: unknown, value: T): T {
  return errorCode(error) === 'ENOENT' ? value : refuse(error);
}

const SAID_AS_IS = ['ENOENT', 'EEXIST', 'ENOSPC', 'EISDIR', 'ENAMETOOLONG', 'EFBIG'] as const;

/** The error of this machine's file system. */
export function refuse(error: unknown): never {
  const code = errorCode(error);
  const errno = SAID_AS_IS.find((each) => each === code) ?? (code === 'EDQUOT' ? 'ENOSPC' : 'EIO');
  throw new FsError(errno, `on this machine: ${error instanceof Error ? error.message : error}`, {
    cause: error,
  });
}
