import type { FileHandle } from 'node:fs/promises';
import { getSystemErrorName } from 'node:util';
import { filesAddon } from '../../../lib/files-addon.ts';
import { pieceBuffers } from './piece-buffers.ts';

/** So much is copied before somebody looks whether to go on, and what is not shared goes to the disk that often. */
const STEP_BYTES = 64 * 1024 * 1024;
/** What file systems and kernels say that copy by `read` and `write` alone. */
const NOT_BY_KERNEL = new Set(['EXDEV', 'EINVAL', 'ENOSYS', 'EOPNOTSUPP', 'EPERM']);

interface Copy {
  readonly from: FileHandle;
  readonly to: FileHandle;
  /** Of `to`: the file ends there. */
  readonly at: number;
  readonly sizeBytes: number;
  readonly signal: AbortSignal;
}

/** Puts the first bytes of a file at the end of another: by sharing blocks, by a copy in the kernel, or through memory. */
export async function appendFile({ from, to, at, sizeBytes, signal }: Copy): Promise<void> {
  for (let done = 0; done < sizeBytes; ) {
    signal.throwIfAborted();
    const place = { from, to, offset: done, at: at + done, length: Math.min(STEP_BYTES, sizeBytes - done) };
    const copied = (await copyInKernel(place)) ?? (await copyThroughMemory(place));
    if (copied === 0) throw new Error(`the file has ${done} bytes, and not ${sizeBytes}`);
    done += copied;
    await to.datasync();
  }
}

interface Place extends Pick<Copy, 'from' | 'to' | 'at'> {
  readonly offset: number;
  readonly length: number;
}

/** Undefined where the kernel cannot. */
async function copyInKernel({ from, to, offset, at, length }: Place): Promise<number | undefined> {
  if (filesAddon === undefined) return undefined;
  const copied = await filesAddon.copyRange(from.fd, to.fd, offset, at, length);
  if (copied >= 0) return copied;
  const code = getSystemErrorName(copied);
  if (NOT_BY_KERNEL.has(code)) return undefined;
  throw Object.assign(new Error(`${code}: copy_file_range`), {
    code,
    errno: copied,
    syscall: 'copy_file_range',
  });
}

async function copyThroughMemory({ from, to, offset, at, length }: Place): Promise<number> {
  const buffer = pieceBuffers.take();
  try {
    const { bytesRead } = await from.read(buffer, 0, Math.min(buffer.length, length), offset);
    for (let written = 0; written < bytesRead; ) {
      written += (await to.write(buffer, written, bytesRead - written, at + written)).bytesWritten;
    }
    return bytesRead;
  } finally {
    pieceBuffers.giveBack(buffer);
  }
}
