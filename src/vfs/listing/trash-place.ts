import type { TrashPath } from '../../trash/trashed-file.ts';
import type { Details } from '../directories/details.ts';
import { FsError } from '../errors/fs-error.ts';
import { folderNameOnPlatform, nameOnPlatform } from '../model/escape.ts';
import { isDirectory, pathOf, projectOf } from '../model/node.ts';
import { nodeAt } from '../model/node-at.ts';
import type { Tree } from '../model/tree.ts';

/** `projects/OWNER/NAME` */
const PROJECT_DEPTH = 3;

export interface TrashPlace extends TrashPath {
  /** `owner/short-name` */
  readonly project: string;
  /** Of the project's directory: from the top of the tree, or below the mount point. */
  readonly at: string;
}

/** The path in a project of a path from the top of the tree, whether there is anything now or not. */
export async function trashPlaceAt(
  { tree, details }: { readonly tree: Tree; readonly details: Details },
  path: string,
  signal: AbortSignal,
): Promise<TrashPlace> {
  const parts = path.split('/').filter((part) => part !== '');
  const names = parts.slice(PROJECT_DEPTH);
  const folder = await nodeAt(tree, parts.slice(0, PROJECT_DEPTH).join('/'), signal);
  if (folder.kind !== 'project-folder' || folder.record)
    throw new FsError('EOPNOTSUPP', 'only projects have a trash: name one, or a path in one');
  await details.project(folder.project, signal);
  return {
    project: folder.project.id,
    at: pathOf(folder),
    rootFolder: projectOf(folder).rootFolder,
    names: names.map((name, index) =>
      index < names.length - 1 ? folderNameOnPlatform(name) : nameOnPlatform(name),
    ),
  };
}

/** Another process, or a call beside the tree, changed what is at a path: as far as it is known, it is asked for anew. */
export function lookAgainAt(tree: Tree, path: string): void {
  let directory: Parameters<Tree['expire']>[0] = tree.root;
  for (const name of path.split('/').filter((part) => part !== '')) {
    const known: ReturnType<typeof directory.children.get> = directory.children.get(name);
    if (known?.kind !== 'present' || !isDirectory(known.node)) {
      tree.invalidate(directory, name);
      return;
    }
    directory = known.node;
  }
  tree.expire(directory);
  const { parent, name } = directory;
  if (parent) tree.kernel.invalidateEntry(parent.id, name);
}
