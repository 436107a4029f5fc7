import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { CallOptions } from '../call-options.ts';
import { parsePage } from '../parse/page.ts';
import { asObject, optionalTextAt, optionalTimeAt, type WireObject } from '../parse/wire.ts';
import type { Caller, CallSpec } from '../transport/caller.ts';
import type { AnsweredJobs } from './answered-jobs.ts';

interface WantedJobs<T> {
  readonly route: CallSpec<T>['route'];
  /** By the service's clock. */
  readonly sinceMs: number;
  readonly answered: AnsweredJobs;
  /** Undefined: it is not wanted. */
  readonly parse: (job: WireObject) => T | undefined;
}

/**
 * The jobs of a list that were started since a moment, but for those whose start was answered. The API cannot be asked for
 * them alone, and the order of its lists is not published: they are read from both ends, from each until an older job comes.
 */
export async function unansweredJobs<T>(
  call: Caller,
  { route, sinceMs, answered, parse }: WantedJobs<T>,
  options?: CallOptions,
): Promise<readonly T[]> {
  /** By id: one that comes or goes meanwhile puts another on two pages. */
  const found = new Map<string, T>();
  const take = (item: unknown): { readonly isOlder: boolean } => {
    const job = asObject(item, 'job');
    const id = optionalTextAt(job, 'id') ?? '';
    // A job that has not begun has no time yet.
    const isOlder = (optionalTimeAt(job, 'started_on') ?? sinceMs) < sinceMs || answered.has(id, sinceMs);
    const wanted = isOlder || answered.has(id) ? undefined : parse(job);
    if (wanted !== undefined) found.set(id, wanted);
    return { isOlder };
  };
  const read = async (offset: number): Promise<{ readonly total: number; readonly goesOn: boolean }> => {
    const { items, total } = await call(
      {
        route,
        query: { offset, limit: PAGE_LIMIT_MAX, fields: '_all' },
        parse: (_, answer) => parsePage(answer, offset, take),
      },
      options,
    );
    return { total, goesOn: !items.some(({ isOlder }) => isOlder) };
  };

  let { total, goesOn } = await read(0);
  let end = PAGE_LIMIT_MAX;
  for (; goesOn && end < total; end += PAGE_LIMIT_MAX) ({ total, goesOn } = await read(end));
  goesOn = true;
  for (let begin = total; goesOn && begin > end; ) {
    begin = Math.max(end, begin - PAGE_LIMIT_MAX);
    ({ goesOn } = await read(begin));
  }
  return [...found.values()];
}
