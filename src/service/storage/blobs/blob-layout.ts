import { open, readFile, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../../lib/error-code.ts';
import { randomId } from '../../../lib/random-id.ts';
import { syncDirectory } from '../../../lib/sync.ts';

/** A piece of a blob: a file that holds so many of its bytes. */
export interface Segment {
  readonly path: string;
  readonly sizeBytes: number;
}

const MANIFEST = 'manifest.json';

/** Where the parts of a blob lie while the file that they became takes their place (`join-parts.ts`). */
export function asideOf(path: string): string {
  return `${path}.parts`;
}

/** The files of the blob at `path` in order: the file itself, or those a directory's manifest lists. */
export async function readLayout(path: string): Promise<readonly Segment[] | undefined> {
  // A blob in neither place is nowhere, unless its file got the name meanwhile.
  return (await layoutAt(path)) ?? (await layoutAt(asideOf(path))) ?? layoutAt(path);
}

async function layoutAt(path: string): Promise<readonly Segment[] | undefined> {
  try {
    const stats = await stat(path);
    if (stats.isFile()) return [{ path, sizeBytes: stats.size }];
    const entries: [string, number][] = JSON.parse(await readFile(join(path, MANIFEST), 'utf8'));
    return entries.map(([name, sizeBytes]) => ({ path: join(path, name), sizeBytes }));
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** There is nothing at a path, or a file lies where it had a directory. */
export function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Which of the segments is not there; undefined when all are. */
export async function missingSegment(segments: readonly Segment[]): Promise<number | undefined> {
  const there = await Promise.all(segments.map(({ path }) => isThere(path)));
  const at = there.indexOf(false);
  return at === -1 ? undefined : at;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsence(error)) return false;
    throw error;
  }
}

/** Makes a directory of parts a blob: durably, before the directory gets the blob's name. */
export async function writeManifest(
  directory: string,
  parts: readonly { name: string; sizeBytes: number }[],
): Promise<void> {
  const temporary = join(directory, `.${MANIFEST}-${randomId()}`);
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(JSON.stringify(parts.map(({ name, sizeBytes }) => [name, sizeBytes])));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await renameDurably(temporary, join(directory, MANIFEST));
}

/** A rename that survives a power failure. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await syncDirectory(dirname(to));
}
