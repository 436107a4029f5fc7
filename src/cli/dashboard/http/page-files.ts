import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { PACKAGE_ROOT } from '../../../lib/package-root.ts';

/** scripts/build.mjs makes it of src/cli/dashboard/page. */
export const PAGE_DIRECTORY = join(PACKAGE_ROOT, 'dist', 'cli', 'dashboard');

export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
}

/** By name; the name of the page itself is empty. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** The few files of the page, read once: what a request names is never part of a path. */
export async function readPageFiles(directory = PAGE_DIRECTORY): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  for (const name of await readdir(directory)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    files.set(name === 'index.html' ? '' : name, { type, content: await readFile(join(directory, name)) });
  }
  return files;
}
