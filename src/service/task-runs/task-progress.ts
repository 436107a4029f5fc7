import type { ExecutedJob } from '../../contract/task.ts';
import type { EngineJob, EngineProgress } from '../engines/task-engine.ts';
import { underLease } from '../jobs/job-run.ts';
import type { Store } from '../store/store.ts';
import { apiTime, storedTime } from '../store/stored-time.ts';
import { type TaskExecution, type TaskRow, taskDetails, tasksIn } from '../tasks/tasks.ts';
import { placeLog, type TaskLog } from './task-log.ts';
import type { TaskRun } from './task-run.ts';

const INTERVAL_MS = 5000;
/** A long log is stored anew with less haste: this many bytes for each interval. */
const BYTES_PER_INTERVAL = 1024 * 1024;

const LOG_NAME = 'task.log';

/** The news of a task while it runs: the tools, the steps, the log. */
export class TaskProgress {
  readonly #run: TaskRun;
  readonly #task: TaskRow;
  readonly #log: TaskLog;
  readonly #begun: string;
  readonly #stepsTotal: number | undefined;
  #latest: EngineProgress = { jobs: [] };
  #hasChanged = true;

  constructor(
    run: TaskRun,
    about: { readonly task: TaskRow; readonly log: TaskLog; readonly stepsTotal: number | undefined },
  ) {
    this.#run = run;
    this.#task = about.task;
    this.#log = about.log;
    this.#stepsTotal = about.stepsTotal;
    this.#begun = storedTime(run.services.clock.now());
  }

  take(progress: EngineProgress): void {
    this.#latest = progress;
    this.#hasChanged = true;
  }

  /** Shows what has changed every few seconds; resolves when the signal fires. */
  async showUntil(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#run.services;
    while (!signal.aborted) {
      if (this.#hasChanged || this.#log.news > 0) {
        await this.#show().catch((err) => logger.warn({ job: this.#run.job.id, err }, 'progress not shown'));
      }
      const pause = INTERVAL_MS * (1 + Math.floor(this.#log.size / BYTES_PER_INTERVAL));
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  /** Keeps the log as it is; what it answers records all that is known, inside a transaction. */
  async prepare(status = 'RUNNING'): Promise<(tx: Store) => Promise<TaskExecution>> {
    this.#hasChanged = false;
    const blob = await this.#log.store(this.#run.services);
    const now = storedTime(this.#run.services.clock.now());
    return async (tx) => this.#execution(await placeLog(tx, this.#task, { blob, now }), status);
  }

  async #show(): Promise<void> {
    const record = await this.prepare();
    // A worker that has taken the task over tells of its own run.
    await underLease(this.#run, async (tx) => {
      const task = await tasksIn(tx).find(this.#task.id);
      if (task === undefined) return;
      const details = { ...taskDetails(task), execution: await record(tx) };
      await tasksIn(tx).update(task.id, { details: JSON.stringify(details) });
    });
  }

  #execution(logId: string | undefined, status: string): TaskExecution {
    const { jobs, stepsCompleted } = this.#latest;
    const logs = logId === undefined ? undefined : { [LOG_NAME]: logId };
    const steps = this.#stepsTotal;
    // Until a tool is known to run, and where none has come to run, there is the task, and its log.
    const whole = { name: this.#task.name, status, ...(logs === undefined ? {} : { logs }) };
    return {
      begun: this.#begun,
      jobs: jobs.length === 0 ? [whole] : jobs.map((job) => executedJob(job, logs)),
      ...(steps === undefined
        ? {}
        : { stepsTotal: steps, stepsCompleted: Math.min(stepsCompleted ?? 0, steps) }),
    };
  }
}

function executedJob(
  { name, status, startMs, endMs, commandLine }: EngineJob,
  logs: Record<string, string> | undefined,
): ExecutedJob {
  return {
    name,
    status,
    start_time: apiTime(storedTime(startMs)),
    ...(endMs === undefined ? {} : { end_time: apiTime(storedTime(endMs)) }),
    ...(commandLine === undefined ? {} : { command_line: commandLine }),
    ...(logs === undefined ? {} : { logs }),
  };
}
