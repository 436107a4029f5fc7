/**
 * A folder gets another name, folder or project: always an asynchronous move, after which it and every folder in it
 * have other ids.
 */
import type { FolderRecord } from '../../../api/model.ts';
import { deferred } from '../../../lib/deferred.ts';
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import { FsError } from '../../errors/fs-error.ts';
import { folderNameOnPlatform, shownFolderName } from '../../model/escape.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../model/node.ts';
import { folderIdOf, pathOf } from '../../model/node.ts';
import { transferSourceOf, transferTargetOf } from '../../model/transfer-ends.ts';
import type { Tree } from '../../model/tree.ts';
import { askAgain } from '../aside/ask-again.ts';
import { leftElsewhere, NameTaken } from '../aside/name-taken.ts';
import { removeFolder } from '../remove/remove-directory.ts';
import { follow, isUnanswered, movedFolder, untilOver } from './moved-folder.ts';
import type { RenameParts } from './rename-parts.ts';
import { requireAllSentBelow, requireNoSpecialFiles, unpublishedBelow } from './require-sent.ts';

export interface FolderRename {
  readonly source: ProjectFolderNode;
  readonly parent: ProjectFolderNode;
  readonly name: string;
  /** A folder of that name, which gives way if it is empty. */
  readonly target: ProjectFolderNode | undefined;
}

export async function renameFolder(parts: RenameParts, rename: FolderRename): Promise<void> {
  const { tree, contents } = parts;
  const { source, parent, name, target } = rename;
  const goesFar = source.project !== parent.project;
  if (goesFar) requireNoSpecialFiles(source);
  if (goesFar) await requireAllSentBelow(contents, source);
  // The platform would merge the two.
  if (!target && (await tree.freshChildOf(parent, name, NEVER_ABORTED))) throw new NameTaken(name);
  // Files that were closed since then are on their way, too.
  if (goesFar) await requireAllSentBelow(contents, source);
  const unpublished = goesFar ? [] : unpublishedBelow(contents, source);
  const before = { parent: source.parent, name: source.name };
  await contents.holding(unpublished, async () => {
    const record = await movedWith(parts, unpublished, rename).catch((error: unknown) => {
      if (isUnanswered(error)) void followLater(parts, rename);
      throw error;
    });
    if (record.name === folderNameOnPlatform(name)) return;
    tree.invalidate(parent, name);
    // The kernel believes that a rename that fails has changed nothing.
    if (before.parent) tree.kernel.invalidateEntry(before.parent.id, before.name);
    throw leftElsewhere({ name }, { at: parent, record });
  });
}

async function moveFolder(tree: Tree, rename: FolderRename): Promise<FolderRecord> {
  try {
    return await askToMove(tree, rename);
  } catch (error) {
    const moved = isUnanswered(error) ? await movedFolder(tree, rename).catch(() => undefined) : undefined;
    if (!moved) throw error;
    return moved;
  }
}

async function askToMove(tree: Tree, { source, parent, name }: FolderRename): Promise<FolderRecord> {
  const outcome = await tree.jobs.move({
    source: transferSourceOf(source),
    target: transferTargetOf(parent, folderNameOnPlatform(name)),
    overwrite: false,
    paths: { source: pathOf(source), target: `${pathOf(parent)}/${name}` },
  });
  if (outcome.kind === 'entry' && outcome.entry.kind === 'folder') return outcome.entry;
  throw new FsError('EIO', `the platform did not say what became of ${source.name}`);
}

/** Takes the target away while `move` runs, and makes it again should that fail. ENOTEMPTY: it is not empty. */
async function giveWay<T>(
  tree: Tree,
  target: ProjectFolderNode | undefined,
  move: () => Promise<T>,
): Promise<T> {
  if (!target?.record || target.parent?.kind !== 'project-folder') return move();
  const place = { parent: folderIdOf(target.parent), name: folderNameOnPlatform(target.name) };
  const facts = tree.folderState.get(target.record.id);
  await removeFolder(tree, target);
  try {
    return await move();
  } catch (error) {
    target.record = await tree.api.files.createFolder(place);
    if (facts) tree.folderState.set(target.record.id, facts);
    throw error;
  }
}

/**
 * Moves it, and has the drafts in it go along. Once it is moved it is, whatever becomes of one of them: its publication tries
 * again, and tells its writer.
 */
async function movedWith(
  parts: RenameParts,
  unpublished: readonly ProjectFileNode[],
  rename: FolderRename,
): Promise<FolderRecord> {
  const { tree, contents } = parts;
  let record: FolderRecord | undefined;
  try {
    const move = async (): Promise<FolderRecord> => {
      const moved = await giveWay(tree, rename.target, () => moveFolder(tree, rename));
      await follow(parts, { ...rename, name: shownFolderName(moved.name), record: moved });
      record = moved;
      return moved;
    };
    return await contents.moving(unpublished, () => whileMoving(rename.source, move));
  } catch (error) {
    if (record === undefined) throw error;
    tree.recordError({ op: 'rename', path: pathOf(rename.source) }, error);
    return record;
  }
}

/**
 * Keeps the folder known while it moves. A lookup that took it for gone would drop all its facts, and the files written
 * in it.
 */
async function whileMoving<T>(
  folder: ProjectFolderNode,
  move: () => Promise<T>,
  over = deferred(),
): Promise<T> {
  folder.moving = over.promise;
  try {
    return await move();
  } finally {
    folder.moving = undefined;
    over.resolve();
  }
}

/** Goes on for a rename that failed without an answer: what it becomes is what the tree has when that is known. Never rejects. */
async function followLater(parts: RenameParts, rename: FolderRename): Promise<void> {
  const { tree, contents } = parts;
  const { source, parent, name } = rename;
  const from = { parent: source.parent, name: source.name };
  const path = pathOf(source);
  let isFollowed = false;
  const followIt = async (): Promise<void> => {
    if (!(await untilOver(tree, path))) return;
    const isThere = source.parent === from.parent && source.name === from.name;
    const record = isThere && source.project === parent.project && (await movedFolder(tree, rename));
    if (!record) return;
    const unpublished = unpublishedBelow(contents, source);
    const go = (): Promise<void> => follow(parts, { ...rename, record });
    await contents.holding(unpublished, () => contents.moving(unpublished, go));
    isFollowed = true;
  };
  try {
    // Nobody waits for that: the service may be away for long.
    const over = deferred();
    over.resolve();
    await whileMoving(source, followIt, over);
  } catch (error) {
    tree.recordError({ op: 'rename', path }, error);
  }
  for (const at of [from, { parent, name }]) {
    if (!at.parent) continue;
    if (!isFollowed) askAgain(tree, at.parent, at.name);
    // It believes that nothing has changed.
    tree.kernel.invalidateEntry(at.parent.id, at.name);
  }
}
