/**
 * A mount that begins at a directory below the top of the tree (`--root`). The tree stays whole: what an ended mount left
 * has its place in it, whichever part that mount showed. The kernel knows what is in the directory and nothing above it.
 */
import { join } from 'node:path/posix';
import { nearestWords } from '../../lib/nearest-word.ts';
import { FsError } from '../errors/fs-error.ts';
import { type DirectoryNode, isDirectory, type Node } from '../model/node.ts';
import type { PlatformTree } from './platform-tree.ts';

const MOST_HINTS = 3;
const CONTROL = '/.svcfs';

export class MountTop {
  readonly #tree: PlatformTree;
  /** Of the directory in the tree: `/`, or `/projects/lab/rna`. */
  readonly #path: string;

  private constructor(tree: PlatformTree, path: string) {
    this.#tree = tree;
    this.#path = path;
  }

  /** @throws FsError where there is no directory at that path of the tree, with names that are like it */
  static async enter(tree: PlatformTree, path: string | undefined, signal: AbortSignal): Promise<MountTop> {
    if (path === undefined) return new MountTop(tree, '/');
    let at: DirectoryNode = tree.root;
    const names = path.split('/');
    for (const [depth, name] of names.entries())
      at = await step(tree, { at, name, path: names.slice(0, depth).join('/') }, signal);
    tree.beginAt(at);
    return new MountTop(tree, `/${path}`);
  }

  /** From the path below the mount point, as a person gives it, to that in the tree. */
  inTree(path: string): string {
    const isControl = path === CONTROL || path.startsWith(`${CONTROL}/`);
    return isControl ? path : join(this.#path, path).replace(/(?<=.)\/$/, '');
  }

  /** The reverse of `inTree`. A path outside of the mount stays what it is. */
  shown(path: string): string {
    if (this.#path === '/') return path;
    if (path === this.#path) return '/';
    return path.startsWith(`${this.#path}/`) ? path.slice(this.#path.length) : path;
  }

  /** Why nothing can be reached in the mount any more, if so. */
  gone(): string | undefined {
    const { root, top } = this.#tree;
    if (top === root || top.parent !== undefined) return undefined;
    return (
      `${this.#path.slice(1)}, where this mount begins (--root), was moved or removed elsewhere, or may no longer be ` +
      'seen: unmount, and mount with a --root that is there'
    );
  }
}

async function step(
  tree: PlatformTree,
  { at, name, path }: { readonly at: DirectoryNode; readonly name: string; readonly path: string },
  signal: AbortSignal,
): Promise<DirectoryNode> {
  const next = await tree.childOf(at, name, signal);
  if (next && isDirectory(next)) return next;
  if (next) throw new FsError('ENOTDIR', `${path}/${name} is a file, and no directory`);
  const near = await nearNames(tree, at, name, signal);
  const hint = near.length === 0 ? '' : `: did you mean ${near.join(', or ')}?`;
  throw new FsError('ENOENT', `there is no ${name} in ${path}, or you may not see it${hint}`);
}

/** A hint is worth no failure of its own. */
async function nearNames(
  tree: PlatformTree,
  at: DirectoryNode,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const children: readonly Node[] = await tree.childrenOf(at, signal).catch(() => []);
  return nearestWords(
    name,
    children.filter(isDirectory).map((child) => child.name),
    MOST_HINTS,
  );
}
