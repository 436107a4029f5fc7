import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface FileThere {
  readonly path: string;
  readonly bytes: number;
}

/** So much is looked at, which bounds the requests for it. */
const MOST = { entries: 500, folders: 8 };

/** Files of a folder, and of those below as far as they are looked at. */
export async function filesThere(top: string): Promise<readonly FileThere[]> {
  const files: FileThere[] = [];
  const folders = [top];
  let left = MOST.entries;
  for (let looked = 0; looked < MOST.folders && left > 0; looked++) {
    const folder = folders.shift();
    if (folder === undefined) break;
    const names = (await readdir(folder)).slice(0, left);
    left -= names.length;
    for (const path of names.map((name) => join(folder, name))) {
      const stats = await lstat(path);
      if (stats.isFile()) files.push({ path, bytes: stats.size });
      else if (stats.isDirectory()) folders.push(path);
    }
  }
  return files;
}
