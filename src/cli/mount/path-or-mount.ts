import { CliError } from '../exit-codes.ts';
import { locate, type PathInMount, selectMount } from './select-mount.ts';

/** A path in a mount; without one the top of the mount that the working directory is in, or of the only one there is. */
export async function pathOrMount(path: string | undefined): Promise<PathInMount> {
  if (path === undefined) return { mount: await selectMount(undefined), path: '/' };
  const located = await locate(path);
  if (located === undefined) throw new CliError('notMounted', `${path}: not in a mount of svcfs`);
  return located;
}
