import type { JobRow } from '../jobs/job-table.ts';
import { jobsIn } from '../jobs/job-table.ts';
import type { Executor } from './executor.ts';
import type { TaskRow } from './task-table.ts';

/** Leaves tasks to the workers: a job for each, under the task's own id (task-runs/run-task.ts). */
export const jobExecutor: Executor = {
  submit: (tx, tasks) => jobsIn(tx).insert(tasks.map(jobOf)),
  abort: async (tx, taskIds, now) => {
    const ended = new Set(await jobsIn(tx).cancelWaiting(taskIds, now));
    const others = await jobsIn(tx).findMany(taskIds.filter((id) => !ended.has(id)));
    return new Set(others.filter(({ state }) => state === 'RUNNING').map(({ id }) => id));
  },
};

function jobOf({ id, project_id, executed_by, start_time }: TaskRow): JobRow {
  return {
    id,
    kind: 'task',
    created_by: executed_by ?? '',
    state: 'PENDING',
    project_id,
    volume_id: null,
    request: '{}',
    result: null,
    error: null,
    created_on: start_time ?? '',
    started_on: null,
    finished_on: null,
    leased_by: null,
    lease_until: null,
    attempts: 0,
  };
}
