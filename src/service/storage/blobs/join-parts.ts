/**
 * A blob of parts becomes one file.
 *
 *     1. <key>/           a directory of parts; the file grows under a hidden name elsewhere, and is made durable
 *     2. <key>.parts/     the directory moves aside: a reader that finds no <key> looks here
 *     3. <key>            the file gets the name of the blob, durably
 *     4.                  the parts go
 *
 * A process may end between any two of these steps: each state has all bytes, and is gone on from. Readers of the parts find
 * the same bytes in the file when the parts are gone. Two processes may do this at once; each copies into a file of its own.
 */
import { constants, type Stats } from 'node:fs';
import { copyFile, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { randomId } from '../../../lib/random-id.ts';
import { appendFile } from '../objects/append-file.ts';
import { asideOf, isAbsence, readLayout, renameDurably, type Segment } from './blob-layout.ts';

/** Hidden names that the work is done under begin with this. */
export const JOINING = '.joining-';
/** The share of the disk that stays free where blocks are not shared: uploads need it more. */
const KEPT_FREE = 0.05;

/**
 * Answers whether the blob at `path` is one file now, and was none. It is left as it is where the disk has no room for a copy.
 *
 * @param scratch A directory of the same file system
 */
export async function joinParts(path: string, scratch: string, signal: AbortSignal): Promise<boolean> {
  const found = await find(path);
  if (found === 'nothing') return false;
  if (found === 'file and parts') return dropParts(path, scratch);
  const joined = join(scratch, `${JOINING}${randomId()}`);
  try {
    const segments = await readLayout(path);
    if (segments === undefined || !(await joinInto(joined, segments, signal))) return false;
    // With a slash at the end no file is renamed: somebody may have been faster.
    if (found === 'parts') await rename(`${path}/`, asideOf(path));
    await renameDurably(joined, path);
  } catch (error) {
    // Somebody removed the blob or was faster, or the process is to end.
    if (isAbsence(error) || signal.aborted) return false;
    throw error;
  } finally {
    await rm(joined, { force: true });
  }
  return dropParts(path, scratch);
}

type Found = 'parts' | 'parts aside' | 'file and parts' | 'nothing';

async function find(path: string): Promise<Found> {
  const [blob, aside] = await Promise.all([statOf(path), statOf(asideOf(path))]);
  if (blob?.isDirectory()) return 'parts';
  if (aside === undefined) return 'nothing';
  return blob === undefined ? 'parts aside' : 'file and parts';
}

/** False when there is no room. */
async function joinInto(joined: string, segments: readonly Segment[], signal: AbortSignal): Promise<boolean> {
  const [first, ...others] = segments;
  if (first === undefined) return false;
  const sizeBytes = segments.reduce((sum, segment) => sum + segment.sizeBytes, 0);
  const shares = await shareBlocks(first.path, joined);
  if (!shares && !(await hasRoom(dirname(joined), sizeBytes))) return false;
  const to = await open(joined, shares ? 'r+' : 'w');
  try {
    let at = shares ? first.sizeBytes : 0;
    for (const segment of shares ? others : segments) {
      const from = await open(segment.path, 'r');
      try {
        await appendFile({ from, to, at, sizeBytes: segment.sizeBytes, signal });
      } finally {
        await from.close();
      }
      at += segment.sizeBytes;
    }
    const { size } = await to.stat();
    if (size !== sizeBytes) throw new Error(`the parts have ${size} bytes, and not ${sizeBytes}`);
    await to.sync();
  } finally {
    await to.close();
  }
  return true;
}

async function shareBlocks(from: string, to: string): Promise<boolean> {
  return copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
}

async function hasRoom(directory: string, sizeBytes: number): Promise<boolean> {
  const { bavail, blocks, bsize } = await statfs(directory);
  return bavail * bsize - sizeBytes > blocks * bsize * KEPT_FREE;
}

/** The parts are taken away first: when they are gone by then, somebody removed the blob, and its file is not to stay. */
async function dropParts(path: string, scratch: string): Promise<boolean> {
  const taken = join(scratch, `${JOINING}${randomId()}`);
  try {
    await rename(asideOf(path), taken);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    await rm(path, { force: true });
    return false;
  }
  await rm(taken, { recursive: true, force: true });
  return true;
}

async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch((error) => {
    if (!isAbsence(error)) throw error;
    return undefined;
  });
}
