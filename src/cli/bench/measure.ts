import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { lstat, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Flow, Listing, RandomReading } from './measured.ts';
import { median } from './median.ts';

const CHUNK_BYTES = 1024 * 1024;
const RANDOM_BYTES = 4096;
const RANDOM_READS = 50;

export interface Limits {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** How long work took, in milliseconds, and its result. */
export async function timed<T>(work: () => Promise<T>): Promise<readonly [ms: number, result: T]> {
  const began = performance.now();
  const result = await work();
  return [Math.max(performance.now() - began, 0.001), result];
}

/** Writes random bytes, which nothing on the way can make smaller. `settled` waits until they are on the platform. */
export async function writeFlow(
  path: string,
  bytes: number,
  settled: () => Promise<void>,
  signal: AbortSignal,
): Promise<Flow> {
  const chunk = randomBytes(CHUNK_BYTES);
  const [ms] = await timed(async () => {
    const handle = await open(path, 'wx');
    try {
      for (let left = bytes; left > 0; left -= CHUNK_BYTES) {
        signal.throwIfAborted();
        chunk.writeUInt32LE(left >>> 0); // no two chunks are the same
        await handle.writeFile(left >= CHUNK_BYTES ? chunk : chunk.subarray(0, left));
      }
    } finally {
      await handle.close();
    }
    await settled();
  });
  return { bytes, bytesPerSecond: (bytes * 1000) / ms };
}

/** Reads from the front for so long at most. */
export async function readFlow(path: string, { seconds, signal }: Limits): Promise<Flow> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const until = performance.now() + seconds * 1000;
  const [ms, bytes] = await timed(async () => {
    const handle = await open(path, 'r');
    try {
      let sum = 0;
      while (performance.now() < until) {
        signal.throwIfAborted();
        const { bytesRead } = await handle.read(chunk, 0, chunk.length, sum);
        if (bytesRead === 0) break;
        sum += bytesRead;
      }
      return sum;
    } finally {
      await handle.close();
    }
  });
  return { bytes, bytesPerSecond: (bytes * 1000) / ms };
}

/** Offsets of small reads in a file, no two of them near each other in a large one. */
export function randomRanges(
  sizeBytes: number,
): readonly { readonly offset: number; readonly bytes: number }[] {
  return Array.from({ length: RANDOM_READS }, () => ({
    offset: randomInt(Math.max(1, sizeBytes - RANDOM_BYTES)),
    bytes: Math.min(RANDOM_BYTES, sizeBytes),
  }));
}

/** One after the other, as a program does that needs each answer for its next question. */
export async function readRandom(
  path: string,
  sizeBytes: number,
  { seconds, signal }: Limits,
): Promise<RandomReading> {
  const into = Buffer.allocUnsafe(RANDOM_BYTES);
  const durations: number[] = [];
  const until = performance.now() + seconds * 1000;
  const handle = await open(path, 'r');
  try {
    for (const { offset, bytes } of randomRanges(sizeBytes)) {
      signal.throwIfAborted();
      if (performance.now() > until) break;
      durations.push((await timed(() => handle.read(into, 0, bytes, offset)))[0]);
    }
  } finally {
    await handle.close();
  }
  return { reads: durations.length, medianMs: median(durations) };
}

/** Lists a folder, and looks at each entry, as `ls -l` does. `forget` has the mount ask anew. */
export async function list(
  folder: string,
  forget: () => Promise<unknown>,
): Promise<Omit<Listing, 'requests'>> {
  const [ms, entries] = await timed(async () => {
    await forget();
    const names = await readdir(folder);
    await Promise.all(names.map((name) => lstat(join(folder, name))));
    return names.length;
  });
  return { entries, ms };
}

export async function readSmall(paths: readonly string[], signal: AbortSignal): Promise<number> {
  const [ms] = await timed(async () => {
    for (const path of paths) {
      signal.throwIfAborted();
      await readFile(path);
    }
  });
  return (paths.length * 1000) / ms;
}

/** Has the kernel forget the pages of files (posix_fadvise(2)), so that reading them asks the mount. */
export async function forgetPages(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await promisify(execFile)('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
  }
}
