import { FsError } from '../errors/fs-error.ts';
import { isDirectory, type Node } from './node.ts';
import type { Tree } from './tree.ts';

/** The node at a path from the top of the mount; rejects with ENOENT when nothing is there. */
export async function nodeAt(tree: Tree, path: string, signal: AbortSignal): Promise<Node> {
  let at: Node = tree.root;
  for (const name of path.split('/').filter((part) => part !== '')) {
    const found: Node | undefined = isDirectory(at) ? await tree.childOf(at, name, signal) : undefined;
    if (found === undefined) throw new FsError('ENOENT', 'no such file or directory');
    at = found;
  }
  return at;
}
