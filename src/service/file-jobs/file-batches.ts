/**
 * Copies, moves and deletions of a few files of one folder at once, inside a transaction.
 *
 * A file of a name that is taken in the target gets a number before its name. Files keep their ids when they move;
 * copies share the content, metadata and tags go along, and the copier is the creator.
 */

import { randomId } from '../../lib/random-id.ts';
import {
  checkCopyable,
  type DetailedFile,
  type FileRow,
  fileBatchesIn,
  filesIn,
  freeNameOfEach,
  freeNumberedName,
} from '../files/files.ts';
import type { Store } from '../store/store.ts';

/** On whose account, and when. */
export interface Doer {
  readonly username: string;
  readonly now: string;
}

export async function moveFiles(tx: Store, files: readonly FileRow[], to: FileRow): Promise<void> {
  const nameOf = await freeNamesIn(tx, to, files);
  const keepsName = (file: FileRow) => nameOf(file) === file.name;
  for (const file of files) {
    if (!keepsName(file)) await filesIn(tx).update(file.id, { ...placeIn(to), name: nameOf(file) });
  }
  await fileBatchesIn(tx).move(
    files.filter(keepsName).map(({ id }) => id),
    to,
  );
}

/** @returns The file as it then is */
export async function moveFile(tx: Store, file: FileRow, to: Arrival): Promise<FileRow> {
  const { folder, name } = to;
  const free = await freeNumberedName(tx, folder.id, name);
  const changes = { ...placeIn(folder), name: free };
  await filesIn(tx).update(file.id, changes);
  return { ...file, ...changes };
}

/** @throws ServiceError 5007, and then none is copied */
export async function copyFiles(
  tx: Store,
  files: readonly FileRow[],
  to: FileRow,
  doer: Doer,
): Promise<void> {
  for (const file of files) checkCopyable(file);
  const nameOf = await freeNamesIn(tx, to, files);
  const detailed = await filesIn(tx).withDetails(files);
  await fileBatchesIn(tx).insert(
    detailed.map((file) => copyOf(file, { folder: to, name: nameOf(file) }, doer)),
  );
}

/** @returns The copy */
export async function copyFile(
  tx: Store,
  file: FileRow,
  to: Arrival & { readonly doer: Doer },
): Promise<FileRow> {
  const { folder, name, doer } = to;
  const free = await freeNumberedName(tx, folder.id, name);
  const detailed = await filesIn(tx).withDetails([file]);
  const copies = detailed.map((each) => copyOf(each, { folder, name: free }, doer));
  await fileBatchesIn(tx).insert(copies);
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
    ...placeIn(folder),
    name,
    created_by: doer.username,
    created_on: doer.now,
    modified_on: doer.now,
    is_public: 0,
  };
}

function placeIn({ id, project_id }: FileRow): Pick<FileRow, 'parent_id' | 'project_id'> {
  return { parent_id: id, project_id };
}

/** A free name in a folder for each file. */
async function freeNamesIn(
  tx: Store,
  folder: FileRow,
  files: readonly FileRow[],
): Promise<(file: FileRow) => string> {
  const names = await freeNameOfEach(
    tx,
    folder.id,
    files.map(({ name }) => name),
  );
  return ({ name }) => names.get(name) ?? name;
}
