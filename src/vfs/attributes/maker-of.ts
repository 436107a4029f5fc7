import type { RequestContext } from '../file-system.ts';
import type { Node, Owner } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';

export const SET_GROUP_ID = 0o2000;

/**
 * The owner of a new file with `--owner kept`: the user and group of the process that makes it. In a folder with the
 * set-group-ID bit the group is the folder's. Undefined: owners are not kept.
 */
export function makerOf(
  tree: Tree,
  parent: Node,
  { uid, gid }: Pick<RequestContext, 'uid' | 'gid'>,
): Owner | undefined {
  if (tree.options.owner !== 'kept') return undefined;
  const folder = tree.attributesOf(parent).attributes;
  return { uid, gid: (folder.mode & SET_GROUP_ID) === 0 ? gid : folder.gid };
}
