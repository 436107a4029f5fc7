import type { TaskStatus } from '../../contract/words.ts';
import { chargesIn } from '../billing/billing.ts';
import type { Store } from '../store/store.ts';
import { isUnfinished, type TaskDetails } from './task-details.ts';
import type { TaskRow } from './task-table.ts';
import { tasksIn } from './task-table.ts';

export interface TaskEnd {
  readonly status: Extract<TaskStatus, 'COMPLETED' | 'FAILED' | 'ABORTED'>;
  /** The details as they are from now on; left out: no change. */
  readonly details?: TaskDetails;
  /** In millionths; left out: what was charged stays. */
  readonly cost?: number;
  readonly now: string;
}

/** Records the end of a task, and that of its batch when it was the last one, inside a transaction. */
export async function endTask(tx: Store, task: TaskRow, end: TaskEnd): Promise<void> {
  const { status, details, cost, now } = end;
  await tasksIn(tx).update(task.id, {
    status,
    end_time: now,
    ...(details === undefined ? {} : { details: JSON.stringify(details) }),
  });
  await chargesIn(tx).update(task.id, {
    status,
    time_finished: now,
    ...(cost === undefined ? {} : { amount_micros: cost }),
  });
  if (task.parent_id !== null) await settleBatch(tx, task.parent_id, now);
}

/** A batch has ended when all of its tasks have: as it was aborted, else failed if one of them did, else aborted if one was. */
export async function settleBatch(tx: Store, parentId: string, now: string): Promise<void> {
  const parent = await tasksIn(tx).find(parentId);
  if (parent === undefined || !isUnfinished(parent.status)) return;
  const counts = (await tasksIn(tx).childStatuses([parentId])).get(parentId) ?? new Map<TaskStatus, number>();
  const statuses = [...counts.keys()];
  if (statuses.some(isUnfinished)) return;
  const worst = (['FAILED', 'ABORTED'] as const).find((status) => statuses.includes(status));
  const status = parent.status === 'ABORTING' ? 'ABORTED' : (worst ?? 'COMPLETED');
  await tasksIn(tx).update(parentId, { status, end_time: now });
}
