import { FRESH_MS } from '../../listing/revalidation-plan.ts';
import { nameOnPlatform } from '../../model/escape.ts';
import type { ReplacedFile } from '../../model/file-content.ts';
import { folderIdOf, type ProjectFileNode } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { Contents } from '../../open/contents.ts';
import { placeOf } from './asides.ts';
import { fileNamed, isNamedAs } from './named-now.ts';

/**
 * The file that has the name of `node` on the platform now, and goes with the name: its own, or the one that it, a draft, was
 * renamed over; once another client has moved that, what it has put there since, if anything. The caller holds the lock of the
 * content, and has asked whether `node` has its name still.
 */
export async function publishedNow(
  { tree, contents }: { readonly tree: Tree; readonly contents: Contents },
  node: ProjectFileNode,
): Promise<ReplacedFile | undefined> {
  const content = contents.of(node);
  const known = node.record ? { record: node.record, content } : content.replaces;
  const isAsked = node.record !== undefined && node.draft === undefined;
  if (!known || isAsked || (await hasNodesName(tree, known, node))) return known;
  const there = await fileNamed(tree, placeOf(known.record, node));
  return there && { record: there, content };
}

/** As `publishedNow`, of what a rename takes the name of; a new file that is only here may not know who `isTaken` tells of. */
export async function fileToReplace(
  parts: { readonly tree: Tree; readonly contents: Contents },
  target: ProjectFileNode,
  { isTaken }: { readonly isTaken: boolean },
): Promise<ReplacedFile | undefined> {
  const known = await publishedNow(parts, target);
  const { parent, name } = target;
  if (known || !isTaken || parent?.kind !== 'project-folder') return known;
  const record = await fileNamed(parts.tree, { parent: folderIdOf(parent), name: nameOnPlatform(name) });
  return record && { record, content: parts.contents.of(target) };
}

/** Whether a file that a draft is of, or was renamed over, has the name of its node still: by facts at most a second old. */
export async function hasNodesName(
  tree: Tree,
  { record, content }: ReplacedFile,
  node: ProjectFileNode,
): Promise<boolean> {
  const isFresh = tree.clock.elapsed() - content.node.checkedMs <= FRESH_MS;
  return isFresh || isNamedAs(tree, record, placeOf(record, node));
}
