import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, constants as fsConstants } from 'node:fs';
import { chmod, chown, copyFile, link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncDirectory, syncFile } from '../../../lib/sync.ts';
import type { PutSource } from './bucket.ts';

/** Fills a new file with the source's bytes, durably, and answers their MD5 in hex. */
export async function receiveFile(
  path: string,
  source: PutSource,
  signal: AbortSignal | undefined,
): Promise<string> {
  if (source.kind !== 'file') {
    const bytes = source.kind === 'stream' ? source.stream : source.stream();
    const md5 = createHash('md5');
    const hashing = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        md5.update(chunk);
        yield chunk;
      }
    };
    await pipeline(bytes, hashing, createWriteStream(path, { flush: true }), { signal });
    return md5.digest('hex');
  }
  if (!(source.givenAway && (await tryLink(source.path, path)))) await copyFileDurably(source.path, path);
  return source.md5 ?? (await md5Of(path, signal));
}

/** Shares the blocks where the file system can; else the kernel copies, and no byte passes this process. */
export async function copyFileDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, fsConstants.COPYFILE_FICLONE);
  await syncFile(to);
}

/** Gives a finished file its name. Rejects with EEXIST when it may not overwrite: rename(2) cannot refuse, link(2) does. */
export async function placeFile(temporary: string, path: string, overwrite: boolean): Promise<void> {
  await (overwrite ? rename(temporary, path) : link(temporary, path));
  await syncDirectory(dirname(path));
}

/**
 * Writes a file that its owner alone may read: whole and durable, as is its name, and never seen before it is. Rejects with
 * EEXIST when it may not overwrite. One that it replaces stays its owner's and group's, with the same mode: whoever could
 * read it still can, when root writes it for a service that is another user.
 */
export async function writePrivateFile(
  path: string,
  text: string,
  { overwrite }: { readonly overwrite: boolean },
): Promise<void> {
  const temporary = `${path}-${randomUUID()}`;
  try {
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600, flush: true });
    if (overwrite) await takeOver(temporary, path);
    await placeFile(temporary, path, overwrite);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Gives a file the owner, group and mode of the one that it will replace, if there is one. */
async function takeOver(path: string, replaced: string): Promise<void> {
  const before = await stat(replaced).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (before === undefined) return;
  await chown(path, before.uid, before.gid);
  await chmod(path, before.mode & 0o777);
  await syncFile(path);
}

/** Makes a directory and what is missing above it, durably. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** False where no link can be made, on another file system or one without links, or one was: two objects must not be one file. */
async function tryLink(existing: string, path: string): Promise<boolean> {
  try {
    if ((await stat(existing)).nlink > 1) return false;
    await link(existing, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EXDEV' || code === 'EPERM' || code === 'EMLINK' || code === 'ENOTSUP') return false;
    throw error;
  }
}

async function md5Of(path: string, signal: AbortSignal | undefined): Promise<string> {
  const md5 = createHash('md5');
  for await (const chunk of createReadStream(path, { signal })) md5.update(chunk);
  return md5.digest('hex');
}
