/** Copies what is kept to a file of a person's choice. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../../lib/error-code.ts';
import { syncDirectory } from '../../../lib/sync.ts';
import type { KeptFile } from './kept-files.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Directories that cannot be synced have nothing to lose (fsync(2)). */
const CANNOT_SYNC = ['EINVAL', 'ENOSYS', 'ENOTSUP', 'EROFS'];

/**
 * Durable when this returns, and of the size that the file has. EEXIST when there is something at `to`, which stays, unless it
 * is to be replaced: then it is, whole or not at all.
 */
export async function saveKept(
  kept: Pick<KeptFile, 'path' | 'bytes' | 'sizeBytes'>,
  to: string,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  const written = replace ? join(dirname(to), `.svcfs-${randomUUID()}`) : to;
  const target = await open(written, 'wx', 0o600);
  try {
    await copy(kept, target).finally(() => target.close());
    if (replace) await rename(written, to);
  } catch (error) {
    await rm(written, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(to)).catch((error: unknown) => {
    if (!CANNOT_SYNC.includes(errorCode(error) ?? '')) throw error;
  });
}

async function copy(
  { path, bytes, sizeBytes }: Pick<KeptFile, 'path' | 'bytes' | 'sizeBytes'>,
  target: FileHandle,
): Promise<void> {
  if (bytes !== undefined) await target.writeFile(Buffer.from(bytes, 'base64'));
  else if (path !== undefined) await copyFrom(path, target, sizeBytes);
  // Its end may be a hole.
  await target.truncate(sizeBytes);
  await target.sync();
}

async function copyFrom(path: string, target: FileHandle, sizeBytes: number): Promise<void> {
  const source = await open(path, 'r');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; at < sizeBytes; ) {
      const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, sizeBytes - at), at);
      if (bytesRead === 0) return;
      await target.writeFile(chunk.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await source.close();
  }
}
