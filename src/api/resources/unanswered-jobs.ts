import type { CallOptions } from '../api.ts';
import type { Page, TransferJob } from '../model.ts';
import { parsePage } from '../parse/page.ts';
import { asObject, optionalTimeAt, type WireObject } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';

const PAGE = 100;

/**
 * Import or export jobs that were started since a moment of the service's clock, as their wire objects. The order of
 * the list is not published, so its first and its last page are read: the newest are on one of them.
 */
export async function recentTransfers(
  call: Caller,
  wanted: { readonly kind: TransferJob['kind']; readonly sinceMs: number },
  options?: CallOptions,
): Promise<readonly WireObject[]> {
  const page = (offset: number): Promise<Page<WireObject>> =>
    call(
      {
        route: `GET /storage/${wanted.kind}s`,
        query: { offset, limit: PAGE, fields: '_all' },
        parse: (_, answer) => parsePage(answer, offset, (item) => asObject(item, 'job')),
      },
      options,
    );
  const first = await page(0);
  const last = first.total > PAGE ? await page(Math.max(PAGE, first.total - PAGE)) : undefined;
  const jobs = [...first.items, ...(last?.items ?? [])];
  // A job that has not begun has no time yet.
  return jobs.filter((job) => (optionalTimeAt(job, 'started_on') ?? wanted.sinceMs) >= wanted.sinceMs);
}
