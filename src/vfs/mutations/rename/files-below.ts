/** Files below a folder that this mount has open or has not sent yet. */
import { FsError } from '../../fs-error.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../node.ts';
import type { Contents } from '../../open/contents.ts';

/** Those that are not, or not as they are now, on the platform. */
export function unpublishedBelow(contents: Contents, folder: ProjectFolderNode): ProjectFileNode[] {
  const found: ProjectFileNode[] = [];
  for (const { node, unlinked } of contents.values())
    if (node.kind === 'project-file' && node.draft && !unlinked && isBelow(node, folder)) found.push(node);
  return found;
}

/** EBUSY: what is being written would be left behind, or taken along half. */
export function requireNoneWritten(unpublished: readonly ProjectFileNode[], folder: ProjectFolderNode): void {
  const [first] = unpublished;
  if (first) throw new FsError('EBUSY', `${first.name} in ${folder.name} is being written: close it first`);
}

/** EBUSY: whoever reads a file below the folder would lose it. */
export function requireNoneOpen(contents: Contents, folder: ProjectFolderNode): void {
  for (const { node, handles } of contents.values())
    if (node.kind === 'project-file' && handles.size > 0 && isBelow(node, folder))
      throw new FsError('EBUSY', `${node.name} in ${folder.name} is open: close it first`);
}

function isBelow(node: ProjectFileNode, folder: ProjectFolderNode): boolean {
  for (let at = node.parent; at; at = at.parent) if (at === folder) return true;
  return false;
}
