import type { InstanceTypes } from '../engines/instance-types.ts';
import type { TaskEngine } from '../engines/task-engine.ts';
import type { Store } from '../store/store.ts';
import type { TaskRow } from './task-table.ts';

/**
 * An executor takes the tasks that are to run. Both calls are made inside the transaction that records the new status,
 * so that each RUNNING task will be run. Work that takes longer than a note in the database comes after it.
 */
export interface Executor {
  /** Takes tasks over that are RUNNING from now on. */
  submit(tx: Store, tasks: readonly TaskRow[]): Promise<void>;
  /** @returns Those on which something is at work, which will stop and record the end; the others have ended. */
  abort(tx: Store, taskIds: readonly string[], now: string): Promise<ReadonlySet<string>>;
}

/** Runs nothing: a task stays RUNNING until a worker outside of the service has its end recorded. */
export const noExecutor: Executor = {
  submit: async () => undefined,
  abort: async () => new Set(),
};

export interface HasExecutor {
  /** Takes tasks that are to run. */
  readonly executor: Executor;
}

/** The objects that running tasks needs. */
export interface TaskServices {
  readonly engine: TaskEngine;
  /** Each run has a directory in it. */
  readonly directory: string;
  readonly instances: InstanceTypes;
}

export interface HasTaskRunner {
  /** Runs tasks, in processes that do. */
  readonly taskRunner: TaskServices | undefined;
}
