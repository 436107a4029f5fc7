/**
 * Renames between project and volume: exports and imports, which the platform carries out as jobs.
 *
 * After one of them both names exist, by the platform's own rule: the exported file stays as an alias, the imported
 * object stays where it is. The kernel believes that the one became the other, so both names are new nodes and it is
 * told to look again; the node that was moved serves the handles it has. Files in a folder of either name stay there if
 * they exist only here or are being written.
 *
 * With `--after-export=remove` the aliases that an export leaves are removed once all is exported: a removal that fails
 * fails the rename, and the same rename made again goes on from there.
 */
import type { FileRecord, FolderRecord } from '../../../api/model.ts';
import type { TransferOutcome } from '../../../jobs/ports.ts';
import { messageOf } from '../../../lib/message-of.ts';
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { FileContent } from '../../model/file-content.ts';
import {
  type DirectoryNode,
  existsNow,
  isDirectory,
  type ProjectFileNode,
  type ProjectFolderNode,
  pathOf,
  type VolumeDirectoryNode,
  type VolumeObjectNode,
} from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import { askAgain, askAgainAsMoved } from '../aside/ask-again.ts';
import { hasNameStill, renameEnds, requireNamesStill } from '../aside/named-now.ts';
import { fileToReplace } from '../aside/replaced-file.ts';
import { removeFile } from '../remove/remove-file.ts';
import { carriedOver, type Described, describedAs, inherit, NOTHING } from './inherited.ts';
import { type MoveTarget, moveOnPlatform } from './move-to-project.ts';
import type { RenameParts } from './rename-parts.ts';
import {
  publishObjectsBelow,
  requireAllSent,
  requireAllSentBelow,
  requireNoneOpen,
  requireNoneWritten,
  requireNoObjectsWritten,
  requireNoSpecialFiles,
  requireNotWritten,
  whileAllSent,
} from './require-sent.ts';

/** Entries that one request lists. */
const PAGE = 100;

interface ExportTarget extends MoveTarget {
  readonly parent: VolumeDirectoryNode;
  readonly target: VolumeObjectNode | VolumeDirectoryNode | undefined;
}

export function exportNode(
  parts: RenameParts,
  source: ProjectFileNode | ProjectFolderNode,
  to: ExportTarget,
): Promise<void> {
  return source.kind === 'project-folder' ? exportFolder(parts, source, to) : exportFile(parts, source, to);
}

async function exportFolder(parts: RenameParts, source: ProjectFolderNode, to: ExportTarget): Promise<void> {
  const { contents, tree } = parts;
  const removes = tree.options.afterExport === 'remove';
  await requireAllSentBelow(contents, source);
  if (to.target?.kind === 'volume-directory') {
    await publishObjectsBelow(contents, to.target);
    requireNoObjectsWritten(contents, to.target);
  }
  if (removes) requireNoSpecialFiles(source);
  if (removes) requireNoneOpen(contents, source);
  const aliases = await exportNow(parts, source, to);
  askAgainAsMoved(tree, to.parent, to.name);
  if (removes && aliases.length > 0) await removeExportedFolder(parts, source, aliases);
  else if (source.parent) askAgainAsMoved(tree, source.parent, source.name);
}

async function exportFile(parts: RenameParts, source: ProjectFileNode, to: ExportTarget): Promise<void> {
  const { contents, tree } = parts;
  const ends = renameEnds({ source, ...to, target: undefined });
  const target = to.target?.kind === 'volume-object' ? to.target : undefined;
  await requireAllSent(parts, source);
  if (target) await contents.publishClosed(target);
  await contents.holding(target ? [source, target] : [source], async () => {
    await requireNamesStill(tree, ends);
    if (objectAt(to) !== target) throw new FsError('ESTALE', `${to.name} is another object now`);
    await whileAllSent(contents, source, async () => {
      const [alias = source.record] = await replacing(parts, target, () => exportNow(parts, source, to));
      if (target?.parent) tree.invalidate(to.parent, to.name);
      else askAgainAsMoved(tree, to.parent, to.name);
      if (!alias) return;
      if (tree.options.afterExport === 'remove') await removeExportedFile(parts, source, alias);
      else showAlias(tree, source, alias);
    });
  });
}

function objectAt({ parent, name }: ExportTarget): VolumeObjectNode | undefined {
  const known = parent.children.get(name);
  return known?.kind === 'present' && known.node.kind === 'volume-object' ? known.node : undefined;
}

/** Nobody begins to write to the replaced file meanwhile; reads go on. The caller holds the lock of its content. */
async function replacing<T>(
  { contents }: RenameParts,
  target: VolumeObjectNode | undefined,
  replace: () => Promise<T>,
): Promise<T> {
  if (!target) return replace();
  requireNotWritten(contents, target);
  const content = contents.of(target);
  return content.holdingUp('writers', async () => {
    const done = await replace();
    await contents.unlinked(content, undefined);
    return done;
  });
}

async function exportNow(
  { tree }: RenameParts,
  source: ProjectFileNode | ProjectFolderNode,
  to: ExportTarget,
): Promise<readonly FileRecord[]> {
  const { aliases } = expectOutcome(await moveOnPlatform(tree, source, to), 'exported');
  // Of an empty folder the volume has nothing.
  if (source.kind === 'project-file' || aliases.length > 0) existsNow(madeAt(to));
  return aliases;
}

/** The file that was moved is an alias now, and another node. */
function showAlias(tree: Tree, source: ProjectFileNode, alias: FileRecord): void {
  const { parent, name } = source;
  if (parent?.kind !== 'project-folder') return;
  tree.detach(source);
  tree.placedRecord(parent, alias);
  tree.kernel.invalidateEntry(parent.id, name);
}

interface ImportTarget extends MoveTarget {
  readonly parent: ProjectFolderNode;
  readonly target: ProjectFileNode | undefined;
  readonly isTaken: boolean;
}

export async function importNode(
  parts: RenameParts,
  source: VolumeObjectNode | VolumeDirectoryNode,
  to: ImportTarget,
): Promise<void> {
  const { tree, contents } = parts;
  const { parent, name } = source;
  if (source.kind === 'volume-directory') await publishObjectsBelow(contents, source);
  else await contents.publishClosed(source);
  await holdingReplaced(parts, to, async (content) => {
    const replaced = to.target && (await fileToReplace(parts, to.target, to));
    const had = to.target && describedAs(to.target, replaced?.record);
    const move = (): Promise<TransferOutcome> => moveOnPlatform(tree, source, to);
    const outcome = await (to.target ? parts.asides.keepingReplaced(replaced, to.target, move) : move());
    const { files } = expectOutcome(outcome, 'imported');
    if (content) await contents.unlinked(content, undefined);
    const [file] = files;
    if (source.kind === 'volume-object' && file) await showImported(tree, to, { file, had });
    else askAgainAsMoved(tree, to.parent, to.name);
  });
  if (parent) askAgainAsMoved(tree, parent, name);
}

/** The file inherits what the replaced one `had`, which is gone: should that fail, its node has it, for the next try. */
async function showImported(
  tree: Tree,
  { parent, name }: ImportTarget,
  { file, had }: { readonly file: FileRecord; readonly had: Described | undefined },
): Promise<void> {
  const carried = had ? carriedOver(had, file) : NOTHING;
  try {
    tree.placedRecord(parent, await inherit(tree, file, carried));
  } catch (error) {
    const node = tree.placedRecord(parent, file);
    if (node.kind === 'project-file') node.pending = carried;
    const reason = `${name} is imported, but lacks the attributes of the file that it replaced`;
    throw new FsError(errnoOf(error), `${reason}: ${messageOf(error)}`, { cause: error });
  } finally {
    tree.kernel.invalidateEntry(parent.id, name);
  }
}

/** An import deletes what it replaces, open or not: nobody opens that meanwhile, and who has it open keeps it. */
async function holdingReplaced(
  { tree, contents }: RenameParts,
  { parent, name, target }: ImportTarget,
  replace: (content: FileContent | undefined) => Promise<void>,
): Promise<void> {
  if (!target) return replace(undefined);
  await contents.holding([target], async () => {
    if (!(await hasNameStill(tree, target, { parent, name }, NEVER_ABORTED)))
      throw new FsError('ESTALE', `${name} is another file now`);
    const content = contents.of(target);
    await contents.whileLeaving(content, async (inUse) => {
      const isRead = content.replaces !== undefined && content.replaces.content.handles.size > 0;
      if (inUse || isRead) throw new FsError('EBUSY', `${name} is open: close it first`);
      await replace(content);
    });
  });
}

/** The directory of this name, or else the one that the name is in. */
function madeAt({
  parent,
  name,
}: {
  readonly parent: VolumeDirectoryNode;
  readonly name: string;
}): DirectoryNode {
  const known = parent.children.get(name);
  return known?.kind === 'present' && isDirectory(known.node) ? known.node : parent;
}

function expectOutcome<K extends TransferOutcome['kind']>(
  outcome: TransferOutcome,
  kind: K,
): Extract<TransferOutcome, { kind: K }> | { readonly aliases: []; readonly files: [] } {
  if (outcome.kind === 'unchanged') return { aliases: [], files: [] };
  if (outcome.kind === kind) return outcome as Extract<TransferOutcome, { kind: K }>;
  throw new FsError('EIO', `the platform answered with ${outcome.kind} where ${kind} was asked for`);
}

/**
 * Removes the alias that the export of a file leaves, as a rename anywhere else leaves nothing. The caller holds the
 * lock of the file's content.
 */
async function removeExportedFile(
  parts: RenameParts,
  node: ProjectFileNode,
  alias: FileRecord,
): Promise<void> {
  const { parent, name } = node;
  node.record = alias;
  await removeFile(parts, node, { forGood: true });
  if (parent) parts.tree.kernel.invalidateEntry(parent.id, name);
}

/**
 * Only what was exported goes: a file that came meanwhile stays, its folder with it, and is told of. Of what is begun
 * here the platform does not know; while somebody has a file open nothing goes.
 */
async function removeExportedFolder(
  { tree, contents }: RenameParts,
  folder: ProjectFolderNode,
  aliases: readonly FileRecord[],
): Promise<void> {
  const { record, parent, name } = folder;
  if (!record) return;
  const requireUnused = (): void => {
    requireNoSpecialFiles(folder);
    requireNoneWritten(contents, folder);
    requireNoneOpen(contents, folder);
  };
  try {
    requireUnused();
    await tree.jobs.delete({ ids: aliases.map(({ id }) => id), path: pathOf(folder) });
    await deleteEmpty(tree, record, requireUnused);
  } catch (error) {
    if (parent) askAgain(tree, parent, name);
    throw error;
  }
  if (parent) tree.invalidate(parent, name);
}

async function deleteEmpty(tree: Tree, folder: FolderRecord, requireUnused: () => void): Promise<void> {
  for (const inside of await foldersIn(tree, folder)) await deleteEmpty(tree, inside, requireUnused);
  requireUnused();
  await tree.api.files.delete(folder.id);
  tree.folderState.delete(folder.id);
}

async function foldersIn(tree: Tree, folder: FolderRecord): Promise<readonly FolderRecord[]> {
  const folders: FolderRecord[] = [];
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await tree.api.files.list(folder.id, { offset, limit: PAGE });
    for (const entry of page.items) {
      if (entry.kind === 'file')
        throw new FsError('ENOTEMPTY', `${entry.name} came into ${folder.name} meanwhile: it stays`);
      folders.push(entry);
    }
    total = page.total;
  }
  return folders;
}
