import type { Details } from '../directories/details.ts';
import { FsError } from '../errors/fs-error.ts';
import { folderIdOf, type Node, type ProjectFolderNode } from '../model/node.ts';
import { nodeAt } from '../model/node-at.ts';
import type { Tree } from '../model/tree.ts';

/** Where the platform has a file or folder of a project. */
export interface PlatformPlace {
  readonly kind: 'file' | 'folder';
  /** `owner/short-name` */
  readonly project: string;
  /** From the root folder of the project down, as the platform has them. */
  readonly names: readonly string[];
  readonly id: string;
}

/** The place on the platform of a path from the top of the mount. */
export async function placeAt(
  { tree, details }: { readonly tree: Tree; readonly details: Details },
  path: string,
  signal: AbortSignal,
): Promise<PlatformPlace> {
  const node = await nodeAt(tree, path, signal);
  switch (node.kind) {
    case 'project-file': {
      if (!node.record) throw new FsError('EAGAIN', 'the file is not on the platform yet');
      const { id, name } = node.record;
      return { kind: 'file', project: node.project.id, names: [...namesAbove(node), name], id };
    }
    case 'project-folder':
      await details.project(node.project, signal);
      return { kind: 'folder', project: node.project.id, names: namesOf(node), id: folderIdOf(node) };
    case 'volume-directory':
    case 'volume-object':
      throw new FsError('EOPNOTSUPP', 'objects of volumes have no metadata or tags that can be changed');
    default:
      throw new FsError('EOPNOTSUPP', 'no file or folder of a project');
  }
}

function namesAbove({ parent }: Node): readonly string[] {
  return parent?.kind === 'project-folder' ? namesOf(parent) : [];
}

/** None of the project's own directory. */
function namesOf(folder: ProjectFolderNode): readonly string[] {
  return folder.record ? [...namesAbove(folder), folder.record.name] : [];
}
