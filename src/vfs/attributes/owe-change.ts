import type { FileChange } from '../../content/ports.ts';
import { describePath } from '../../places/platform-path.ts';
import { folderNameOnPlatform, nameOnPlatform } from '../model/escape.ts';
import { type DirectoryNode, type ProjectFileNode, pathOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

/**
 * With `--write-back` a change of a published file follows the call that asks for it: safe on this machine when this
 * returns, and shown. False: it is to be made now.
 */
export async function oweChange(
  { edits }: Pick<Tree, 'edits'>,
  node: ProjectFileNode,
  id: string,
  change: FileChange,
): Promise<boolean> {
  if (!edits?.follow) return false;
  await edits.add({ file: id, label: pathOf(node), place: placeOf(node) }, change);
  return true;
}

/** Runs what removes files of ours, or replaces them by one that has taken over what they are owed. */
export function replacing<T>(
  { edits }: Pick<Tree, 'edits'>,
  files: readonly string[],
  work: () => Promise<T>,
  gone: (result: T) => readonly string[],
): Promise<T> {
  return edits ? edits.whileLeaving(files, work, gone) : work();
}

/** As tables of metadata have it. */
function placeOf({ name, parent, project }: ProjectFileNode): string {
  const names = [nameOnPlatform(name)];
  let at: DirectoryNode | undefined = parent;
  // The directory of the project has no record.
  for (; at?.kind === 'project-folder' && at.record; at = at.parent)
    names.unshift(folderNameOnPlatform(at.name));
  return describePath({ project: project.id, names });
}
