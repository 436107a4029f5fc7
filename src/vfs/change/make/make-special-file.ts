import { constants } from 'node:fs';
import { makerOf } from '../../attributes/maker-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { RequestContext } from '../../file-system.ts';
import { requireName } from '../../model/names.ts';
import type { SpecialFileNode } from '../../model/node.ts';
import { isFolder } from '../../model/node.ts';
import type { Place } from '../../model/operations.ts';
import type { Tree } from '../../model/tree.ts';
import { requireWritable } from '../../model/write-access.ts';

const TYPES: ReadonlyMap<number, SpecialFileNode['type']> = new Map([
  [constants.S_IFIFO, 'pipe'],
  [constants.S_IFSOCK, 'socket'],
]);

/** A named pipe or a socket: of this mount alone, and no call of the platform. A device is refused. The name is free. */
export function makeSpecialFile(
  tree: Tree,
  { parent, name }: Place,
  { mode, by }: { readonly mode: number; readonly by: Pick<RequestContext, 'uid' | 'gid'> },
): SpecialFileNode {
  const type = TYPES.get(mode & constants.S_IFMT);
  if (type === undefined)
    throw new FsError('EPERM', `the platform has no devices, and a mount gives none: ${name} cannot be one`);
  if (!isFolder(parent))
    throw new FsError(
      'EPERM',
      `a ${type} is made in a project or volume, not in ${parent.name || 'the mount itself'}`,
    );
  requireWritable(tree, parent);
  requireName(parent, name, 'file');
  const node = tree.newSpecialFile(parent, name, { type, mode: mode & 0o7777 });
  node.owner = makerOf(tree, parent, by);
  tree.placed(node);
  return node;
}
