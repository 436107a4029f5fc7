import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { PageRange } from '../../store/page-range.ts';
import type { Schema } from '../../store/schema.ts';
import { type FileListing, matchingFiles } from './file-listing.ts';

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
