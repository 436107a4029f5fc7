/**
 * Runs a task: prepares the order, lets the engine run it, keeps its outputs, and records the end. One transaction under
 * the job's lease has the records of the outputs, the end of the task, its cost and the end of the job. So a task that
 * two workers believe to be theirs ends once.
 *
 * While the engine runs, the worker looks whether the task is to be aborted, and shows the log.
 */

import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppDocument } from '../../contract/app.ts';
import type { TaskValues } from '../../contract/task.ts';
import { appsIn } from '../apps/apps.ts';
import { engineDocument } from '../engines/engine-document.ts';
import { type InstanceType, instanceCost, instanceTypeFor } from '../engines/instance-types.ts';
import { type EngineResult, TaskAbortedError, TaskFailure } from '../engines/task-engine.ts';
import { ServiceError } from '../http/service-error.ts';
import { failureOf, recordEnd, recordStart, underLease } from '../jobs/job-run.ts';
import type { JobFailure } from '../jobs/job-table.ts';
import { jobsIn, LeaseLostError } from '../jobs/job-table.ts';
import { projectsIn } from '../members/members.ts';
import { isPassingFailure } from '../store/database-failure.ts';
import { isUnfinished, type TaskRow, type TaskServices, taskDetails, tasksIn } from '../tasks/tasks.ts';
import { declaredMetadata } from './output-metadata.ts';
import { type FinishedTask, recordTaskEnd } from './record-task-end.ts';
import { taskInputs } from './task-inputs.ts';
import { TaskLog } from './task-log.ts';
import { storeOutputBytes } from './task-outputs.ts';
import { TaskProgress } from './task-progress.ts';
import type { TaskRun } from './task-run.ts';
import { watchForAbort } from './watch-for-abort.ts';

export async function runTask(run: TaskRun): Promise<void> {
  const { store, clock, taskRunner } = run.services;
  if (taskRunner === undefined) throw new Error('a worker without an engine took a task');
  const task = await tasksIn(store).find(run.job.id);
  if (task === undefined || !isUnfinished(task.status)) {
    const failure = failureOf(new ServiceError(7002));
    return underLease(run, (tx) => recordEnd(tx, run, { failure }));
  }
  await recordStart(run);
  // A run elsewhere has gone on while no worker looked.
  const begunMs = run.job.result === null ? clock.now() : Date.parse(run.job.started_on ?? '');
  const ofTask = join(taskRunner.directory, task.id);
  // A worker before may have left files here, unless it was on another machine.
  await rm(ofTask, { recursive: true, force: true });
  const directory = join(ofTask, run.lease.worker);
  await mkdir(directory, { recursive: true });
  // Beside the directory and not in it: what the service opens by its name no tool may replace.
  const logPath = `${directory}.log`;
  const log = await TaskLog.open(logPath);
  try {
    await new TaskAttempt(run, { task, taskRunner, directory, log, begunMs }).run();
  } finally {
    await log.close();
    await rm(directory, { recursive: true, force: true });
    await rm(logPath, { force: true });
    // Unless another run of the task is at work there.
    await rmdir(ofTask).catch(() => undefined);
  }
}

/** Records that a task was given up. */
export async function failTask(run: TaskRun, failure: JobFailure): Promise<void> {
  const { store } = run.services;
  const task = await tasksIn(store).find(run.job.id);
  if (task === undefined) return underLease(run, (tx) => recordEnd(tx, run, { failure }));
  return recordTaskEnd(run, { task, status: 'FAILED', errors: [failure.message], cost: undefined });
}

interface Setting {
  readonly task: TaskRow;
  readonly taskRunner: TaskServices;
  readonly directory: string;
  readonly log: TaskLog;
  readonly begunMs: number;
}

class TaskAttempt {
  readonly #run: TaskRun;
  readonly #setting: Setting;
  /** Fires when the engine is to stop, for whatever reason. */
  readonly #over = new AbortController();
  #instance: InstanceType | undefined;

  constructor(run: TaskRun, setting: Setting) {
    this.#run = run;
    this.#setting = setting;
  }

  /** @throws LeaseLostError, the signal's reason, or a passing failure of the database: somebody has to begin again */
  async run(): Promise<void> {
    const { store } = this.#run.services;
    const { task, log } = this.#setting;
    const { app_id, app_revision } = task;
    const revision = await appsIn(store).revision(app_id, app_revision);
    const app: AppDocument = JSON.parse(revision?.raw ?? '{}');
    const progress = new TaskProgress(this.#run, { task, log, stepsTotal: stepsOf(app) });
    const ending = await this.#ending(app, progress);
    await recordTaskEnd(this.#run, { ...ending, task, cost: this.#cost(), progress });
  }

  /** Runs the app, and says how that ended. */
  async #ending(app: AppDocument, progress: TaskProgress): Promise<Omit<FinishedTask, 'task' | 'cost'>> {
    const watches = Promise.all([
      watchForAbort(this.#run, this.#over),
      progress.showUntil(this.#over.signal),
    ]);
    try {
      return await this.#execute(app, progress);
    } catch (error) {
      if (error instanceof LeaseLostError || isPassingFailure(error)) throw error;
      if (this.#run.signal.aborted) throw this.#run.signal.reason;
      if (error instanceof TaskAbortedError) return { status: 'ABORTED', errors: [] };
      const message = this.#reasonOf(error);
      this.#setting.log.write(`\n${message}\n`);
      return { status: 'FAILED', errors: [message] };
    } finally {
      this.#over.abort();
      await watches;
    }
  }

  async #execute(app: AppDocument, progress: TaskProgress): Promise<Omit<FinishedTask, 'task' | 'cost'>> {
    const { services, job } = this.#run;
    const { task, taskRunner, directory, log } = this.#setting;
    const signal = AbortSignal.any([this.#run.signal, this.#over.signal]);
    const { inputs: given, execution_settings } = taskDetails(task);
    this.#instance = instanceTypeFor(taskRunner.instances, execution_settings);
    const caller = { username: task.executed_by ?? '', tokenHash: '' };
    const inputs = await taskInputs(services, caller, { document: app, inputs: given });
    const result = await taskRunner.engine.run({
      taskId: task.id,
      name: task.name,
      // The last part of the app's id is what its job is called.
      document: engineDocument(app, task.app_id.replace(/^.*\//, '')),
      inputs,
      instance: this.#instance,
      network: await this.#hasNetwork(),
      directory,
      log,
      kept: job.result ?? undefined,
      keep: (note) => jobsIn(services.store).record(this.#run.lease, { result: note }),
      progress: (latest) => progress.take(latest),
      signal,
    });
    return this.#completed(result, { app, inputs, signal });
  }

  async #completed(
    result: EngineResult,
    about: { readonly app: AppDocument; readonly inputs: TaskValues; readonly signal: AbortSignal },
  ): Promise<Omit<FinishedTask, 'task' | 'cost'>> {
    const { app, inputs, signal } = about;
    const stored = await storeOutputBytes(this.#run.services, result, signal);
    const metadataOf = (output: string) => declaredMetadata(app, inputs, output);
    const made = { outputs: result.outputs, stored, metadataOf };
    return { status: 'COMPLETED', errors: [], warnings: result.warnings, made };
  }

  async #hasNetwork(): Promise<boolean> {
    const project = await projectsIn(this.#run.services.store).find(this.#setting.task.project_id);
    const { allow_network_access = false } = JSON.parse(project?.settings ?? '{}');
    return allow_network_access;
  }

  #cost(): number | undefined {
    if (this.#instance === undefined) return undefined;
    const ms = this.#run.services.clock.now() - this.#setting.begunMs;
    const interruptible = taskDetails(this.#setting.task).use_interruptible_instances;
    return instanceCost(this.#instance, { interruptible, ms });
  }

  #reasonOf(error: unknown): string {
    if (error instanceof TaskFailure || error instanceof ServiceError) return error.message;
    this.#run.services.logger.error({ job: this.#run.job.id, err: error }, 'task failed');
    return 'The service could not run the task.';
  }
}

/** Steps of a workflow, which are written as a list or as an object by name; undefined for a tool. */
function stepsOf({ class: kind, steps }: AppDocument): number | undefined {
  if (kind !== 'Workflow' || typeof steps !== 'object' || steps === null) return undefined;
  return Object.keys(steps).length;
}
