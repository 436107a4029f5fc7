import type { Api } from '../api/api.ts';
import type { PlacesApi } from '../places/asking.ts';

/** The calls of the platform that tables of metadata need. */
export interface MetadataApi extends PlacesApi {
  readonly files: PlacesApi['files'] & Pick<Api['files'], 'bulkEdit' | 'bulkUpdate'>;
}
