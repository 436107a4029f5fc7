import { TASK_STATUSES, type TaskListQuery } from '../../contract/task.ts';
import type { Caller } from '../caller.ts';
import { timeSpan } from '../rules/time-span.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
import type { RowPage } from '../store/page-range.ts';
import type { TaskRow } from '../store/tasks.ts';
import { permissionsIn } from './project-access.ts';

/** The tasks of all projects of the caller, or of one. @throws ServiceError 7006, 3010, 3002, 90000 */
export async function listTasks(
  { store }: Services,
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
  return store.tasks.list(listing, { offset, limit });
}
