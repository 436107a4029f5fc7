import { ApiError } from '../../api/errors.ts';
import type { TaskRecord } from '../../api/model.ts';
import { printable } from '../../lib/printable.ts';
import { CliError } from '../exit-codes.ts';
import type { Platform } from '../platform/platform.ts';
import { getTask, noTask } from './task-argument.ts';

/** Codes of the platform for an action that the status of a task does not allow. */
const WRONG_STATUS: ReadonlySet<number> = new Set([7007, 7008, 7011]);

/** Runs or aborts a task. @throws CliError that tells its status, where that does not allow it */
export async function act(action: 'run' | 'abort', id: string, platform: Platform): Promise<TaskRecord> {
  try {
    const task = await platform.api.tasks[action](id);
    await platform.onTasksChanged([task]);
    return task;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) throw noTask(id, error);
    if (!WRONG_STATUS.has(error.code)) throw refusal(action, id, error.message, error);
    const { status } = await getTask(id, platform);
    throw refusal(action, id, `it is ${status}. ${error.message}`, error);
  }
}

/** Each on its own: one that cannot be does not keep the others from it. */
export async function actOnAll(
  action: 'run' | 'abort',
  ids: readonly string[],
  platform: Platform,
): Promise<void> {
  let failed = 0;
  for (const id of ids) {
    try {
      const { status } = await act(action, id, platform);
      console.log(`${id}: ${status}`);
    } catch (error) {
      if (!(error instanceof CliError) || ids.length === 1) throw error;
      console.error(`svcfs: ${error.message}`);
      failed += 1;
    }
  }
  if (failed > 0) throw new CliError('failure', `${failed} of ${ids.length} tasks failed`);
}

function refusal(action: 'run' | 'abort', id: string, reason: string, cause: unknown): CliError {
  const done = action === 'run' ? 'run' : 'aborted';
  return new CliError('failure', printable(`${id}: cannot be ${done}: ${reason}`), { cause });
}
