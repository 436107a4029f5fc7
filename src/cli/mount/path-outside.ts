import { isAbsolute } from 'node:path';
import { leadsInto } from './own-files.ts';

/** Of execvp(3), where nothing else is left. */
const DEFAULT_PATH = '/usr/bin:/bin';

/**
 * PATH without what leads into a directory that is about to be mounted on. A program that is started from here is looked for
 * while this thread waits, which alone could answer a look at the mount.
 */
export async function pathOutside(mountPoint: string, path: string): Promise<string> {
  const directories = path.split(':').filter(isAbsolute);
  const inside = await Promise.all(directories.map((directory) => leadsInto(mountPoint, directory)));
  return directories.filter((_, index) => !inside[index]).join(':') || DEFAULT_PATH;
}
