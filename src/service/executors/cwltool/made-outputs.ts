/** What cwltool left in its output directory, as its output object tells. */
import { constants, type FileHandle, open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { errorCode } from '../../../lib/error-code.ts';
import { TaskFailure } from '../task-engine.ts';

/** The value with the listing of every folder, which cwltool gives only when the app asks for it. */
export async function withListings(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(withListings));
  if (typeof value !== 'object' || value === null) return value;
  const inner: [string, unknown][] = [];
  for (const [key, each] of Object.entries(value)) inner.push([key, await withListings(each)]);
  const object = Object.fromEntries(inner);
  const { class: kind, listing, location } = object;
  if (kind !== 'Directory' || Array.isArray(listing) || typeof location !== 'string') return object;
  return { ...object, listing: await listingOf(pathOf(location)) };
}

async function listingOf(directory: string): Promise<object[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(directory, entry.name);
      const common = { basename: entry.name, location: pathToFileURL(path).href };
      if (!entry.isDirectory()) return { class: 'File', ...common };
      return { class: 'Directory', ...common, listing: await listingOf(path) };
    }),
  );
}

/** Opens a file of the output directory; a tool may name any, and link to any. */
export async function openOutput(directory: string, location: string): Promise<Readable> {
  const path = await realpath(pathOf(location)).catch(() => undefined);
  if (path === undefined || !path.startsWith((await realpath(directory)) + sep)) {
    throw noFile(location);
  }
  const file = await openReadable(path, location);
  try {
    if (!(await file.stat()).isFile()) throw noFile(location);
    return file.createReadStream();
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** To open a named pipe that nobody writes to would otherwise never end. */
async function openReadable(path: string, location: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = errorCode(error);
    // A socket, or a file that its tool has taken the right to read from.
    if (code === 'ENXIO' || code === 'EACCES') throw noFile(location, error);
    throw error;
  }
}

function pathOf(location: string): string {
  try {
    return fileURLToPath(location);
  } catch (error) {
    throw noFile(location, error);
  }
}

function noFile(location: string, cause?: unknown): TaskFailure {
  return new TaskFailure(`The output ${location} is no file that the task has made.`, { cause });
}
