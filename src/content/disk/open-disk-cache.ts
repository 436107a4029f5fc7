import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, link, mkdir, readdir, readFile, rm, rmdir, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bootId } from '../../lib/boot-id.ts';
import type { Clock } from '../../lib/clock.ts';
import { errorCode } from '../../lib/error-code.ts';
import { messageOf } from '../../lib/message-of.ts';
import { loadBlockIo } from './block-io.ts';
import { DiskCache, type DiskCacheOptions } from './disk-cache.ts';
import { newBirth } from './entry-name.ts';
import { Obstacles } from './obstacles.ts';

export interface DiskCacheWishes {
  /** Made if it is not there; its parent must be. */
  readonly directory: string;
  /** Undefined: as much as the disk has. */
  readonly sizeBytes: number | undefined;
  /** To be left free on the disk. Undefined: a twentieth of it. */
  readonly minFreeBytes: number | undefined;
  readonly endpoint: string;
  readonly clock: Clock;
  readonly writeBehindBytes: number;
  /** As `DiskCacheOptions` has it: something shows later than when the cache is opened. */
  readonly onObstacle?: DiskCacheOptions['onObstacle'];
}

export interface OpenedDiskCache {
  readonly cache: DiskCache | undefined;
  /** For a person: why there is none, or why it does not help now. */
  readonly warning: string | undefined;
}

const FORMAT = 1;
/** Says what the directory is, and in which format. */
const MARKER = 'svcfs-cache.json';
/** Tells backups to leave the directory out (bford.info/cachedir). */
const TAG = ['CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55\n'] as const;
const OURS: ReadonlySet<string> = new Set([MARKER, TAG[0], 'entries']);
const MIN_FREE_SHARE = 1 / 20;
/** The errors of link(2) where there are no hard links: by its manual, of 9p, of a FUSE file system without them. */
const NO_HARD_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

const ANOTHER = 'give another --cache-dir';

/** Never rejects: a mount works without its cache, and the warning says what to do about it. */
export async function openDiskCache(wishes: DiskCacheWishes): Promise<OpenedDiskCache> {
  const { directory } = wishes;
  const without = (reason: string): OpenedDiskCache => ({
    cache: undefined,
    warning: `no disk cache: ${reason}`,
  });
  const blocks = loadBlockIo();
  if (blocks === undefined) return without('its native part is not built; run npm run build:native');
  try {
    const unfit = await prepare(directory);
    if (unfit !== undefined) return without(unfit);
    const { blocks: all, bavail, bsize } = await statfs(directory);
    const minFreeBytes = wishes.minFreeBytes ?? Math.floor(all * bsize * MIN_FREE_SHARE);
    const limits = { sizeBytes: wishes.sizeBytes ?? Number.POSITIVE_INFINITY, minFreeBytes };
    // Where the system tells no run of the machine, each mount is one.
    const run = (await bootId()) ?? randomUUID();
    const cache = new DiskCache({ ...wishes, limits, blocks, bootId: run });
    cache.start();
    const warning =
      (await warningOfOthers(directory)) ?? warningOfRoom(directory, bavail * bsize, minFreeBytes);
    return { cache, warning };
  } catch (error) {
    return without(`${directory}: ${reasonOf(error)}`);
  }
}

/** Undefined: it can be used. A directory that was made for nothing is removed. */
async function prepare(directory: string): Promise<string | undefined> {
  const made = await makeDirectory(directory);
  try {
    return await mark(directory);
  } catch (error) {
    if (made) await rmdir(directory).catch(() => undefined);
    throw error;
  }
}

/** False: it is there already. */
async function makeDirectory(directory: string): Promise<boolean> {
  try {
    await mkdir(directory, { mode: 0o700 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Sees to it that a directory says that it is ours. Undefined: it does. */
async function mark(directory: string): Promise<string | undefined> {
  if (!(await stat(directory)).isDirectory()) return `${directory} is not a directory; ${ANOTHER}`;
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  const marker = await readMarker(directory);
  if (marker === undefined) {
    const strange = (await readdir(directory)).find((name) => !OURS.has(name) && !name.endsWith('.new'));
    if (strange !== undefined)
      return `${directory} holds ${strange} and is no cache of svcfs; give it a directory of its own (--cache-dir)`;
    await writeOnce(directory, MARKER, `${JSON.stringify({ format: FORMAT })}\n`);
    await writeOnce(directory, ...TAG);
    return mark(directory);
  }
  if (marker === FORMAT) return undefined;
  return (
    `${directory} is of another version of svcfs (format ${marker}, this one keeps format ${FORMAT}); ` +
    `${ANOTHER}, or remove it`
  );
}

/** Whole or not at all, after a power failure too, and by the first of several who start at once. */
async function writeOnce(directory: string, name: string, text: string): Promise<void> {
  const path = join(directory, `${name}.${newBirth()}.new`);
  try {
    await writeFile(path, text, { mode: 0o600, flush: true });
    await linkOnce(path, join(directory, name));
  } finally {
    await rm(path, { force: true });
  }
}

async function linkOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST') return;
    if (!NO_HARD_LINKS.has(code)) throw error;
    const reason =
      'the file system there has no hard links, which the cache needs; give a --cache-dir on another';
    throw new Error(reason, { cause: error });
  }
}

/** The format, as it is written; undefined when there is no marker. */
async function readMarker(directory: string): Promise<unknown> {
  try {
    const text = await readFile(join(directory, MARKER), 'utf8');
    return (JSON.parse(text) as { readonly format?: unknown } | null)?.format ?? 'unknown';
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return 'unknown';
    throw error;
  }
}

/** Someone else, perhaps root, used the directory. Of his files we see those only whose folders we may look into. */
async function warningOfOthers(directory: string): Promise<string | undefined> {
  const obstacles = new Obstacles();
  const root = join(directory, 'entries');
  const folders = (await obstacles.passing(readdir(root))) ?? [];
  const paths = [root, ...folders.map((name) => join(root, name))];
  await Promise.all(
    paths.map((path) => obstacles.passing(access(path, constants.R_OK | constants.W_OK | constants.X_OK))),
  );
  const { report } = obstacles;
  return (
    report &&
    `disk cache: what another user cached in ${directory} is neither used nor evicted (${report.reason}): ` +
      'remove it, or give a directory of your own (--cache-dir)'
  );
}

function warningOfRoom(directory: string, freeBytes: number, minFreeBytes: number): string | undefined {
  if (freeBytes >= minFreeBytes) return undefined;
  return (
    `disk cache: ${directory} has ${mib(freeBytes)} free, and ${mib(minFreeBytes)} are to be left (--cache-min-free): ` +
    'nothing is added until there is room'
  );
}

function mib(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}

function reasonOf(error: unknown): string {
  switch (errorCode(error)) {
    case 'ENOENT':
      return `the directory that is to hold it does not exist; make it, or ${ANOTHER}`;
    case 'ENOTDIR':
      return `what is to hold it is not a directory; ${ANOTHER}`;
    case 'EACCES':
    case 'EPERM':
      return `no permission to write there; grant it, or ${ANOTHER}`;
    case 'EROFS':
      return `the file system there is read-only; ${ANOTHER}`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `the disk is full; free space on it, or ${ANOTHER}`;
    default:
      return messageOf(error);
  }
}
