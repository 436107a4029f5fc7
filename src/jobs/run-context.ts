import type { Api } from '../api/api.ts';
import type { JobTable } from './job-table.ts';
import type { Watches } from './watches.ts';
import type { WorkTable } from './works.ts';

/** The objects that running a plan needs beside the plan. */
export interface RunContext {
  readonly api: Api;
  readonly table: JobTable;
  readonly works: WorkTable;
  readonly watches: Watches;
  /** Of the whole request. */
  readonly paths: { readonly source: string; readonly target: string };
  readonly signal: AbortSignal | undefined;
}

/** Paths of one of many jobs of a request. */
export function pathsBelow(paths: RunContext['paths'], relative: string): RunContext['paths'] {
  return relative === ''
    ? paths
    : { source: `${paths.source}/${relative}`, target: `${paths.target}/${relative}` };
}
