import { open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readHeader } from './entry-header.ts';
import { type EntryFile, parseFileName } from './entry-name.ts';
import type { Obstacles } from './obstacles.ts';

/** One entry, as it lies on the disk. */
export interface StoredEntry {
  readonly name: string;
  /** The index first. */
  readonly paths: readonly string[];
  readonly allocatedBytes: number;
  readonly usedMs: number;
}

/** Files this old were left by a process that ended while it made or removed an entry: neither takes that long. */
const LEFT_BEHIND_AFTER_MS = 10 * 60_000;

/** The unit of st_blocks, stat(2). */
const SECTOR_BYTES = 512;

interface Found extends EntryFile {
  readonly path: string;
  readonly allocatedBytes: number;
  readonly changedMs: number;
}

/** All entries of a cache, of all processes; files that belong to none are removed once they are old. */
export async function scanEntries(
  directory: string,
  nowMs: number,
  obstacles: Obstacles,
): Promise<readonly StoredEntry[]> {
  const root = join(directory, 'entries');
  const entries: StoredEntry[] = [];
  for (const folder of await namesIn(root, obstacles)) {
    for (const files of groupByName(await filesIn(join(root, folder), obstacles))) {
      const entry = entryOf(files);
      if (entry !== undefined) entries.push(entry);
      if (entry === undefined || files.length > 2) await removeLeftBehind(files, nowMs, obstacles);
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

/** Removes the files that no index names. An index that cannot be read may name any of them. */
async function removeLeftBehind(files: readonly Found[], nowMs: number, obstacles: Obstacles): Promise<void> {
  const index = files.find(({ kind }) => kind === 'index');
  const own = index && (await obstacles.passing(birthNamedIn(index.path)));
  if (index !== undefined && own === undefined) return;
  for (const { kind, birth, path, changedMs } of files) {
    if (kind === 'index' || (kind === 'data' && birth === own)) continue;
    if (nowMs - changedMs > LEFT_BEHIND_AFTER_MS) await obstacles.passing(unlink(path));
  }
}

async function birthNamedIn(path: string): Promise<string | undefined> {
  const index = await open(path, 'r');
  try {
    return (await readHeader(index))?.birth;
  } finally {
    await index.close();
  }
}

async function filesIn(folder: string, obstacles: Obstacles): Promise<readonly Found[]> {
  const found = await Promise.all(
    (await namesIn(folder, obstacles)).map(async (file) => {
      const parsed = parseFileName(file);
      const path = join(folder, file);
      const facts = parsed && (await obstacles.passing(stat(path)));
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

async function namesIn(folder: string, obstacles: Obstacles): Promise<readonly string[]> {
  return (await obstacles.passing(readdir(folder))) ?? [];
}
