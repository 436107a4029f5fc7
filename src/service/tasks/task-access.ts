import { isUuid } from '../../lib/uuid.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand, projectsIn } from '../members/members.ts';
import type { Store } from '../store/store.ts';
import type { TaskRow } from './task-table.ts';
import { tasksIn } from './task-table.ts';

/** A task of the caller's projects; others do not exist. @throws ServiceError 7005, 7002 */
export async function taskFor(store: Store, caller: Caller, id: string): Promise<TaskRow> {
  return (await visible(store, caller, id)).task;
}

/** One that the caller may run, edit, abort and delete. @throws ServiceError 7005, 7002, 7001 */
export async function executableTask(store: Store, caller: Caller, id: string): Promise<TaskRow> {
  const { task, permissions } = await visible(store, caller, id);
  demand(permissions, 'execute', 7001);
  return task;
}

async function visible(store: Store, caller: Caller, id: string) {
  if (!isUuid(id)) throw new ServiceError(7005);
  const task = await tasksIn(store).find(id.toLowerCase());
  const permissions = task && (await projectsIn(store).permissionsOf(caller.username, task.project_id));
  if (task === undefined || permissions === undefined) throw new ServiceError(7002);
  return { task, permissions };
}
