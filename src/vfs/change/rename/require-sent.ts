/** The demand of a rename by a job of the platform: all moved files are sent, and no program is writing one. */

import { forEachAtOnce } from '../../../lib/for-each-at-once.ts';
import { FsError } from '../../errors/fs-error.ts';
import {
  type FolderNode,
  isFolder,
  type ProjectFileNode,
  type ProjectFolderNode,
  type VolumeDirectoryNode,
  type VolumeObjectNode,
} from '../../model/node.ts';
import type { Contents } from '../../open/contents.ts';
import type { RenameParts } from './rename-parts.ts';

/** Brings to the platform what is only here. EBUSY while someone writes: a job cannot take what is half-written. */
export async function requireAllSent(
  { contents, attributes }: RenameParts,
  node: ProjectFileNode,
): Promise<void> {
  await contents.whenReleased(node);
  await contents.publishClosed(node);
  if (contents.find(node)?.writers) throw isWritten(node);
  await attributes.write(node);
}

/**
 * Runs `move`, a job that takes the file as it was sent, and its name from it: nobody begins to write it meanwhile. EBUSY
 * when someone has since it was sent. The caller holds the lock of its content.
 */
export async function whileAllSent<T>(
  contents: Contents,
  node: ProjectFileNode,
  move: () => Promise<T>,
): Promise<T> {
  const content = contents.of(node);
  const { writers, changes, outstanding } = content;
  if (writers > 0 || changes > 0 || outstanding !== 'none') throw isWritten(node);
  return content.holdingUp('writers', move);
}

function isWritten({ name }: ProjectFileNode): FsError {
  return new FsError('EBUSY', `${name} is being written: close it before it is moved away`);
}

/** How many of them are published at once. */
const AT_ONCE = 8;

/** Files that are not on the platform, or not as they are now, and files of which a draft is still read. */
export function unpublishedBelow(contents: Contents, folder: ProjectFolderNode): ProjectFileNode[] {
  const found: ProjectFileNode[] = [];
  for (const { node, unlinked } of contents.values())
    if (node.kind === 'project-file' && node.draft && !unlinked && isBelow(node, folder)) found.push(node);
  return found;
}

/**
 * Brings to the platform what was closed and is not there yet, and what is closed meanwhile. EBUSY: one is open to be written,
 * so that nobody can tell what it will be.
 */
export async function requireAllSentBelow(contents: Contents, folder: ProjectFolderNode): Promise<void> {
  for (;;) {
    const unsent = unpublishedBelow(contents, folder).filter((node) => isUnsent(contents, node));
    if (unsent.length === 0) return;
    await forEachAtOnce(unsent, AT_ONCE, async (node) => {
      await contents.whenReleased(node);
      if (contents.find(node)?.writers) throw isWrittenIn(folder, node);
      await contents.publishClosed(node);
    });
  }
}

function isUnsent(contents: Contents, node: ProjectFileNode): boolean {
  const { writers, outstanding } = contents.of(node);
  return writers > 0 || outstanding !== 'none';
}

function isWrittenIn(folder: ProjectFolderNode, node: ProjectFileNode): FsError {
  return new FsError('EBUSY', `${node.name} in ${folder.name} is open to be written: close it first`);
}

/** EBUSY: what is being written would be left behind, or taken along half. */
export function requireNoneWritten(contents: Contents, folder: ProjectFolderNode): void {
  for (const node of unpublishedBelow(contents, folder))
    if (isUnsent(contents, node)) throw isWrittenIn(folder, node);
}

/** EBUSY: a program that reads a file below the folder would lose it. */
export function requireNoneOpen(contents: Contents, folder: ProjectFolderNode): void {
  for (const { node, handles } of contents.values())
    if (node.kind === 'project-file' && handles.size > 0 && isBelow(node, folder))
      throw new FsError('EBUSY', `${node.name} in ${folder.name} is open: close it first`);
}

/** EBUSY: its close would put what is written into it in the place of what comes there. */
export function requireNotWritten(contents: Contents, object: VolumeObjectNode): void {
  const content = contents.find(object);
  // A file that stays on this machine for its name is no object.
  if (!content || content.unlinked || contents.isTemporary(object)) return;
  if (content.writers > 0 || content.hasDraft)
    throw new FsError('EBUSY', `${object.name} is being written: close it first`);
}

export function requireNoObjectsWritten(contents: Contents, directory: VolumeDirectoryNode): void {
  for (const { node } of contents.values())
    if (node.kind === 'volume-object' && isBelow(node, directory)) requireNotWritten(contents, node);
}

/** EBUSY: a pipe or socket is of this mount alone, and would be lost with the folder's place. */
export function requireNoSpecialFiles(folder: FolderNode): void {
  for (const child of folder.children.nodes()) {
    if (isFolder(child)) requireNoSpecialFiles(child);
    else if (child.kind === 'special-file')
      throw new FsError(
        'EBUSY',
        `${child.name} in ${folder.name} is a ${child.type} of this mount: remove it first`,
      );
  }
}

/** Brings to the volume what was closed below a directory of it, and is not exported yet. */
export async function publishObjectsBelow(contents: Contents, directory: VolumeDirectoryNode): Promise<void> {
  const below = [...contents.values()].flatMap(({ node, unlinked }) =>
    node.kind === 'volume-object' && !unlinked && isBelow(node, directory) ? node : [],
  );
  await forEachAtOnce(below, AT_ONCE, (node) => contents.publishClosed(node));
}

function isBelow(node: ProjectFileNode | VolumeObjectNode, folder: FolderNode): boolean {
  for (let at = node.parent; at; at = at.parent) if (at === folder) return true;
  return false;
}
