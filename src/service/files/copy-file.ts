import type { CopyFileBody } from '../../contract/file.ts';
import type { HasClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { destinationFolder } from './destination-folder.ts';
import { checkTags } from './edit-file.ts';
import { fileFor } from './file-access.ts';
import { checkMerged, checkMetadata } from './metadata.ts';
import { checkFileName } from './names.ts';
import { newFile } from './new-file.ts';
import { placeFile } from './place-file.ts';
import { type FileRow, filesIn } from './tables/file-table.ts';

/**
 * A new file of the same content. The bytes are shared, metadata and tags go along; given pairs and tags go before them. The
 * copier is its creator.
 *
 * @throws ServiceError 5002, 5018 folder, 5014, 5007 archived, 5029, 5031, 5026, 5022, 3010, 3002, 5024, 5003, 5006
 */
export async function copyFile(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  copy: { readonly id: string; readonly to: CopyFileBody },
): Promise<FileRow> {
  const { file, permissions } = await fileFor(store, caller, copy.id);
  if (file.kind === 'folder') throw new ServiceError(5018);
  demand(permissions, 'copy', 5014);
  checkCopyable(file);
  const { project, parent } = copy.to;
  const destination = await destinationFolder(store, caller, { project, parent, malformed: 3010 });
  demand(destination.permissions, 'write', 5014);
  const name = copy.to.name ? checkFileName(copy.to.name, 5024) : file.name;
  const pairs = checkMetadata(copy.to.metadata ?? {});
  const newTags = copy.to.tags ? checkTags(copy.to.tags) : undefined;
  const now = storedTime(clock.now());
  return store.transaction(async (tx) => {
    const source = await filesIn(tx).find(file.id);
    if (source === undefined) throw new ServiceError(5002);
    const made = newFile({
      ...source,
      id: randomId(),
      project_id: destination.file.project_id,
      parent_id: destination.file.id,
      name,
      created_by: caller.username,
      created_on: now,
      modified_on: now,
      is_public: 0,
    });
    await placeFile(tx, made, { overwrite: false, taken: 5003 });
    const [{ metadata, tags } = { metadata: {}, tags: [] }] = await filesIn(tx).withDetails([source]);
    checkMerged(metadata, pairs);
    await filesIn(tx).mergeMetadata(made.id, { ...metadata, ...pairs });
    await filesIn(tx).replaceTags(made.id, newTags ?? tags);
    return made;
  });
}

/** As the file's record says it. */
export interface CopyCandidate {
  readonly name: string;
  readonly is_archived: 0 | 1;
}

/** @throws ServiceError 5007 archived */
export function checkCopyable(file: CopyCandidate): void {
  if (file.is_archived === 1)
    throw new ServiceError(5007, `The archived file ${file.name} cannot be copied.`);
}
