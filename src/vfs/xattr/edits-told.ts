import type { FileRecord } from '../../api/model.ts';
import type { EditsListener } from '../../edits/owed-edits.ts';
import { isAhead } from '../attributes/annotations.ts';
import { errnoOfFailure } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { ProjectFileNode } from '../model/node.ts';
import { pathOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

type Parts = Pick<Tree, 'nodes' | 'published' | 'doubt' | 'recordError' | 'errors' | 'edits'>;

/** Shows files as the platform has them after changes that followed their calls, and tells of failures. */
export function editsTold(tree: Parts): EditsListener {
  return {
    sent: (files) => {
      for (const [node, file] of nodesOf(tree, files)) learn(tree, node, file);
    },
    refused: ({ file, label }, failure, path) => {
      for (const [node] of nodesOf(tree, [{ id: file }])) tree.doubt(node);
      const reason = `its new metadata was refused: ${failure.message}; what was refused is kept at ${path} (svcfs recover)`;
      tree.recordError({ op: 'setxattr', path: label }, new FsError(errnoOfFailure(failure), reason));
    },
    failed: ({ label }, error) => tree.recordError({ op: 'setxattr', path: label }, error),
  };
}

/** An answer that is on its way may be older: it changes nothing of what is learnt here. */
function learn(tree: Parts, node: ProjectFileNode, sent: FileRecord): void {
  const { record, pending, checkedMs } = node;
  tree.errors.ended(pathOf(node), { ops: ['setxattr'], mark: tree.errors.mark });
  // Its next content has them.
  if (!record || isAhead(node)) return;
  const { tags, metadata } = tree.edits?.shown(sent) ?? sent;
  tree.published(node, { ...record, tags, metadata });
  // Of the rest nothing was told.
  node.pending = pending;
  node.checkedMs = checkedMs;
}

function nodesOf<F extends { readonly id: string }>(
  { nodes }: Parts,
  files: readonly F[],
): readonly (readonly [ProjectFileNode, F])[] {
  if (files.length === 0) return [];
  const byId = new Map(files.map((file) => [file.id, file]));
  return [...nodes.values()].flatMap((node) => {
    const file = node.kind === 'project-file' ? byId.get(node.record?.id ?? '') : undefined;
    return node.kind === 'project-file' && file ? [[node, file] as const] : [];
  });
}
