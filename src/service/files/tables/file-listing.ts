import type { Kysely, SelectQueryBuilder } from 'kysely';
import type { Schema } from '../../store/schema.ts';

/** Which files. Values of one filter are alternatives; filters add up. */
export interface FileFilters {
  readonly names?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly originTasks?: readonly string[] | undefined;
  readonly datasets?: readonly string[] | undefined;
  readonly metadata?: readonly { readonly key: string; readonly values: readonly string[] }[] | undefined;
}

/** Which entries of a folder. */
export interface FileListing extends FileFilters {
  readonly parentId: string;
  /** Only entries that come after this name. */
  readonly afterName?: string | undefined;
}

export function hasFilters({ names, tags, originTasks, datasets, metadata = [] }: FileFilters): boolean {
  return [names, tags, originTasks, datasets].some((filter) => filter !== undefined) || metadata.length > 0;
}

/** All entries of a folder. */
export function isWhole(listing: FileListing): boolean {
  return listing.afterName === undefined && !hasFilters(listing);
}

export type FileQuery = SelectQueryBuilder<Schema, 'files', unknown>;

export function matchingFiles(db: Kysely<Schema>, listing: FileListing): FileQuery {
  const { parentId, afterName } = listing;
  const query = filteredFiles(db.selectFrom('files').where('files.parent_id', '=', parentId), listing);
  return afterName === undefined ? query : query.where('files.name', '>', afterName);
}

/** Those of the files that pass. */
export function filteredFiles(files: FileQuery, filters: FileFilters): FileQuery {
  const { names, tags, originTasks, datasets, metadata = [] } = filters;
  let query = files;
  if (names !== undefined) query = query.where('files.name', 'in', names);
  if (originTasks !== undefined) query = query.where('files.origin_task', 'in', originTasks);
  if (datasets !== undefined) query = query.where('files.dataset', 'in', datasets);
  if (tags !== undefined) {
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('file_tags')
          .select('file_tags.tag')
          .whereRef('file_tags.file_id', '=', 'files.id')
          .where('file_tags.tag', 'in', tags),
      ),
    );
  }
  for (const { key, values } of metadata) {
    query = query.where((eb) =>
      eb.exists(
        eb
          .selectFrom('file_metadata')
          .select('file_metadata.key')
          .whereRef('file_metadata.file_id', '=', 'files.id')
          .where('file_metadata.key', '=', key)
          .where('file_metadata.value', 'in', values),
      ),
    );
  }
  return query;
}
