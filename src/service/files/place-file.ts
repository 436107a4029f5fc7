import type { ErrorCode } from '../../contract/error-codes.ts';
import { ServiceError } from '../http/service-error.ts';
import type { Store } from '../store/store.ts';
import type { FileRow } from './tables/file-table.ts';
import { filesIn } from './tables/file-table.ts';

export interface Place {
  readonly parentId: string;
  readonly name: string;
  /** A file of that name gives way; a folder never does. */
  readonly overwrite: boolean;
  /** The call's code for a name that is taken. */
  readonly taken: ErrorCode;
}

/**
 * Looks whether a name can be taken, and answers the file that would have to give way.
 *
 * @param own A file that may hold the name already: renaming a file to its own name changes nothing.
 * @throws ServiceError 5026 when the folder is gone, `taken`
 */
export async function holderOfName(store: Store, place: Place, own?: string): Promise<FileRow | undefined> {
  const { parentId, name } = place;
  if ((await filesIn(store).find(parentId)) === undefined) throw new ServiceError(5026);
  const holder = await filesIn(store).findChild(parentId, name);
  if (holder === undefined || holder.id === own) return undefined;
  checkGivesWay(holder, place);
  return holder;
}

/** Whether what holds a name may be replaced. @throws ServiceError `taken` */
export function checkGivesWay(
  { kind, name }: FileRow,
  { overwrite, taken }: Pick<Place, 'overwrite' | 'taken'>,
): void {
  if (kind === 'folder') throw new ServiceError(taken, `A folder of the name ${name} exists.`);
  if (!overwrite) throw new ServiceError(taken, `A file of the name ${name} exists.`);
}

/**
 * Makes a name free, inside the transaction that then takes it. The file that gives way is gone, with its id, in the same
 * transaction.
 *
 * @throws ServiceError as `holderOfName`
 */
export async function freeName(
  store: Store,
  place: Place,
  options: { readonly now: string; readonly own?: string },
): Promise<void> {
  const holder = await holderOfName(store, place, options.own);
  if (holder !== undefined) await filesIn(store).delete(holder, options.now);
}

/** Puts a new file under its name, inside a transaction. @throws ServiceError as `holderOfName` */
export async function placeFile(
  store: Store,
  file: FileRow,
  { overwrite, taken }: Pick<Place, 'overwrite' | 'taken'>,
): Promise<void> {
  const place = { parentId: file.parent_id ?? '', name: file.name, overwrite, taken };
  await freeName(store, place, { now: file.created_on });
  await filesIn(store).insert(file);
}
