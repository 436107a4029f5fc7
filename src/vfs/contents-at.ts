import type { ContentVersion } from '../content/ports.ts';
import { errnoOf } from './errno-of.ts';
import { isDirectory, type Node, pathOf } from './node.ts';
import { nodeAt } from './node-at.ts';
import { versionOf } from './open/version-of.ts';
import type { Tree } from './tree.ts';

/** A file with content on the platform. */
export interface FoundContent {
  /** From the top of the mount. */
  readonly path: string;
  readonly version: ContentVersion;
}

/** The files at a path or anywhere below it, as the platform has them. Rejects with ENOENT when nothing is there. */
export async function* contentsAt(
  tree: Tree,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<FoundContent> {
  yield* contentsBelow(tree, await nodeAt(tree, path, signal), signal);
}

async function* contentsBelow(tree: Tree, node: Node, signal: AbortSignal): AsyncGenerator<FoundContent> {
  if (isDirectory(node)) {
    for (const child of await tree.childrenOf(node, signal)) yield* contentsBelow(tree, child, signal);
    return;
  }
  const file = await currentOf(tree, node, signal);
  if (file === undefined || isDirectory(file) || file.kind === 'virtual-file') return;
  const version = versionOf(file);
  if (version !== undefined) yield { path: pathOf(file), version };
}

/** What has the node's name now, by facts a second old. */
async function currentOf(tree: Tree, node: Node, signal: AbortSignal): Promise<Node | undefined> {
  const { parent, name } = node;
  try {
    await tree.revalidate(node, signal);
    return node;
  } catch (error) {
    if (errnoOf(error) !== 'ESTALE' || parent === undefined) throw error;
    return tree.freshChildOf(parent, name, signal);
  }
}
