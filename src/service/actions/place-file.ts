import type { ErrorCode } from '../../contract/error-codes.ts';
import { ServiceError } from '../service-error.ts';
import type { FileRow } from '../store/files.ts';
import type { Store } from '../store/store.ts';

export interface Place {
  readonly parentId: string;
  readonly name: string;
  /** A file of that name gives way; a folder never does. */
  readonly overwrite: boolean;
  /** The call's code for a name that is taken. */
  readonly taken: ErrorCode;
}

/**
 * Makes a name free, inside a transaction that then takes it. The file that gives way is gone, with its id, in the same
 * transaction.
 *
 * @param own A file that may hold the name already: renaming a file to its own name changes nothing.
 * @throws ServiceError `taken`
 */
export async function freeName(
  store: Store,
  place: Place,
  options: { readonly now: string; readonly own?: string },
): Promise<void> {
  const { parentId, name, overwrite, taken } = place;
  const holder = await store.files.findChild(parentId, name);
  if (holder === undefined || holder.id === options.own) return;
  if (holder.kind === 'folder') throw new ServiceError(taken, `A folder of the name ${name} exists.`);
  if (!overwrite) throw new ServiceError(taken, `A file of the name ${name} exists.`);
  await store.files.delete(holder, options.now);
}

/** A record of a new file; the rest of its fields as given. */
export function newFile(
  fields: Pick<FileRow, 'id' | 'project_id' | 'parent_id' | 'name' | 'created_by' | 'created_on'> &
    Partial<FileRow>,
): FileRow {
  return {
    kind: 'file',
    size: 0,
    modified_on: fields.created_on,
    blob_key: null,
    volume_id: null,
    location: null,
    etag: null,
    md5: null,
    origin_task: null,
    dataset: null,
    is_public: 0,
    is_archived: 0,
    ...fields,
  };
}
