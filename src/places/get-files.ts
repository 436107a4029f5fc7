import type { BulkResult, EntryRecord } from '../api/model.ts';
import { BULK_ITEMS_MAX } from '../contract/limits.ts';
import { forEachAtOnce } from '../lib/for-each-at-once.ts';
import { inGroups } from '../lib/in-groups.ts';
import { type Asking, PRIORITY } from './asking.ts';

const CALLS_AT_ONCE = 4;

/** The entries of ids: one request for each 100 of them. */
export async function getFiles(
  ids: Iterable<string>,
  { api, signal }: Asking,
): Promise<ReadonlyMap<string, BulkResult<EntryRecord>>> {
  const found = new Map<string, BulkResult<EntryRecord>>();
  await forEachAtOnce(inGroups([...new Set(ids)], BULK_ITEMS_MAX), CALLS_AT_ONCE, async (group) => {
    const results = await api.files.bulkGet(group, { signal, priority: PRIORITY });
    for (const [index, id] of group.entries()) {
      const result = results[index];
      if (result !== undefined) found.set(id, result);
    }
  });
  return found;
}
