import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';

/** Two names asked for within this time make a visit: more names of the folder will be wanted. */
const VISIT_MS = 5_000;

/** A folder up to this size is listed whole for a visit. */
export const SMALL_FOLDER = 500;

export interface LookupHistory {
  readonly nowMs: number;
  readonly ttlMs: number;
  /** When a name of the directory was last asked for on its own, or undefined. */
  readonly lastFoundMs: number | undefined;
  /** When its first page was last asked for on behalf of a lookup, or undefined. */
  readonly lastPeekMs: number | undefined;
  /** Names asked for on their own since then. */
  readonly asked: number;
  /** Entries of the directory, as far as the platform told. */
  readonly total: number | undefined;
  /** Whether the rate budget has room for a listing. */
  readonly hasRoom: boolean;
  /** The cost of asking for one name: 2 requests on a volume, where a name may be an object or a level. */
  readonly requestsPerName: 1 | 2;
}

/**
 * How to learn about one name.
 *
 * - `find` asks for it alone.
 * - `peek` asks for the first page of the directory, which answers the next lookups too, and for the other pages when
 *   they are few. A directory is peeked at once per TTL: in a large one, most names are on other pages.
 * - `list` asks for all of a large directory, beside the name itself, when as many names were asked for as it has pages.
 *   So it costs at most about twice the best way.
 */
export function lookupPlan(history: LookupHistory): 'find' | 'peek' | 'list' {
  const { nowMs, ttlMs, lastFoundMs, lastPeekMs, asked, total, hasRoom, requestsPerName } = history;
  if (lastPeekMs !== undefined && nowMs - lastPeekMs < ttlMs) {
    return hasRoom && total !== undefined && asked * PAGE_LIMIT_MAX >= total ? 'list' : 'find';
  }
  if (requestsPerName > 1) return 'peek';
  return lastFoundMs !== undefined && nowMs - lastFoundMs <= VISIT_MS ? 'peek' : 'find';
}
