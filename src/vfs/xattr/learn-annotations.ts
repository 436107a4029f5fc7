import type { FileRecord } from '../../api/model.ts';
import { holdingAnnotations } from '../attributes/annotation-lock.ts';
import { annotationsFor, isAhead } from '../attributes/annotations.ts';
import type { ProjectFileNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

/** The tags and metadata that a file has on the platform now. */
export type LearntAnnotations = Pick<FileRecord, 'id' | 'tags' | 'metadata'>;

/** Somebody at this machine changed files past the mount, which shows them as they are from now on. */
export async function learnAnnotations(
  tree: Pick<Tree, 'nodes' | 'published'>,
  files: readonly LearntAnnotations[],
): Promise<void> {
  const byId = new Map(files.map((file) => [file.id, file]));
  for (const node of [...tree.nodes.values()]) {
    if (node.kind !== 'project-file') continue;
    const learnt = byId.get(node.record?.id ?? '');
    if (learnt !== undefined) await holdingAnnotations([node], () => learn(tree, node, learnt));
  }
}

async function learn(
  tree: Pick<Tree, 'published'>,
  node: ProjectFileNode,
  { id, tags, metadata }: LearntAnnotations,
): Promise<void> {
  const { record, pending, checkedMs } = node;
  if (record?.id !== id) return;
  tree.published(node, { ...record, tags, metadata });
  // Of the rest nothing was told.
  node.pending = pending;
  node.checkedMs = checkedMs;
  // What its next content is to have begins with that.
  if (isAhead(node)) await node.draft?.annotate(annotationsFor(node));
}
