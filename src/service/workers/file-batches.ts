/**
 * What happens to a few files of one folder at once, inside a transaction.
 *
 * A file of a name that is taken in the target gets a number before its name. Files keep their ids when they move; copies
 * share the content, metadata and tags go along, and the copier is the creator.
 */
import { randomId } from '../random-id.ts';
import type { DetailedFile, FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';
import { freeNumberedName } from './numbered-name.ts';

/** On whose account, and when. */
export interface Doer {
  readonly username: string;
  readonly now: string;
}

export async function moveFiles(tx: Store, files: readonly FileRow[], to: FileRow): Promise<void> {
  const { free, taken } = await byName(tx, files, to);
  await tx.fileBatches.move(
    free.map(({ id }) => id),
    to,
  );
  for (const file of taken) await moveFile(tx, file, { folder: to, name: file.name });
}

/** @returns The file as it then is */
export async function moveFile(tx: Store, file: FileRow, to: Arrival): Promise<FileRow> {
  const { folder, name } = to;
  const free = await freeNumberedName(tx, folder.id, name);
  const changes = { parent_id: folder.id, project_id: folder.project_id, name: free };
  await tx.files.update(file.id, changes);
  return { ...file, ...changes };
}

export async function copyFiles(
  tx: Store,
  files: readonly FileRow[],
  to: FileRow,
  doer: Doer,
): Promise<void> {
  const { free, taken } = await byName(tx, files, to);
  const detailed = await tx.files.withDetails(free);
  await tx.fileBatches.insert(detailed.map((file) => copyOf(file, { folder: to, name: file.name }, doer)));
  for (const file of taken) await copyFile(tx, file, { folder: to, name: file.name, doer });
}

/** @returns The copy */
export async function copyFile(
  tx: Store,
  file: FileRow,
  to: Arrival & { readonly doer: Doer },
): Promise<FileRow> {
  const { folder, name, doer } = to;
  const free = await freeNumberedName(tx, folder.id, name);
  const detailed = await tx.files.withDetails([file]);
  const copies = detailed.map((each) => copyOf(each, { folder, name: free }, doer));
  await tx.fileBatches.insert(copies);
  return copies[0] ?? file;
}

/** Where an entry goes: to a folder, under a name. */
export interface Arrival {
  readonly folder: FileRow;
  readonly name: string;
}

function copyOf(file: DetailedFile, { folder, name }: Arrival, doer: Doer): DetailedFile {
  return {
    ...file,
    id: randomId(),
    project_id: folder.project_id,
    parent_id: folder.id,
    name,
    created_by: doer.username,
    created_on: doer.now,
    modified_on: doer.now,
    is_public: 0,
  };
}

async function byName(
  tx: Store,
  files: readonly FileRow[],
  to: FileRow,
): Promise<{ free: FileRow[]; taken: FileRow[] }> {
  const names = files.map(({ name }) => name);
  const there = await tx.fileBatches.takenNames(to.id, names);
  return {
    free: files.filter(({ name }) => !there.has(name)),
    taken: files.filter(({ name }) => there.has(name)),
  };
}
