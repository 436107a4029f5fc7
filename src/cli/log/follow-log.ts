import { open } from 'node:fs/promises';
import { systemClock } from '../../lib/clock.ts';

/** A person sees no difference to at once. */
const LOOK_EVERY_MS = 250;
const CHUNK_BYTES = 256 * 1024;

/** Gives each line that is appended to a file from now on, over rotations too, until the signal fires. */
export async function* followLog(
  path: string,
  signal: AbortSignal,
  everyMs = LOOK_EVERY_MS,
): AsyncGenerator<string> {
  let at = await sizeOf(path);
  let rest = '';
  while (!signal.aborted) {
    const size = await sizeOf(path);
    // It was emptied, or replaced by a new one.
    if (size < at) at = 0;
    while (at < size) {
      const chunk = await readAt(path, at);
      if (chunk.length === 0) break;
      at += chunk.length;
      const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
      rest = lines.pop() ?? '';
      // A character may lie across two chunks: lines are put together from bytes.
      for (const line of lines) yield Buffer.from(line, 'latin1').toString('utf8');
    }
    await systemClock.sleep(everyMs, signal).catch(() => undefined);
  }
}

async function readAt(path: string, at: number): Promise<Buffer> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return Buffer.alloc(0);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, at);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  const file = await open(path).catch(() => undefined);
  try {
    return (await file?.stat())?.size ?? 0;
  } finally {
    await file?.close();
  }
}
