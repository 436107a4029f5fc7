import type { Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import type { PageRange } from '../../store/page-range.ts';
import type { FilesTable, Schema } from '../../store/schema.ts';
import { type FileListing, matchingFiles } from './file-listing.ts';

/** The columns that a listing shows of a file. To read the other columns too would cost half as much again. */
const LISTED_COLUMNS = [
  'id',
  'project_id',
  'parent_id',
  'kind',
  'name',
  'size',
  'created_on',
  'modified_on',
  'volume_id',
  'location',
  'origin_task',
  'dataset',
] as const satisfies readonly (keyof FilesTable)[];

export type ListedFile = Pick<Selectable<FilesTable>, (typeof LISTED_COLUMNS)[number]>;

/** The files of a page by name in byte order, then id. Where nothing is passed over, the rows are read as they come. */
export function pageOfFiles(
  db: Kysely<Schema>,
  listing: FileListing,
  range: PageRange,
): SelectQueryBuilder<Schema, 'files', ListedFile> {
  const files =
    range.offset === 0
      ? matchingFiles(db, listing).limit(range.limit)
      : db.selectFrom('files').where('files.id', 'in', pageOfIds(db, listing, range));
  return files.select(LISTED_COLUMNS).orderBy('files.name').orderBy('files.id');
}

/**
 * The ids of a page by name in byte order, then id. Without filters they come from the index `files_listing` alone: what
 * the offset passes over costs an index entry each, never a row.
 */
export function pageOfIds(
  db: Kysely<Schema>,
  listing: FileListing,
  { offset, limit }: PageRange,
): SelectQueryBuilder<Schema, 'files', { id: string }> {
  return matchingFiles(db, listing)
    .select('files.id')
    .orderBy('files.name')
    .orderBy('files.id')
    .limit(limit)
    .offset(offset);
}
