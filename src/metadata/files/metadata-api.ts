import type { Api } from '../../api/api.ts';

/** The calls of the platform that tables of metadata need. */
export interface MetadataApi {
  readonly projects: Pick<Api['projects'], 'get'>;
  readonly files: Pick<Api['files'], 'list' | 'find' | 'bulkGet' | 'bulkEdit' | 'bulkUpdate'>;
}

export interface Asking {
  readonly api: MetadataApi;
  readonly signal: AbortSignal;
}

/** Near the rate limit a person's `ls` goes before a table. */
export const PRIORITY = 'data';
