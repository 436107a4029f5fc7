import { TaskAbortedError } from '../engines/task-engine.ts';
import type { JobRun } from '../jobs/job-run.ts';
import { tasksIn } from '../tasks/tasks.ts';

const LOOK_MS = 2000;

/**
 * Fires `over` when the task of a run is to be aborted, or is gone; resolves when `over` has fired, for whatever reason.
 * News of it come at once, but not for certain, so it also looks from time to time.
 */
export async function watchForAbort({ services, job }: JobRun, over: AbortController): Promise<void> {
  const { store, jobSignals, logger } = services;
  const { signal } = over;
  while (!signal.aborted) {
    const seen = jobSignals.count('changed');
    try {
      const task = await tasksIn(store).find(job.id);
      if (task === undefined || task.status === 'ABORTING') over.abort(new TaskAbortedError());
    } catch (err) {
      logger.warn({ job: job.id, err }, 'cannot tell whether the task is aborted');
    }
    if (!signal.aborted) await jobSignals.after(seen, 'changed', { ms: LOOK_MS, signal });
  }
}
