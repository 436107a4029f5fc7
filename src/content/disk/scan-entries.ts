import { open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../lib/error-code.ts';
import { readHeader } from './entry-header.ts';
import { type EntryFile, parseFileName } from './entry-name.ts';

/** One entry, as it lies on the disk. */
export interface StoredEntry {
  readonly name: string;
  /** The index first. */
  readonly paths: readonly string[];
  readonly allocatedBytes: number;
  readonly usedMs: number;
}

/** What a process leaves behind that ended while it made or removed an entry. None takes that long. */
const LEFT_BEHIND_AFTER_MS = 10 * 60_000;

/** The unit of st_blocks, stat(2). */
const SECTOR_BYTES = 512;

interface Found extends EntryFile {
  readonly path: string;
  readonly allocatedBytes: number;
  readonly changedMs: number;
}

/** All entries of a cache, whoever made them; files that belong to none are removed once they are old. */
export async function scanEntries(directory: string, nowMs: number): Promise<readonly StoredEntry[]> {
  const root = join(directory, 'entries');
  const entries: StoredEntry[] = [];
  for (const folder of await namesIn(root)) {
    for (const files of groupByName(await filesIn(join(root, folder)))) {
      const entry = entryOf(files);
      if (entry !== undefined) entries.push(entry);
      if (entry === undefined || files.length > 2) await removeLeftBehind(files, nowMs);
    }
  }
  return entries;
}

function entryOf(files: readonly Found[]): StoredEntry | undefined {
  const index = files.find(({ kind }) => kind === 'index');
  if (index === undefined) return undefined;
  const data = files.filter(({ kind }) => kind === 'data');
  return {
    name: index.name,
    paths: [index, ...data].map(({ path }) => path),
    allocatedBytes: files.reduce((sum, { allocatedBytes }) => sum + allocatedBytes, 0),
    usedMs: index.changedMs,
  };
}

/** What the index of these files, if there is one, does not name. */
async function removeLeftBehind(files: readonly Found[], nowMs: number): Promise<void> {
  const index = files.find(({ kind }) => kind === 'index');
  const own = index && (await birthNamedIn(index.path));
  for (const { kind, birth, path, changedMs } of files) {
    if (kind === 'index' || (kind === 'data' && birth === own)) continue;
    if (nowMs - changedMs > LEFT_BEHIND_AFTER_MS) await rm(path, { force: true });
  }
}

async function birthNamedIn(path: string): Promise<string | undefined> {
  const index = await ifThere(open(path, 'r'));
  if (index === undefined) return undefined;
  try {
    return (await readHeader(index))?.birth;
  } finally {
    await index.close();
  }
}

async function filesIn(folder: string): Promise<readonly Found[]> {
  const found = await Promise.all(
    (await namesIn(folder)).map(async (file) => {
      const parsed = parseFileName(file);
      const path = join(folder, file);
      const facts = parsed && (await ifThere(stat(path)));
      if (parsed === undefined || facts === undefined) return [];
      const allocatedBytes = facts.blocks * SECTOR_BYTES;
      return [{ ...parsed, path, allocatedBytes, changedMs: facts.mtimeMs }];
    }),
  );
  return found.flat();
}

function groupByName(files: readonly Found[]): Iterable<readonly Found[]> {
  const groups = new Map<string, Found[]>();
  for (const file of files) {
    const group = groups.get(file.name);
    if (group === undefined) groups.set(file.name, [file]);
    else group.push(file);
  }
  return groups.values();
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await ifThere(readdir(folder))) ?? [];
}

/** Undefined: it is gone. Others remove entries while we look. */
async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
