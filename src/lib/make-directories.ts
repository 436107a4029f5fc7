import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from './error-code.ts';

/**
 * Makes a directory and what is missing above it, and answers the first that was made; undefined: it was there. Others may
 * make the same meanwhile. Where the system says ENOENT although what is above is there, as in /proc, it fails: a recursive
 * `mkdir` of Node.js (MKDirpAsync in its src/node_file.cc) makes the two by turns for ever.
 */
export async function makeDirectories(path: string, mode = 0o777): Promise<string | undefined> {
  try {
    return await makeOne(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error;
    const first = await makeDirectories(parent, mode);
    const own = await makeOne(path, mode);
    return first ?? own;
  }
}

async function makeOne(path: string, mode: number): Promise<string | undefined> {
  try {
    await mkdir(path, { mode });
    return path;
  } catch (error) {
    if (await isDirectory(path)) return undefined;
    throw error;
  }
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
