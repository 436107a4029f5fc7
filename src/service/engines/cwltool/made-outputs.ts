/**
 * The files that cwltool left in its output directory, as its output object tells. A tool can put anything in the place
 * of either. Outside of the sandbox a link leads to files of the machine, which are not the files that the tool saw
 * there.
 */
import { constants, type FileHandle, open, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { errorCode } from '../../../lib/error-code.ts';
import { TaskFailure } from '../task-engine.ts';

/** The output object, from the file that cwltool has written it to. */
export async function readOutputObject(path: string): Promise<unknown> {
  const file = await openFile(path, noObject);
  try {
    return JSON.parse(await file.readFile('utf8'));
  } finally {
    await file.close();
  }
}

/** The value with the listing of every folder, which cwltool gives only when the app asks for it. */
export async function withListings(value: unknown, directory: string): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((each) => withListings(each, directory)));
  if (typeof value !== 'object' || value === null) return value;
  const inner: [string, unknown][] = [];
  for (const [key, each] of Object.entries(value)) inner.push([key, await withListings(each, directory)]);
  const object = Object.fromEntries(inner);
  const { class: kind, listing, location } = object;
  if (kind !== 'Directory' || Array.isArray(listing) || typeof location !== 'string') return object;
  return { ...object, listing: await listingOf(await madePath(directory, location)) };
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

/** Opens a file of the output directory. */
export async function openOutput(directory: string, location: string): Promise<Readable> {
  const path = await madePath(directory, location);
  const file = await openFile(path, (cause) => noOutput(location, cause));
  return file.createReadStream();
}

/** Where in the output directory something is. A tool may name any place, and link to any, from that directory itself too. */
async function madePath(directory: string, location: string): Promise<string> {
  const path = await realpath(pathOf(location)).catch(() => undefined);
  const own = join(await realpath(dirname(directory)), basename(directory));
  if (path === undefined || !path.startsWith(own + sep)) throw noOutput(location);
  return path;
}

/** Opens what is a file itself. To open a named pipe that nobody writes to would otherwise never end. */
async function openFile(path: string, refusal: (cause?: unknown) => TaskFailure): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error) => {
    throw isRefused(error) ? refusal(error) : error;
  });
  try {
    if (!(await file.stat()).isFile()) throw refusal();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A link, nothing, a socket, or a file that its tool has taken the right to read from. */
function isRefused(error: unknown): boolean {
  return ['ELOOP', 'ENOENT', 'ENXIO', 'EACCES'].includes(errorCode(error) ?? '');
}

function pathOf(location: string): string {
  try {
    return fileURLToPath(location);
  } catch (error) {
    throw noOutput(location, error);
  }
}

function noOutput(location: string, cause?: unknown): TaskFailure {
  return new TaskFailure(`The output ${location} is no file that the task has made.`, { cause });
}

function noObject(cause?: unknown): TaskFailure {
  return new TaskFailure('The task has taken away what tells of its outputs.', { cause });
}
