import type { Api } from '../api/api.ts';

/** The calls by which files and folders of projects are found. */
export interface PlacesApi {
  readonly projects: Pick<Api['projects'], 'get'>;
  readonly files: Pick<Api['files'], 'list' | 'find' | 'bulkGet'>;
}

export interface Asking {
  readonly api: PlacesApi;
  readonly signal: AbortSignal;
}

/** Near the rate limit a person's `ls` goes before work on many files. */
export const PRIORITY = 'data';
