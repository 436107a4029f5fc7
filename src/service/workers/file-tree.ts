/**
 * What the asynchronous jobs do to a file or a whole folder, inside a transaction.
 *
 * Rules for moves and copies (the platform's): a folder of the same name is merged with, a file of the same name makes
 * the arriving one take a number before its name. Files keep their ids when they move; a moved folder is a new folder.
 */
import { newFile } from '../actions/new-file.ts';
import { randomId } from '../random-id.ts';
import type { FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';
import { freeNumberedName } from './numbered-name.ts';

export interface Arrival {
  /** The folder it goes to. */
  readonly folder: FileRow;
  readonly name: string;
}

/** On whose account, and when. */
export interface Doer {
  readonly username: string;
  readonly now: string;
}

/** Files in a folder and all folders below it; of a file, one. */
export async function countFiles(store: Store, entry: FileRow): Promise<number> {
  if (entry.kind === 'file') return 1;
  let count = 0;
  for (const child of await store.files.children(entry.id)) count += await countFiles(store, child);
  return count;
}

/** Whether `folder` is `ancestor` or lies anywhere below it. */
export async function isWithin(store: Store, folder: FileRow, ancestor: FileRow): Promise<boolean> {
  let at: FileRow | undefined = folder;
  while (at !== undefined && at.id !== ancestor.id) {
    at = at.parent_id === null ? undefined : await store.files.find(at.parent_id);
  }
  return at !== undefined;
}

export async function moveTree(tx: Store, entry: FileRow, to: Arrival, doer: Doer): Promise<FileRow> {
  const { folder, name } = to;
  if (entry.parent_id === folder.id && entry.name === name) return entry;
  if (entry.kind === 'file') {
    const free = await freeNumberedName(tx, folder.id, name);
    const changes = { parent_id: folder.id, project_id: folder.project_id, name: free };
    await tx.files.update(entry.id, changes);
    return { ...entry, ...changes };
  }
  const arrived = await arrivalFolder(tx, to, doer);
  for (const child of await tx.files.children(entry.id)) {
    await moveTree(tx, child, { folder: arrived, name: child.name }, doer);
  }
  await tx.files.delete(entry, doer.now);
  return arrived;
}

/** Copies share the content; metadata and tags go along, the copier is the creator. */
export async function copyTree(tx: Store, entry: FileRow, to: Arrival, doer: Doer): Promise<FileRow> {
  if (entry.kind === 'file') return copyEntry(tx, entry, to, doer);
  // Read before the target is made: a copy beside the original may be merged into what is read.
  const children = await tx.files.children(entry.id);
  const arrived = await arrivalFolder(tx, to, doer);
  for (const child of children) await copyTree(tx, child, { folder: arrived, name: child.name }, doer);
  return arrived;
}

export async function deleteTree(tx: Store, entry: FileRow, doer: Doer): Promise<void> {
  if (entry.kind === 'folder') {
    for (const child of await tx.files.children(entry.id)) await deleteTree(tx, child, doer);
  }
  await tx.files.delete(entry, doer.now);
}

async function copyEntry(tx: Store, file: FileRow, { folder, name }: Arrival, doer: Doer): Promise<FileRow> {
  const copy: FileRow = {
    ...file,
    id: randomId(),
    project_id: folder.project_id,
    parent_id: folder.id,
    name: await freeNumberedName(tx, folder.id, name),
    created_by: doer.username,
    created_on: doer.now,
    modified_on: doer.now,
    is_public: 0,
  };
  await tx.files.insert(copy);
  const [{ metadata, tags } = { metadata: {}, tags: [] }] = await tx.files.withDetails([file]);
  await tx.files.mergeMetadata(copy.id, metadata);
  await tx.files.replaceTags(copy.id, tags);
  return copy;
}

/** The folder of that name in the target, or a new one. */
async function arrivalFolder(tx: Store, { folder, name }: Arrival, doer: Doer): Promise<FileRow> {
  const there = await tx.files.findChild(folder.id, name);
  if (there?.kind === 'folder') return there;
  const made = newFile({
    id: randomId(),
    project_id: folder.project_id,
    parent_id: folder.id,
    kind: 'folder',
    name: await freeNumberedName(tx, folder.id, name),
    created_by: doer.username,
    created_on: doer.now,
  });
  await tx.files.insert(made);
  return made;
}
