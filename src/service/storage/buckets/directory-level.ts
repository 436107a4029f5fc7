import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { NOTES_DIRECTORY } from './key-path.ts';

/** A name in a directory as a listing orders it: a folder's ends in `/`, because its keys go on with it. */
export interface LevelEntry {
  readonly name: string;
  readonly kind: 'object' | 'prefix';
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The regular files and directories of one directory, sorted by the bytes of their keys: `a.txt` comes before `a/`,
 * because `.` is below `/`. Symbolic links count as what they point to, unless that lies outside the bucket. Names that
 * are not UTF-8 cannot be keys and are left out. An absent directory is empty.
 */
export async function readLevel(root: string, folder: string): Promise<readonly LevelEntry[]> {
  const path = join(root, folder);
  const entries: { readonly entry: LevelEntry; readonly bytes: Buffer }[] = [];
  for (const dirent of await readEntries(path)) {
    const name = decodeName(dirent.name);
    if (name === undefined || (folder === '' && name === NOTES_DIRECTORY)) continue;
    const kind = await kindOf(dirent, root, join(path, name));
    if (kind === undefined) continue;
    const key = kind === 'prefix' ? `${name}/` : name;
    entries.push({ entry: { name: key, kind }, bytes: Buffer.from(key) });
  }
  return entries.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ entry }) => entry);
}

async function readEntries(path: string): Promise<readonly Dirent<Buffer>[]> {
  try {
    return await readdir(path, { withFileTypes: true, encoding: 'buffer' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

function decodeName(name: Buffer): string | undefined {
  try {
    return utf8.decode(name);
  } catch {
    return undefined;
  }
}

async function kindOf(
  dirent: Dirent<Buffer>,
  root: string,
  path: string,
): Promise<LevelEntry['kind'] | undefined> {
  if (dirent.isFile()) return 'object';
  if (dirent.isDirectory()) return 'prefix';
  if (!dirent.isSymbolicLink() || !(await isInside(root, path))) return undefined;
  const target = await stat(path);
  if (target.isFile()) return 'object';
  return target.isDirectory() ? 'prefix' : undefined;
}

/** Whether a path leads to something inside the directory once every symbolic link is followed. False when it leads nowhere. */
export async function isInside(root: string, path: string): Promise<boolean> {
  try {
    const [home, target] = await Promise.all([realpath(root), realpath(path)]);
    return target === home || target.startsWith(home + sep);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return false;
    throw error;
  }
}
