import { FsError } from './fs-error.ts';
import type { Node } from './node.ts';
import { projectOf, volumeOf } from './node.ts';
import type { Tree } from './tree.ts';

/**
 * Whether what `node` is, or is a directory of, may be changed: EROFS for a read-only mount or volume, EACCES without
 * the right on the project, EPERM for what the file system makes itself. The kernel checks the mode bits, but not for
 * root.
 */
export function requireWritable(tree: Tree, node: Node): void {
  if (tree.options.readOnly) throw new FsError('EROFS', 'this mount is read-only (--read-only)');
  switch (node.kind) {
    case 'project-folder':
    case 'project-file':
      if (!projectOf(node).permissions.write)
        throw new FsError('EACCES', `you have no write permission on project ${node.project.id}`);
      return;
    case 'volume-directory':
    case 'volume-object': {
      const volume = volumeOf(node);
      if (volume.accessMode === 'RO') throw new FsError('EROFS', `volume ${volume.id} is read-only`);
      if (!volume.active) throw new FsError('EROFS', `volume ${volume.id} is deactivated`);
      return;
    }
    case 'virtual-directory':
    case 'virtual-file':
      throw new FsError('EPERM', `${node.name || 'the top of the mount'} is made by the file system`);
  }
}
