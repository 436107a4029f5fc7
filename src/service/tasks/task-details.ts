import { FILE_NAME_LENGTH_MAX } from '../../contract/limits.ts';
import type { BatchBy, BatchGroup, ExecutedJob, ExecutionSettings, TaskValues } from '../../contract/task.ts';
import type { TaskStatus } from '../../contract/words.ts';
import { ServiceError } from '../http/service-error.ts';
import { isStorableText } from '../store/storable-text.ts';

/** The part of a task that is in the JSON column. */
export interface TaskDetails {
  readonly description: string;
  readonly use_interruptible_instances: boolean;
  /** Of every input of the app, null where unset. */
  readonly inputs: TaskValues;
  readonly outputs: TaskValues;
  /** Why it cannot be run, or why it failed. */
  readonly errors: readonly string[];
  readonly batch_by?: BatchBy;
  readonly batch_input?: string;
  readonly batch_group?: BatchGroup;
  readonly execution_settings?: ExecutionSettings;
  readonly output_location?: TaskValues;
  readonly execution?: TaskExecution;
}

/** The report of a worker on running it. */
export interface TaskExecution {
  /** When it took the task, a stored instant. */
  readonly begun: string;
  readonly warnings?: readonly string[];
  readonly jobs: readonly ExecutedJob[];
  /** Of a workflow. */
  readonly stepsTotal?: number;
  readonly stepsCompleted?: number;
}

export function taskDetails({ details }: { readonly details: string }): TaskDetails {
  return { errors: [], ...JSON.parse(details) };
}

/** Statuses from which a task can be aborted. */
const ABORTABLE: readonly TaskStatus[] = ['CREATING', 'QUEUED', 'RUNNING'];

export function isAbortable(status: string): boolean {
  return ABORTABLE.some((abortable) => abortable === status);
}

/** Something may still be at work on the task. */
export function isUnfinished(status: string): boolean {
  return status === 'ABORTING' || isAbortable(status);
}

/** @throws ServiceError 7022 */
export function checkTaskName(name: string): string {
  if (name.trim() === '' || !isStorableText(name) || [...name].length > FILE_NAME_LENGTH_MAX) {
    throw new ServiceError(7022, `A task name has 1 to ${FILE_NAME_LENGTH_MAX} characters of Unicode text.`);
  }
  return name;
}

/**
 * Whether the query parameter `action` asks to run the task, beside creating or cloning it. @throws ServiceError 7009
 */
export function isRunAction(action: string | undefined): boolean {
  if (action === undefined) return false;
  if (action.toLowerCase() !== 'run') throw new ServiceError(7009);
  return true;
}
