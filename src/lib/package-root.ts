import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of package.json: above `src` for the sources, and above `dist` for what is built of them. */
export const PACKAGE_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : rootAbove(dirname(directory));
}
