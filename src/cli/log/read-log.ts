import { open, readFile } from 'node:fs/promises';
import { parsed } from '../../observe/log-text.ts';
import { LOG_LEVELS } from '../../observe/logger.ts';

/** Read at most of one file: that of a mount is rotated long before. */
const MOST_BYTES = 64 * 1024 * 1024;
const OLD_FILES = [3, 2, 1];

/** The lines of a log, old files of it first; nothing where there is none. */
export async function linesOf(log: string): Promise<readonly string[]> {
  const files = [...OLD_FILES.map((number) => `${log}.${number}`), log];
  return (await Promise.all(files.map(linesIn))).flat();
}

async function linesIn(path: string): Promise<readonly string[]> {
  const text = await endOf(path).catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

async function endOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size <= MOST_BYTES) return await readFile(file, 'utf8');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, size - MOST_BYTES);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

export interface Wanted {
  /** The least severe level. */
  readonly level?: string | undefined;
  readonly request?: string | undefined;
}

/** Whether a line is asked for. A line without a level is told with all levels: it is a word of the engine. */
export function isWanted(line: string, { level, request }: Wanted): boolean {
  if (request !== undefined && !line.includes(request)) return false;
  if (level === undefined) return true;
  const own = parsed(line)?.['level'] ?? /^\S+ (error|warn|info|debug)\b/.exec(line)?.[1];
  return own === undefined || severity(own) <= severity(level);
}

function severity(level: unknown): number {
  return (LOG_LEVELS as readonly unknown[]).indexOf(level);
}
