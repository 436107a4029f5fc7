import { FsError } from '../errors/fs-error.ts';
import { ANNEX } from './escape.ts';
import type { DirectoryNode, Node } from './node.ts';
import { isAlias, isDirectory, pathOf, projectOf, volumeOf } from './node.ts';
import type { Tree, TreeOptions } from './tree.ts';

/**
 * Throws when the directory `node`, or the entry it stands for, may not be changed. The errno is EROFS for a read-only
 * mount or volume, EACCES without the right on the project, and EPERM for entries that the file system makes itself. The
 * kernel checks the mode bits, but not for root.
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
    case 'special-file':
      if (node.parent) requireWritable(tree, node.parent);
      return;
    case 'virtual-directory':
      throw new FsError('EPERM', madeByFileSystem(node));
  }
}

const MADE_BY_COMMAND = {
  projects:
    'projects are made by a command, for they cost and the platform changes their names: svcfs project create NAME',
  volumes: 'volumes are made by a command, which needs a bucket and its key: svcfs volume create NAME',
} as const;

function madeByFileSystem(node: Node): string {
  const [, top] = pathOf(node).split('/');
  const isCatalog = node.kind === 'virtual-directory' && (top === 'projects' || top === 'volumes');
  if (!isCatalog) return `${node.name || 'the top of the mount'} is made by the file system`;
  return MADE_BY_COMMAND[top];
}

/**
 * Why nobody may write at a path, by what is known of it: the kernel goes by the mode bits, and tells nothing of that.
 * Undefined: it may be changed, or nobody has looked it up.
 */
export function unwritableAt(tree: Tree, path: string): string | undefined {
  const node = knownAt(tree.root, path);
  if (node === undefined) return undefined;
  try {
    requireWritable(tree, node);
    requireNoAlias(tree, node);
    return undefined;
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    // Nobody has looked into the project or volume.
    if (error.errno === 'EIO') return undefined;
    return `nothing is written at ${pathOf(node)}: ${error.message} (${error.errno})`;
  }
}

/** The node at a path, or the directory that it would be made in. */
function knownAt(root: DirectoryNode, path: string): Node | undefined {
  const names = path.split('/').filter((part) => part !== '');
  const last = names.pop();
  if (last === undefined) return undefined;
  let directory = root;
  for (const name of names) {
    // It goes by the folder that it tells of.
    if (name === ANNEX && directory.kind === 'project-folder') return directory;
    const known = directory.children.get(name);
    if (known?.kind !== 'present' || !isDirectory(known.node)) return undefined;
    directory = known.node;
  }
  const known = directory.children.get(last);
  return known?.kind === 'present' ? known.node : directory;
}

/** Whether the bytes of `node` must stay those of an object: it is an alias, and nothing was written to it here. */
export function isFixedAlias(options: Pick<TreeOptions, 'aliasWrite'>, node: Node): boolean {
  return options.aliasWrite === 'refuse' && isAlias(node) && node.draft === undefined;
}

/**
 * EPERM for an alias: the platform cannot write through it, and what is written would silently become a file of its
 * own. The kernel checks the mode bits, but not for root.
 */
export function requireNoAlias(tree: Tree, node: Node): void {
  if (!isFixedAlias(tree.options, node) || !isAlias(node)) return;
  const { storage } = node.record;
  const object = storage.kind === 'volume' ? ` of ${storage.location} on volume ${storage.volume}` : '';
  throw new FsError(
    'EPERM',
    `${node.name} is an alias${object}, which cannot be written: cp it to another name and write the copy, or remove ` +
      'it first, as cp --remove-destination does (--alias-write=copy makes an alias that is written a file of its own)',
  );
}
