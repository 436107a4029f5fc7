import type { AsyncCopyItem } from '../../contract/async-file-job.ts';
import { BULK_ITEMS_MAX } from '../../contract/limits.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { JobRow } from '../jobs/job-table.ts';
import { newJob } from '../jobs/submit-jobs.ts';
import type { FileJobItem, FileJobRequest } from './file-job-requests.ts';

export type FileJobKind = 'copy' | 'move' | 'delete';

/**
 * The job of an asynchronous copy, move or deletion. The file of an item is looked up when the item's turn comes, so
 * that it fails alone.
 *
 * @throws ServiceError 57006 no items, 57007 too many, 57008 no file, 57009 no destination
 */
export function fileJob(
  services: HasClock,
  caller: Caller,
  { kind, items }: { readonly kind: FileJobKind; readonly items: readonly AsyncCopyItem[] },
): JobRow {
  if (items.length === 0) throw new ServiceError(57006);
  if (items.length > BULK_ITEMS_MAX) throw new ServiceError(57007);
  const request: FileJobRequest = { items: items.map((item) => checkedItem(item, kind)) };
  return newJob(services, caller, { kind, about: { project_id: null, volume_id: null }, request });
}

/** Empty strings mean "not given". */
function checkedItem({ file, parent, project, name }: AsyncCopyItem, kind: FileJobKind): FileJobItem {
  if (!file) throw new ServiceError(57008);
  if (kind === 'delete') return { file };
  if (!parent && !project) throw new ServiceError(57009);
  return { file, ...(parent ? { parent } : {}), ...(project ? { project } : {}), ...(name ? { name } : {}) };
}
