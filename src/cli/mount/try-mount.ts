import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../exit-codes.ts';

/**
 * Uses the mount as its first program: who is told that it is there finds it working. What it uses costs no request. (And
 * what is run for the first time takes ten times as long: the next program need not wait for that.)
 */
export async function tryMount(mountPoint: string): Promise<void> {
  try {
    await readdir(mountPoint);
    await stat(join(mountPoint, 'projects'));
    await readFile(join(mountPoint, '.svcfs', 'version'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('failure', `${mountPoint} is mounted, and does not answer: ${reason}`);
  }
}
