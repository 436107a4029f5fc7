import type { FilePlace, FolderPlace } from '../../places/places.ts';
import { folderPlace } from '../listing/places-at.ts';
import type { ProjectFolderNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

/** The files that a table is of. */
export interface TableScope {
  readonly folder: ProjectFolderNode;
  files(signal: AbortSignal): Promise<readonly FilePlace[]>;
}

/** The files in a folder, as the mount knows them: what is not on the platform yet has no row. */
export function folderScope(tree: Tree, folder: ProjectFolderNode): TableScope {
  return {
    folder,
    files: async (signal) => {
      const children = await tree.childrenOf(folder, signal);
      const { project, names }: FolderPlace = folderPlace(folder);
      return children.flatMap((child): readonly FilePlace[] => {
        if (child.kind !== 'project-file' || child.record === undefined) return [];
        return [{ kind: 'file', project, names: [...names, child.record.name], file: child.record }];
      });
    },
  };
}
