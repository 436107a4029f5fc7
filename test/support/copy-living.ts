import { cp, rm } from 'node:fs/promises';
import { errorCode } from '../../src/lib/error-code.ts';

const MOST_TRIES = 20;

/** Copies a directory that is in use: when something goes away while it is copied, it is copied anew. `to` is not there before. */
export async function copyLiving(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await cp(from, to, { recursive: true });
    } catch (error) {
      if (errorCode(error) !== 'ENOENT' || tries === MOST_TRIES) throw error;
      await rm(to, { recursive: true, force: true });
    }
  }
}
