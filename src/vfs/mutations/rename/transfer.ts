/**
 * Renames that the platform carries out as jobs: between projects, and between project and volume.
 *
 * After an export or import both names exist, by the platform's own rule: the exported file stays as an alias, the
 * imported object stays where it is. The kernel believes that the one became the other, so both names are new nodes
 * and it is told to look again; the node that was moved serves the handles it has.
 *
 * With `--after-export=remove` the aliases that an export leaves are removed once all is exported: a removal that
 * fails fails the rename, and the same rename made again goes on from there.
 */
import type { FileRecord } from '../../../api/model.ts';
import type { TransferOutcome } from '../../../jobs/ports.ts';
import { nameOnPlatform } from '../../escape.ts';
import { FsError } from '../../fs-error.ts';
import type {
  DirectoryNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  VolumeDirectoryNode,
  VolumeObjectNode,
} from '../../node.ts';
import { isDirectory, pathOf } from '../../node.ts';
import { transferSourceOf, transferTargetOf } from '../../transfer-ends.ts';
import type { Tree } from '../../tree.ts';
import type { AttributeWriter } from '../attribute-writer.ts';
import { renameEnds, requireNamesStill } from '../named-now.ts';
import { publishedUnder } from '../replaced-file.ts';
import { askAgain } from './ask-again.ts';
import { carriedOver, isNothing } from './carried-over.ts';
import { goBack } from './name-taken.ts';
import { removeExportedFile, removeExportedFolder, requireNoneOpen } from './remove-exported.ts';
import type { RenameParts } from './rename-file.ts';
import { requireNoneWritten, unpublishedBelow } from './rename-folder.ts';

export interface TransferParts extends RenameParts {
  readonly attributes: AttributeWriter;
}

/** What becomes of what has the new name, beside what is known of it. */
interface OnTarget {
  /** A folder of that name is there. */
  readonly merges: boolean;
  readonly noReplace: boolean;
}

export async function exportNode(
  parts: TransferParts,
  source: ProjectFileNode | ProjectFolderNode,
  to: OnTarget & { readonly parent: VolumeDirectoryNode; readonly name: string },
): Promise<void> {
  const { contents, tree } = parts;
  const removes = tree.options.afterExport === 'remove';
  if (source.kind === 'project-folder') {
    requireNoneWritten(unpublishedBelow(contents, source), source);
    if (removes) requireNoneOpen(contents, source);
    const aliases = await exportNow(parts, source, to);
    if (removes && aliases.length > 0) await removeExportedFolder(tree, source, aliases);
    else if (source.parent) tree.invalidate(source.parent, source.name);
  } else {
    await requireAllSent(parts, source);
    await contents.holding([source], async () => {
      const [alias = source.record] = await exportNow(parts, source, to);
      if (!alias) return;
      if (removes) await removeExportedFile(parts, source, alias);
      else showAlias(tree, source, alias);
    });
  }
}

async function exportNow(
  { tree }: TransferParts,
  source: ProjectFileNode | ProjectFolderNode,
  to: OnTarget & { readonly parent: VolumeDirectoryNode; readonly name: string },
): Promise<readonly FileRecord[]> {
  const { aliases } = expectOutcome(await moveOnPlatform(tree, source, to), 'exported');
  existsNow(to.parent);
  tree.invalidate(to.parent, to.name);
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

export async function importNode(
  { tree, contents }: TransferParts,
  source: VolumeObjectNode | VolumeDirectoryNode,
  to: OnTarget & {
    readonly parent: ProjectFolderNode;
    readonly name: string;
    readonly target: ProjectFileNode | undefined;
  },
): Promise<void> {
  const { parent, name } = source;
  // An import deletes what it replaces, open or not.
  if (to.target && contents.find(to.target)) throw new FsError('EBUSY', `${to.name} is open: close it first`);
  const { files } = expectOutcome(await moveOnPlatform(tree, source, to), 'imported');
  const [file] = files;
  if (source.kind === 'volume-object' && file) {
    tree.placedRecord(to.parent, await inherit(tree, file, to.target?.record));
    tree.kernel.invalidateEntry(to.parent.id, to.name);
  } else {
    tree.invalidate(to.parent, to.name);
  }
  if (parent) tree.invalidate(parent, name);
}

/** A file to another project: its id stays, its node does not. */
export async function moveToProject(
  parts: TransferParts,
  source: ProjectFileNode,
  to: {
    readonly parent: ProjectFolderNode;
    readonly name: string;
    readonly target: ProjectFileNode | undefined;
  },
): Promise<void> {
  const { tree, contents, asides } = parts;
  const ends = renameEnds({ source, ...to });
  await requireAllSent(parts, source);
  const { record, parent, name } = source;
  if (!record) throw new FsError('EBUSY', `${source.name} is not on the platform yet`);
  const { target } = to;
  const takeOver = async (): Promise<void> => {
    const move = async (): Promise<FileRecord> => {
      const moved = fileOf(await moveOnPlatform(tree, source, to));
      return moved.name === nameOnPlatform(to.name) ? moved : goBack(tree, { source, moved, to });
    };
    const replaced = target && publishedUnder(contents, target);
    const inUse = replaced !== undefined && replaced.content.handles.size > 0;
    const carried = replaced && carriedOver(replaced.record, record);
    const moved =
      target && carried
        ? await asides.replacing(
            { record: replaced.record, node: target },
            { fileId: record.id, carried, keep: inUse },
            move,
          )
        : await move();
    const file = await inherit(tree, moved, replaced?.record);
    if (replaced)
      await contents.unlinked(replaced.content, inUse ? () => asides.delete(replaced.record.id) : undefined);
    if (target && !target.record) await contents.unlinked(contents.of(target), undefined);
    tree.detach(source);
    tree.placedRecord(to.parent, file);
    tree.kernel.invalidateEntry(to.parent.id, to.name);
    if (parent) tree.kernel.invalidateEntry(parent.id, name);
  };
  await contents.holding(target ? [source, target] : [source], async () => {
    if (target) await contents.findUnanswered(target);
    await requireNamesStill(tree, ends);
    await (target ? contents.whileLeaving(contents.of(target), takeOver) : takeOver());
  });
}

/** Brings to the platform what is only here. EBUSY while someone writes: a job cannot take what is half-written. */
async function requireAllSent(
  { contents, attributes }: Pick<TransferParts, 'contents' | 'attributes'>,
  node: ProjectFileNode,
): Promise<void> {
  await contents.publishClosed(node);
  if (contents.find(node)?.writers)
    throw new FsError('EBUSY', `${node.name} is being written: close it before it is moved away`);
  await attributes.write(node);
}

/** Of a folder nothing replaces anything: it may be moved onto one that is there, to go on with an interrupted move. */
async function moveOnPlatform(
  tree: Tree,
  source: Node,
  to: Partial<OnTarget> & { readonly parent: DirectoryNode; readonly name: string },
): Promise<TransferOutcome> {
  const request = {
    source: transferSourceOf(source),
    target: transferTargetOf(to.parent, nameOnPlatform(to.name)),
    overwrite: !isDirectory(source) && !to.noReplace,
    merges: to.merges ?? false,
    paths: { source: pathOf(source), target: `${pathOf(to.parent)}/${to.name}` },
  };
  try {
    return await tree.jobs.move(request);
  } catch (error) {
    // Of several files some may be done, and all of them when only the answer was lost.
    if (source.parent) askAgain(tree, source.parent, source.name);
    askAgain(tree, to.parent, to.name);
    throw error;
  }
}

async function inherit(tree: Tree, file: FileRecord, from: FileRecord | undefined): Promise<FileRecord> {
  const carried = from && carriedOver(from, file);
  if (!carried || isNothing(carried)) return file;
  return tree.api.files.edit(file.id, {
    metadata: carried.metadata,
    ...(carried.tags && { tags: carried.tags }),
  });
}

/** Directories that mkdir(2) made here are on the volume with their first object. */
function existsNow(directory: VolumeDirectoryNode): void {
  for (let at: DirectoryNode | undefined = directory; at?.kind === 'volume-directory'; at = at.parent)
    at.local = false;
}

function expectOutcome<K extends TransferOutcome['kind']>(
  outcome: TransferOutcome,
  kind: K,
): Extract<TransferOutcome, { kind: K }> | { readonly aliases: []; readonly files: [] } {
  if (outcome.kind === 'unchanged') return { aliases: [], files: [] };
  if (outcome.kind === kind) return outcome as Extract<TransferOutcome, { kind: K }>;
  throw new FsError('EIO', `the platform answered with ${outcome.kind} where ${kind} was asked for`);
}

function fileOf(outcome: TransferOutcome): FileRecord {
  if (outcome.kind === 'entry' && outcome.entry.kind === 'file') return outcome.entry;
  throw new FsError('EIO', 'the platform did not say what became of the file');
}
