import type { LevelEntry } from './directory-level.ts';

export interface LevelPage {
  readonly entries: readonly LevelEntry[];
  /** More follow. */
  readonly truncated: boolean;
}

/**
 * The entries of a sorted level that begin with `start` and come after `after`, at most `limit`. Names of one beginning
 * lie together, so only the page itself is looked at.
 */
export function levelPage(
  level: readonly LevelEntry[],
  {
    start,
    after,
    limit,
  }: { readonly start: string; readonly after: string | undefined; readonly limit: number },
): LevelPage {
  const first = firstNotBefore(level, start);
  const from = after === undefined ? first : Math.max(first, firstNotBefore(level, `${after}\0`));
  let end = from;
  while (end < level.length && end - from < limit && level[end]?.name.startsWith(start)) end += 1;
  const truncated = end < level.length && level[end]?.name.startsWith(start) === true;
  return { entries: level.slice(from, end), truncated };
}

/** Index of the first name that is not below `name` in the order of bytes. */
function firstNotBefore(level: readonly LevelEntry[], name: string): number {
  const bytes = Buffer.from(name);
  let low = 0;
  let high = level.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bytes.compare(Buffer.from(level[middle]?.name ?? '')) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
