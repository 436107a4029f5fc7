import type { Store } from '../store/store.ts';

/**
 * What runs tasks. Both calls are made inside the transaction that records the new status, so that no task is RUNNING
 * that nothing will run; whatever takes longer than a note in the database happens after it.
 */
export interface Executor {
  /** Takes tasks over that are RUNNING from now on. */
  submit(tx: Store, taskIds: readonly string[]): Promise<void>;
  /** @returns The status of the tasks then: `ABORTING` while something has still to stop, which will record the end. */
  abort(tx: Store, taskIds: readonly string[]): Promise<'ABORTING' | 'ABORTED'>;
}

/** Runs nothing: a task stays RUNNING until a worker outside of the service ends it. */
export const noExecutor: Executor = {
  submit: async () => undefined,
  abort: async () => 'ABORTED',
};
