import type { TransferSource, TransferTarget } from '../../jobs/ports.ts';
import { FsError } from '../errors/fs-error.ts';
import type {
  DirectoryNode,
  Node,
  ProjectFolderNode,
  VolumeDirectoryNode,
  VolumeObjectNode,
} from './node.ts';
import { folderIdOf, projectOf, volumeOf } from './node.ts';

/** A node as the source of a move or copy on the platform; EXDEV for one the platform does not have (yet). */
export function transferSourceOf(node: Node): TransferSource {
  switch (node.kind) {
    case 'project-file':
      if (!node.record) break;
      return { kind: 'file', file: node.record, permissions: projectOf(node).permissions };
    case 'project-folder':
      if (!node.record) break;
      return { kind: 'folder', folder: node.record, permissions: projectOf(node).permissions };
    case 'volume-object':
      return { kind: 'object', volume: node.volume.id, location: node.location };
    case 'volume-directory':
      return { kind: 'prefix', volume: node.volume.id, prefix: node.prefix };
    case 'special-file':
    case 'virtual-directory':
      break;
  }
  throw new FsError('EXDEV', `${node.name} is not on the platform`);
}

/** A name (the platform's own) in a directory as the target of a move or copy on the platform. */
export function transferTargetOf(parent: DirectoryNode, name: string): TransferTarget {
  switch (parent.kind) {
    case 'project-folder':
      return projectTarget(parent, name);
    case 'volume-directory':
      return volumeTarget(parent, name);
    case 'virtual-directory':
      throw new FsError('EPERM', `${parent.name || 'the mount itself'} takes no files`);
  }
}

function projectTarget(parent: ProjectFolderNode, name: string): TransferTarget {
  const { permissions } = projectOf(parent);
  return { kind: 'project', project: parent.project.id, parent: folderIdOf(parent), name, permissions };
}

function volumeTarget(parent: VolumeDirectoryNode, name: string): TransferTarget {
  const { accessMode, active } = volumeOf(parent);
  return {
    kind: 'volume',
    volume: parent.volume.id,
    accessMode,
    active,
    location: `${parent.prefix}${name}`,
  };
}

/** Where an object node's content goes when it is published. */
export function objectTargetOf(node: VolumeObjectNode): TransferTarget {
  const { accessMode, active } = volumeOf(node);
  return { kind: 'volume', volume: node.volume.id, accessMode, active, location: node.location };
}
