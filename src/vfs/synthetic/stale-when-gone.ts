import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { Awaitable } from '../file-system.ts';
import type { DirectoryNode } from './node.ts';

/**
 * Asks about what is in a directory. The platform's answer that there is no such thing is about the directory: ESTALE has the
 * kernel look its path up again. ENOENT would be the end of the directory to readdir(3).
 */
export async function staleWhenGone<T>(
  { name }: Pick<DirectoryNode, 'name'>,
  ask: () => Awaitable<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    throw new FsError('ESTALE', `${name} is gone`, { cause: error });
  }
}
