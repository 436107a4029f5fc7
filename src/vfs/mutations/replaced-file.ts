import { FRESH_MS } from '../listing/revalidation-plan.ts';
import type { ProjectFileNode } from '../node.ts';
import type { Contents } from '../open/contents.ts';
import type { FileContent, ReplacedFile } from '../open/file-content.ts';
import type { Tree } from '../tree.ts';
import { type Asides, placeOf } from './asides.ts';
import { isNamedAs } from './named-now.ts';

/**
 * The file that has the name of `node` on the platform now: its own, or the one that it, a draft, was renamed over and that
 * another client has left there. The caller has asked whether `node` has its name still.
 */
export async function publishedNow(
  { tree, contents }: { readonly tree: Tree; readonly contents: Contents },
  node: ProjectFileNode,
): Promise<ReplacedFile | undefined> {
  const content = contents.of(node);
  if (node.record) return { record: node.record, content };
  const { replaces } = content;
  return replaces && (await hasNodesName(tree, replaces, node)) ? replaces : undefined;
}

/** Whether the file that a draft was renamed over still has the name of its node on the platform: by facts at most a second old. */
export async function hasNodesName(
  tree: Tree,
  { record, content }: ReplacedFile,
  node: ProjectFileNode,
): Promise<boolean> {
  const isFresh = tree.clock.elapsed() - content.node.checkedMs <= FRESH_MS;
  return isFresh || isNamedAs(tree, record, placeOf(record, node));
}

/** Removes the published file that still has the name of a draft whose name is removed, if it was renamed over one. */
export async function removeReplaced(
  { tree, asides }: { readonly tree: Tree; readonly asides: Asides },
  node: ProjectFileNode,
  content: FileContent,
): Promise<void> {
  const { replaces } = content;
  // What another client has moved is no longer what the name stands for.
  if (replaces && (await hasNodesName(tree, replaces, node))) {
    const { id } = replaces.record;
    if (replaces.content.handles.size > 0) {
      await asides.keepForHandles(replaces.record, node);
      await asides.deleteAfter(id, replaces.content);
    } else await tree.api.files.delete(id);
  }
  content.replaces = undefined;
}
