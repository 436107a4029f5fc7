import { entriesChanged } from '../../attributes/entries-changed.ts';
import { makerOf, SET_GROUP_ID } from '../../attributes/maker-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { RequestContext } from '../../file-system.ts';
import { folderNameOnPlatform } from '../../model/escape.ts';
import { requireName } from '../../model/names.ts';
import type { Node, ProjectFolderNode } from '../../model/node.ts';
import { folderIdOf } from '../../model/node.ts';
import type { Place } from '../../model/operations.ts';
import type { Tree } from '../../model/tree.ts';
import { requireWritable } from '../../model/write-access.ts';

export interface NewDirectory {
  readonly mode: number;
  /** The user who makes it. */
  readonly by: Pick<RequestContext, 'uid' | 'gid' | 'signal'>;
}

/** A folder on the platform; on a volume, which knows no folders, one of this mount until its first object. */
export async function makeDirectory(tree: Tree, place: Place, how: NewDirectory): Promise<Node> {
  const { parent, name } = place;
  requireWritable(tree, parent);
  requireName(parent, name, 'folder');
  if (parent === tree.top && TRASH_OF_USER.test(name)) throw noTrash(name);
  if (parent.kind === 'volume-directory') {
    const node = tree.newVolumeDirectory(parent, name);
    node.owner = makerOf(tree, parent, how.by);
    tree.placed(node);
    entriesChanged(tree, node);
    return node;
  }
  if (parent.kind !== 'project-folder')
    throw new FsError('EPERM', 'projects and volumes are made on the platform');
  return makeFolder(tree, { parent, name }, how);
}

/** Of the desktop's file managers, at the top of a mount (freedesktop.org, Trash specification). */
const TRASH_OF_USER = /^\.Trash(-\d+)?$/;

function noTrash(name: string): FsError {
  return new FsError(
    'EPERM',
    `${name} would be on the platform, for all members to see: delete for good, or mount with --trash`,
  );
}

async function makeFolder(
  tree: Tree,
  { parent, name }: { readonly parent: ProjectFolderNode; readonly name: string },
  how: NewDirectory,
): Promise<Node> {
  const owner = makerOf(tree, parent, how.by);
  const mode = (owner ? how.mode | groupBitOf(tree, parent) : how.mode) & 0o7777;
  const folder = { parent: folderIdOf(parent), name: folderNameOnPlatform(name) };
  const record = await tree.api.files.createFolder(folder, { untilSent: how.by.signal });
  const node = tree.placedRecord(parent, record, { empty: true });
  if (node.kind !== 'project-folder') return node;
  // The platform counts seconds: its time would be before that of the call.
  entriesChanged(tree, node);
  const usual = 0o777 & ~tree.options.umask;
  const facts = { ...(mode !== usual && { mode }), ...(owner !== undefined && { owner }) };
  if (Object.keys(facts).length === 0) return node;
  Object.assign(node, facts);
  tree.folderState.set(record.id, facts);
  return node;
}

/** Folders in one with the set-group-ID bit have it, too. */
function groupBitOf(tree: Tree, parent: ProjectFolderNode): number {
  return tree.attributesOf(parent).attributes.mode & SET_GROUP_ID;
}
