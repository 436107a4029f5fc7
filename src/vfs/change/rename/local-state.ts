/**
 * A folder that goes to another project is another folder there, and so is each one below it. What this mount alone knows of
 * them goes along: modes, times and owners of folders, and the modes that files were made with.
 */
import type { FolderFacts } from '../../model/folder-state.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';

export interface LocalState {
  readonly folders: readonly FolderWithFacts[];
  readonly files: readonly ProjectFileNode[];
}

interface FolderWithFacts {
  readonly id: string;
  /** Names of the folders that lead to it, its own included, from the one that goes. */
  readonly names: readonly string[];
  readonly facts: FolderFacts;
}

/** Of all that is known below a folder. */
export function localStateBelow(tree: Tree, folder: ProjectFolderNode): LocalState {
  const folders: FolderWithFacts[] = [];
  const files: ProjectFileNode[] = [];
  const collect = (at: ProjectFolderNode, names: readonly string[]): void => {
    for (const child of at.children.nodes()) {
      if (child.kind === 'project-file') files.push(child);
      if (child.kind !== 'project-folder' || !child.record) continue;
      const below = [...names, child.name];
      const facts = tree.folderState.get(child.record.id);
      if (facts) folders.push({ id: child.record.id, names: below, facts });
      collect(child, below);
    }
  };
  collect(folder, []);
  return { folders, files };
}

/** `find` gives the folder at names below the one that has moved. */
export async function bringState(
  tree: Tree,
  { folders, files }: LocalState,
  find: (names: readonly string[]) => Promise<ProjectFolderNode | undefined>,
): Promise<void> {
  for (const file of files) tree.passOn(file);
  for (const { id, names, facts } of folders) {
    const folder = await find(names);
    if (!folder?.record) continue;
    tree.folderState.set(folder.record.id, facts);
    tree.folderState.delete(id);
    Object.assign(folder, facts);
  }
}
