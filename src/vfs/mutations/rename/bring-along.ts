/** A folder goes to another project while files in it are being written: of all its nodes theirs alone go there with it. */
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import type { Node, ProjectFileNode, ProjectFolderNode } from '../../node.ts';
import { pathOf } from '../../node.ts';
import type { Contents } from '../../open/contents.ts';
import type { Tree } from '../../tree.ts';

export interface Written {
  readonly node: ProjectFileNode;
  /** Names of the folders that it is in, from the one that goes. */
  readonly folders: readonly string[];
}

/** What is being written below a folder, or was and is not on the platform. */
export function writtenBelow(contents: Contents, folder: ProjectFolderNode): readonly Written[] {
  const found: Written[] = [];
  for (const { node, writers, outstanding, unlinked } of contents.values()) {
    if (node.kind !== 'project-file' || unlinked || (writers === 0 && outstanding === 'none')) continue;
    const folders = foldersTo(node, folder);
    if (folders) found.push({ node, folders });
  }
  return found;
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
export async function bringAlong(
  tree: Tree,
  written: readonly Written[],
  to: ProjectFolderNode,
): Promise<void> {
  for (const { node, folders } of written) {
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
