import { makerOf } from '../attributes/maker-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { RequestContext } from '../file-system.ts';
import type { ContentNode } from '../model/file-content.ts';
import { requireName } from '../model/names.ts';
import type { Node, ProjectFileNode } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { requireWritable } from '../model/write-access.ts';
import type { Contents } from './contents.ts';

/** The bits that programs ask for when they leave the mode to the umask. Any further bit belongs to the file. */
const USUAL_BITS = 0o666;

export interface NewFile {
  readonly parent: Node;
  readonly name: string;
  readonly mode: number;
  /** The user who makes it. */
  readonly by: Pick<RequestContext, 'uid' | 'gid'>;
  readonly exclusive: boolean;
  /** Nobody need open it: it is published as it is. Of another its close tells what cannot be, and it may become a copy until then. */
  readonly isWhole: boolean;
}

/**
 * A new file under a free name, empty, in the tree, and known to nobody else until it is published: no request is
 * made. The caller opens it or sees to its publication.
 */
export async function newFile(
  tree: Tree,
  contents: Contents,
  how: NewFile,
  signal: AbortSignal,
): Promise<ContentNode> {
  const { parent, name, mode } = how;
  if (parent.kind !== 'project-folder' && parent.kind !== 'volume-directory')
    throw new FsError(
      'EPERM',
      `files are made in projects and volumes, not in ${parent.name || 'the mount itself'}`,
    );
  requireWritable(tree, parent);
  requireName(parent, name, 'file');
  if (how.isWhole) contents.requireByteWritesIn(parent);
  const node = parent.kind === 'project-folder' ? tree.newFile(parent, name) : tree.newObject(parent, name);
  if (node.kind === 'project-file') setMode(tree, node, mode & 0o7777);
  node.owner = makerOf(tree, parent, how.by);
  const content = contents.of(node);
  content.exclusive = how.exclusive;
  await contents.empty(content, signal);
  tree.placed(node);
  return node;
}

/**
 * The mode that a file is made with holds. A pair keeps it where it is more than the umask has left, or where other users
 * get to the mount; elsewhere this mount shows it, for no more than the user who mounted could do with the file.
 */
function setMode({ options }: Tree, node: ProjectFileNode, mode: number): void {
  if (mode === (USUAL_BITS & ~options.umask)) return;
  const isKept = (mode & ~USUAL_BITS) !== 0 || options.allowOther || options.owner === 'kept';
  if (isKept) node.mode = mode;
  else node.madeMode = mode;
}
