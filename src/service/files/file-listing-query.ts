import type { FileListQuery, FileScrollQuery } from '../../contract/file.ts';
import { METADATA_FILTERS_MAX } from '../../contract/limits.ts';
import { checkTerms } from '../http/search-terms.ts';
import { ServiceError } from '../http/service-error.ts';
import type { FileFilters } from './tables/file-listing.ts';

const METADATA_PREFIX = 'metadata.';

export function fileFilters(query: FileListQuery | FileScrollQuery): FileFilters {
  return {
    names: query.name,
    tags: query.tag,
    originTasks: query['origin.task'],
    datasets: query.dataset,
  };
}

/** The filters `metadata.{key}`: one key given several times is a choice, several keys must all match. */
export function metadataFilters(query: object): NonNullable<FileFilters['metadata']> {
  const given = Object.entries(query).filter(([name]) => name.startsWith(METADATA_PREFIX));
  if (given.length > METADATA_FILTERS_MAX) {
    throw new ServiceError(90000, `At most ${METADATA_FILTERS_MAX} keys of metadata in one filter.`);
  }
  return given.map(([name, value]) => {
    const key = name.slice(METADATA_PREFIX.length);
    if (key === '') throw new ServiceError(5035);
    return { key, values: checkTerms([value].flat() as string[], `values of ${name}`) };
  });
}
