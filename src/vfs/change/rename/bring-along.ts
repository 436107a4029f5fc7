/**
 * A folder goes to another project while files in it are being written, or pipes and sockets are made in it: of all its
 * nodes these alone go there with it.
 */
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import type {
  FolderNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  SpecialFileNode,
} from '../../model/node.ts';
import { isFolder, pathOf } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import type { Contents } from '../../open/contents.ts';

export interface Taken {
  readonly node: ProjectFileNode | SpecialFileNode;
  /** Names of the folders that it is in, from the one that goes. */
  readonly folders: readonly string[];
}

/** What is being written below a folder, or was and is not on the platform; and what is of this mount alone. */
export function hereBelow(contents: Contents, folder: ProjectFolderNode): readonly Taken[] {
  const found: Taken[] = [...specialFilesBelow(folder, [])];
  for (const { node, writers, outstanding, unlinked } of contents.values()) {
    if (node.kind !== 'project-file' || unlinked || (writers === 0 && outstanding === 'none')) continue;
    const folders = foldersTo(node, folder);
    if (folders) found.push({ node, folders });
  }
  return found;
}

function* specialFilesBelow(folder: FolderNode, folders: readonly string[]): Generator<Taken> {
  for (const child of folder.children.nodes()) {
    if (isFolder(child)) yield* specialFilesBelow(child, [...folders, child.name]);
    else if (child.kind === 'special-file') yield { node: child, folders };
  }
}

function foldersTo(node: ProjectFileNode, folder: ProjectFolderNode): readonly string[] | undefined {
  const folders: string[] = [];
  for (let at = node.parent; at; at = at.parent) {
    if (at === folder) return folders;
    folders.unshift(at.name);
  }
  return undefined;
}

/** Puts it where its folder is now. What is not found there has no place any more; its writer is told. */
export async function bringAlong(tree: Tree, taken: readonly Taken[], to: ProjectFolderNode): Promise<void> {
  for (const { node, folders } of taken) {
    try {
      const parent = await folderAt(tree, to, folders);
      if (parent) tree.moved(node, { parent, name: node.name });
    } catch (error) {
      tree.recordError({ op: 'rename', path: `${pathOf(to)}/${[...folders, node.name].join('/')}` }, error);
    }
  }
}

async function folderAt(
  tree: Tree,
  top: ProjectFolderNode,
  folders: readonly string[],
): Promise<ProjectFolderNode | undefined> {
  let at: Node | undefined = top;
  for (const name of folders)
    at = at?.kind === 'project-folder' ? await tree.childOf(at, name, NEVER_ABORTED) : undefined;
  return at?.kind === 'project-folder' ? at : undefined;
}
