import type { TaskRecord } from '../../api/model.ts';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { systemClock } from '../../lib/clock.ts';
import { printExactly } from '../../lib/exact-json.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { printable } from '../../lib/printable.ts';
import { isOver } from '../../tasks/task-status.ts';
import { CliError, EXIT_CODES, type ExitName } from '../exit-codes.ts';
import type { Platform } from '../platform/platform.ts';
import { noTask } from './task-argument.ts';

/** Between two looks: short tasks are told of soon, and long ones cost 720 requests an hour. */
const FIRST_MS = 1000;
const PERIOD_MS = 5000;
const GROWTH = 1.5;

interface Waiting {
  readonly platform: Platform;
  readonly signal: AbortSignal;
  readonly json: boolean;
}

/** Waits until tasks are over, tells each change on stderr, and sets the exit code. */
export async function waitForTasks(
  ids: readonly string[],
  { platform, signal, json }: Waiting,
): Promise<void> {
  const told = new Map<string, string>();
  const over = new Map<string, TaskRecord>();
  for (let periodMs = FIRST_MS; ; periodMs = Math.min(PERIOD_MS, periodMs * GROWTH)) {
    for (const task of await look(
      ids.filter((id) => !over.has(id)),
      platform,
    )) {
      const line = describeProgress(task);
      if (told.get(task.id) !== line) console.error(`svcfs: ${printable(line)}`);
      told.set(task.id, line);
      if (!isOver(task.status)) {
        refuseDraft(task);
        continue;
      }
      over.set(task.id, task);
      if (json) console.log(printExactly(task.wire));
    }
    if (ids.every((id) => over.has(id))) break;
    await systemClock.sleep(periodMs, signal);
  }
  process.exitCode = EXIT_CODES[endOf([...over.values()])].code;
}

/** A failed task goes before an aborted one. */
function endOf(tasks: readonly TaskRecord[]): ExitName {
  if (tasks.some(({ status }) => status === 'FAILED')) return 'failure';
  return tasks.some(({ status }) => status === 'ABORTED') ? 'aborted' : 'done';
}

/** One request for a hundred. @throws CliError for a task that is gone */
async function look(ids: readonly string[], { api }: Platform): Promise<readonly TaskRecord[]> {
  const tasks: TaskRecord[] = [];
  for (const group of inGroups(ids, PAGE_LIMIT_MAX)) {
    const answers = await api.tasks.bulkGet(group);
    group.forEach((id, index) => {
      const answer = answers[index];
      if (answer?.ok) tasks.push(answer.value);
      else if (answer?.failure.status === 404) throw noTask(id);
      else
        throw new CliError(
          'failure',
          `${id}: ${answer?.failure.message ?? 'the service does not tell of it'}`,
        );
    });
  }
  return tasks;
}

/** Nobody runs it: the waiting would have no end. */
function refuseDraft({ id, status }: TaskRecord): void {
  if (status === 'DRAFT')
    throw new CliError('failure', `${id}: a DRAFT, which nobody runs; svcfs tasks run ${id}`);
}

function describeProgress({ name, id, status, message, steps }: TaskRecord): string {
  const done = steps === undefined ? '' : `, step ${steps.completed} of ${steps.total}`;
  return `${name} (${id.slice(0, 8)}): ${status}${done}${message === '' ? '' : `: ${message}`}`;
}
