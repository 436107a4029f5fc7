/** `--after-export=remove`: what an export leaves in its project goes, as after a rename anywhere else. */
import type { FileRecord, FolderRecord } from '../../../api/model.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../model/node.ts';
import { pathOf } from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import { askAgain } from '../aside/ask-again.ts';
import { removeFile } from '../remove/remove-file.ts';
import { requireNoneOpen, requireNoneWritten, requireNoSpecialFiles } from './files-below.ts';
import type { RenameParts } from './rename-parts.ts';

const PAGE = 100;

/** The caller holds the lock of the file's content. */
export async function removeExportedFile(
  parts: RenameParts,
  node: ProjectFileNode,
  alias: FileRecord,
): Promise<void> {
  const { parent, name } = node;
  node.record = alias;
  await removeFile(parts, node);
  if (parent) parts.tree.kernel.invalidateEntry(parent.id, name);
}

/**
 * Only what was exported goes: a file that came meanwhile stays, its folder with it, and is told of. Of what is begun
 * here the platform does not know; while somebody has a file open nothing goes.
 */
export async function removeExportedFolder(
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
