import type { TaskListQuery } from '../../contract/task.ts';
import { TASK_STATUSES } from '../../contract/words.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { permissionsIn } from '../members/members.ts';
import type { RowPage } from '../store/page-range.ts';
import type { HasStore } from '../store/store.ts';
import type { TaskRow } from './task-table.ts';
import { tasksIn } from './task-table.ts';
import { timeSpan } from './time-span.ts';

/** The tasks of all projects of the caller, or of one. @throws ServiceError 7006, 3010, 3002, 90000 */
export async function listTasks(
  { store }: HasStore,
  caller: Caller,
  query: TaskListQuery,
): Promise<RowPage<TaskRow>> {
  const { project, status, offset, limit } = query;
  if (status !== undefined && !TASK_STATUSES.some((known) => known === status)) throw new ServiceError(7006);
  if (project !== undefined) await permissionsIn(store, caller, { id: project, malformed: 3010 });
  const listing = {
    member: caller.username,
    projectId: project,
    status,
    parentId: query.parent,
    batch: query.batch,
    originId: query.origin_id,
    created: timeSpan(query.created_from, query.created_to),
    started: timeSpan(query.started_from, query.started_to),
    ended: timeSpan(query.ended_from, query.ended_to),
    orderBy: query.order_by,
    order: query.order,
  };
  return tasksIn(store).list(listing, { offset, limit });
}
