import type { ContentVersion } from '../../content/ports.ts';
import { errnoOf } from '../errors/errno-of.ts';
import type { Awaitable } from '../file-system.ts';
import { isHidden } from '../model/hidden.ts';
import {
  type DirectoryNode,
  isDirectory,
  isLink,
  isPinned,
  type Node,
  type ProjectFileNode,
  pathOf,
  type VolumeObjectNode,
} from '../model/node.ts';
import { nodeAt } from '../model/node-at.ts';
import type { Tree } from '../model/tree.ts';
import { versionOf } from '../model/version-of.ts';

/** A file with content on the platform. */
export interface FoundContent {
  /** From the top of the mount. */
  readonly path: string;
  readonly version: ContentVersion;
}

export interface FoundFile extends FoundContent {
  readonly node: ProjectFileNode | VolumeObjectNode;
}

export interface ContentsOptions {
  readonly signal: AbortSignal;
  /** Told of what cannot be looked at; what comes after it is all the same. */
  readonly onFailure: (path: string, error: unknown) => void;
  /** Told of what has no content of its own: a symbolic link, a pipe, a socket. */
  readonly onLeftOut?: ((path: string, what: string) => void) | undefined;
}

/** Near the rate limit a person's `ls` goes before a whole tree. */
const PRIORITY = 'data';

/** Something to look at, found when its turn comes: undefined if it is gone by then. */
interface Turn {
  readonly path: string;
  readonly find: () => Awaitable<Node | undefined>;
}

/** The files at a path or anywhere below it, as the platform has them. Fails with ENOENT when nothing is there. */
export function contentsAt(tree: Tree, path: string, options: ContentsOptions): AsyncGenerator<FoundFile> {
  return contentsOf(tree, { path, find: () => nodeAt(tree, path, options.signal) }, options);
}

async function* contentsOf(
  tree: Tree,
  { path, find }: Turn,
  options: ContentsOptions,
): AsyncGenerator<FoundFile> {
  const { signal, onFailure } = options;
  let found: FoundFile | undefined;
  let below: Iterable<Turn> = [];
  try {
    const node = await find();
    if (node !== undefined && isDirectory(node))
      below = turnsOf(tree, node, await tree.childrenOf(node, signal, PRIORITY), signal);
    else found = node && (await contentOf(tree, node, options));
  } catch (error) {
    signal.throwIfAborted();
    onFailure(path, error);
  }
  if (found !== undefined) yield found;
  for (const turn of below) yield* contentsOf(tree, turn, options);
}

/** By their names now: a child's turn may come late, when another has its name. */
function turnsOf(
  tree: Tree,
  directory: DirectoryNode,
  children: readonly Node[],
  signal: AbortSignal,
): readonly Turn[] {
  const above = pathOf(directory);
  const listed = children.filter((child) => !isHidden(child));
  return listed.map((child) => {
    const { name } = child;
    const isThere = (): boolean => child.parent === directory && child.name === name;
    return {
      path: above === '/' ? `/${name}` : `${above}/${name}`,
      find: () => (isThere() ? child : tree.freshChildOf(directory, name, signal)),
    };
  });
}

async function contentOf(
  tree: Tree,
  node: Node,
  { signal, onLeftOut }: ContentsOptions,
): Promise<FoundFile | undefined> {
  const file = await currentOf(tree, node, signal);
  if (file === undefined) return undefined;
  if (file.kind === 'special-file' || isLink(file)) {
    onLeftOut?.(pathOf(file), file.kind === 'special-file' ? `a ${file.type}` : 'a symbolic link');
    return undefined;
  }
  if (file.kind !== 'project-file' && file.kind !== 'volume-object') return undefined;
  const version = versionOf(file);
  return version && { path: pathOf(file), version, node: file };
}

/** The node that has this one's name now, by facts at most a second old. */
async function currentOf(tree: Tree, node: Node, signal: AbortSignal): Promise<Node | undefined> {
  const { parent, name } = node;
  try {
    await tree.revalidate(node, signal, { priority: PRIORITY });
    return node;
  } catch (error) {
    const isOther = errnoOf(error) === 'ESTALE' && parent !== undefined && !isPinnedFile(node);
    if (!isOther) throw error;
    return tree.freshChildOf(parent, name, signal);
  }
}

/** No other file gets its name. */
function isPinnedFile(node: Node): boolean {
  return (node.kind === 'project-file' || node.kind === 'volume-object') && isPinned(node);
}
