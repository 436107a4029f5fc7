/**
 * Decides what a rename becomes by the entries at both ends, before the platform is asked. All demands of rename(2) on
 * kinds and on present entries are here. The ways to do a rename are not.
 */
import type { VolumeObjectRecord } from '../../../api/model.ts';
import { FsError } from '../../errors/fs-error.ts';
import type {
  DirectoryNode,
  FolderNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  SpecialFileNode,
  VolumeDirectoryNode,
  VolumeObjectNode,
} from '../../model/node.ts';
import { isDirectory, isFolder } from '../../model/node.ts';

export interface RenameQuestion {
  readonly source: Node;
  readonly to: { readonly parent: DirectoryNode; readonly name: string };
  /** The node that has the new name now. */
  readonly target: Node | undefined;
  readonly noReplace: boolean;
  /** The store of both ends copies and removes objects: there are keys of its bucket. */
  readonly canCopy: boolean;
}

export type RenamePlan =
  /** The same file under the same name. */
  | { readonly kind: 'nothing' }
  /** Rename or move call; id, metadata and tags stay. */
  | {
      readonly kind: 'file';
      readonly source: ProjectFileNode;
      readonly parent: ProjectFolderNode;
      readonly target: ProjectFileNode | undefined;
    }
  /** Asynchronous move; a folder's id changes. */
  | {
      readonly kind: 'folder';
      readonly source: ProjectFolderNode;
      readonly parent: ProjectFolderNode;
      readonly target: ProjectFolderNode | undefined;
    }
  /** Export: the source stays as an alias of the object. */
  | {
      readonly kind: 'export';
      readonly source: ProjectFileNode | ProjectFolderNode;
      readonly parent: VolumeDirectoryNode;
      /** An object is replaced, a level added to. */
      readonly target: VolumeObjectNode | VolumeDirectoryNode | undefined;
    }
  /** Of a file that its volume does not have yet: it becomes the object of its new name. */
  | {
      readonly kind: 'new-object';
      readonly source: VolumeObjectNode;
      readonly parent: VolumeDirectoryNode;
      readonly target: VolumeObjectNode | undefined;
    }
  /** The store copies the object, and the old one is removed. */
  | {
      readonly kind: 'object';
      readonly source: VolumeObjectNode & { readonly record: VolumeObjectRecord };
      readonly parent: VolumeDirectoryNode;
      readonly target: VolumeObjectNode | undefined;
    }
  /** A pipe or socket gets another name; the platform does not know of it. */
  | {
      readonly kind: 'special';
      readonly source: SpecialFileNode;
      readonly parent: FolderNode;
      readonly target: Node | undefined;
    }
  /** Import: an alias in the project; the object stays. */
  | {
      readonly kind: 'import';
      readonly source: VolumeObjectNode | VolumeDirectoryNode;
      readonly parent: ProjectFolderNode;
      readonly target: ProjectFileNode | undefined;
    };

/** Throws the errno of rename(2) for what cannot be. */
export function planRename(question: RenameQuestion): RenamePlan {
  const { source, to, target, noReplace } = question;
  if (target && noReplace) throw new FsError('EEXIST', `${to.name} exists`);
  if (source === target) return { kind: 'nothing' };
  if (target) requireSameKind(source, target);
  if (isDirectory(source)) requireOutside(source, to.parent);
  switch (source.kind) {
    case 'project-file':
      return planFile(source, question);
    case 'project-folder':
      return planFolder(source, question);
    case 'volume-object':
    case 'volume-directory':
      return planFromVolume(source, question);
    case 'special-file':
      return planSpecial(source, question);
    case 'virtual-directory':
      throw new FsError('EPERM', `${source.name} is made by the file system and keeps its name`);
    default:
      return source satisfies never;
  }
}

function planFile(source: ProjectFileNode, { to, target }: RenameQuestion): RenamePlan {
  const { parent } = to;
  if (parent.kind === 'volume-directory') return planExport(source, { parent, target });
  if (parent.kind !== 'project-folder') throw takesNothing(parent);
  return { kind: 'file', source, parent, target: target?.kind === 'project-file' ? target : undefined };
}

function planFolder(source: ProjectFolderNode, { to, target }: RenameQuestion): RenamePlan {
  const { parent } = to;
  if (!source.record) throw new FsError('EPERM', `${source.name} is a project: its directory keeps its name`);
  if (parent.kind === 'volume-directory') return planExport(source, { parent, target });
  if (parent.kind !== 'project-folder') throw takesNothing(parent);
  return { kind: 'folder', source, parent, target: target?.kind === 'project-folder' ? target : undefined };
}

function planExport(
  source: ProjectFileNode | ProjectFolderNode,
  { parent, target }: { readonly parent: VolumeDirectoryNode; readonly target: Node | undefined },
): RenamePlan {
  const isOnVolume = target?.kind === 'volume-object' || target?.kind === 'volume-directory';
  return { kind: 'export', source, parent, target: isOnVolume ? target : undefined };
}

function planFromVolume(
  source: VolumeObjectNode | VolumeDirectoryNode,
  { to, target, canCopy }: RenameQuestion,
): RenamePlan {
  const { parent } = to;
  if (source.kind === 'volume-object' && !isPublished(source))
    return planNewObject(source, { parent, target });
  if (source.kind === 'volume-directory' && source.prefix === '')
    throw new FsError('EPERM', `${source.name} is a volume: its directory keeps its name`);
  if (parent.kind === 'volume-directory' && canCopy) return planObject(source, { parent, target });
  if (parent.kind === 'volume-directory')
    throw new FsError('EPERM', 'the API neither renames objects nor moves them between volumes');
  if (parent.kind !== 'project-folder') throw takesNothing(parent);
  if (source.kind === 'volume-directory' && source.local)
    throw new FsError('EXDEV', `${source.name} is not on the volume yet: make it anew in the project`);
  return { kind: 'import', source, parent, target: target?.kind === 'project-file' ? target : undefined };
}

/** A store has no directories: mv(1) then copies what is below, by the store itself, and removes it. */
function planObject(
  source: VolumeObjectNode | VolumeDirectoryNode,
  { parent, target }: { readonly parent: VolumeDirectoryNode; readonly target: Node | undefined },
): RenamePlan {
  if (source.kind === 'volume-directory' || !isPublished(source) || source.volume.id !== parent.volume.id)
    throw new FsError('EXDEV', `a store renames single objects of one volume: ${source.name} is copied`);
  return {
    kind: 'object',
    source,
    parent,
    target: target?.kind === 'volume-object' ? target : undefined,
  };
}

function isPublished(
  node: VolumeObjectNode,
): node is VolumeObjectNode & { readonly record: VolumeObjectRecord } {
  return node.record !== undefined;
}

function planSpecial(source: SpecialFileNode, { to, target }: RenameQuestion): RenamePlan {
  const { parent } = to;
  if (!isFolder(parent)) throw takesNothing(parent);
  if (!source.parent || !isFolder(source.parent) || homeOf(source.parent) !== homeOf(parent))
    throw new FsError(
      'EPERM',
      `${source.name} is a ${source.type} of this mount, and stays in its project or volume: make another one there`,
    );
  return { kind: 'special', source, parent, target };
}

function homeOf(folder: FolderNode): unknown {
  return folder.kind === 'project-folder' ? folder.project : folder.volume;
}

function planNewObject(
  source: VolumeObjectNode,
  { parent, target }: { readonly parent: DirectoryNode; readonly target: Node | undefined },
): RenamePlan {
  if (parent.kind === 'virtual-directory') throw takesNothing(parent);
  if (parent.kind !== 'volume-directory' || parent.volume.id !== source.volume.id)
    throw new FsError(
      'EXDEV',
      `${source.name} is not on volume ${source.volume.id} yet: its bytes are copied`,
    );
  return {
    kind: 'new-object',
    source,
    parent,
    target: target?.kind === 'volume-object' ? target : undefined,
  };
}

function requireSameKind(source: Node, target: Node): void {
  if (isDirectory(source) && !isDirectory(target))
    throw new FsError('ENOTDIR', `${target.name} is not a directory`);
  if (!isDirectory(source) && isDirectory(target))
    throw new FsError('EISDIR', `${target.name} is a directory`);
}

function requireOutside(source: DirectoryNode, parent: DirectoryNode): void {
  for (let at: DirectoryNode | undefined = parent; at; at = at.parent)
    if (at === source) throw new FsError('EINVAL', `${source.name} cannot go below itself`);
}

function takesNothing(parent: DirectoryNode): FsError {
  return new FsError('EPERM', `${parent.name || 'the top of the mount'} takes no files`);
}
