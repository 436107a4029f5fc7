import type { FileMetadata } from '../../contract/file.ts';
import type { TaskValues } from '../../contract/task.ts';
import { randomId } from '../../lib/random-id.ts';
import { TaskFailure } from '../engines/task-engine.ts';
import { type FileRow, filesIn, newFile } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';
import { recordAct, recordEnd, underLease } from '../jobs/job-run.ts';
import { projectsIn } from '../members/members.ts';
import { isStoreFailure } from '../storage/s3/s3-failure.ts';
import { isPassingFailure } from '../store/database-failure.ts';
import type { Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { endTask, folderPathOf, type TaskEnd, type TaskRow, taskDetails, tasksIn } from '../tasks/tasks.ts';
import { placeOutputs, type StoredOutputs } from './task-outputs.ts';
import type { TaskProgress } from './task-progress.ts';
import type { TaskRun } from './task-run.ts';

/** How a task ended, and what came out. */
export interface FinishedTask {
  readonly task: TaskRow;
  readonly status: TaskEnd['status'];
  readonly errors: readonly string[];
  readonly warnings?: readonly string[];
  /** In millionths. */
  readonly cost: number | undefined;
  readonly progress?: TaskProgress;
  readonly made?: {
    readonly outputs: TaskValues;
    readonly stored: StoredOutputs;
    readonly metadataOf: (output: string) => FileMetadata;
  };
}

const PATIENCE = 30;
const PAUSE_MS = 2000;

/**
 * Records everything at once, under the lease of the job. Hours of work are not thrown away because the database, or the
 * store that takes the log, is away for a moment.
 *
 * @throws LeaseLostError
 */
export async function recordTaskEnd(run: TaskRun, finished: FinishedTask): Promise<void> {
  const { clock, logger } = run.services;
  for (let attempt = 1; ; attempt++) {
    try {
      return await recordOnce(run, finished);
    } catch (error) {
      if (error instanceof TaskFailure || error instanceof ServiceError) {
        const { made: _lost, ...rest } = finished;
        return recordOnce(run, { ...rest, status: 'FAILED', errors: [error.message] });
      }
      if (attempt === PATIENCE || !(isPassingFailure(error) || isStoreFailure(error))) throw error;
      logger.warn({ job: run.job.id, err: error }, 'end of the task not recorded yet');
      await clock.sleep(PAUSE_MS, run.signal);
    }
  }
}

async function recordOnce(run: TaskRun, finished: FinishedTask): Promise<void> {
  const recordProgress = await finished.progress?.prepare(finished.status);
  await underLease(run, async (tx) => {
    await recordEnd(tx, run, { result: null });
    const task = await tasksIn(tx).find(finished.task.id);
    if (task === undefined) return;
    await recordIn(tx, run, { ...finished, task, execution: await recordProgress?.(tx) });
  });
}

async function recordIn(
  tx: Store,
  run: TaskRun,
  finished: FinishedTask & { readonly execution: ReturnType<typeof taskDetails>['execution'] | undefined },
): Promise<void> {
  const { task, errors, warnings = [], cost, execution, made } = finished;
  // A user who aborted it in the last moment was told so.
  const status = task.status === 'ABORTING' ? 'ABORTED' : finished.status;
  const now = storedTime(run.services.clock.now());
  await recordAct(tx, run, {
    action: 'task.end',
    object: task.id,
    detail: { project: task.project_id, status },
  });
  const details = taskDetails(task);
  const outputs = status === 'COMPLETED' && made ? await placed(tx, task, { ...made, now }) : details.outputs;
  await endTask(tx, task, {
    status,
    now,
    details: {
      ...details,
      outputs,
      errors,
      ...(execution === undefined ? {} : { execution: { ...execution, warnings } }),
    },
    ...(cost === undefined ? {} : { cost }),
  });
}

async function placed(
  tx: Store,
  task: TaskRow,
  made: NonNullable<FinishedTask['made']> & { readonly now: string },
): Promise<TaskValues> {
  const { outputs, now } = made;
  const details = taskDetails(task);
  const folder = await outputFolder(tx, task, { location: details.output_location, now });
  const place = { ...made, folder, taskId: task.id, createdBy: task.executed_by ?? '' };
  // Outputs that the app did not make stay null.
  return { ...details.outputs, ...(await placeOutputs(tx, outputs, place)) };
}

/**
 * The folder of the project that takes the outputs: what the task names as its output location, made where it is missing,
 * else the root. Inside a transaction. @throws TaskFailure when a file is in the way
 */
async function outputFolder(
  tx: Store,
  task: TaskRow,
  { location, now }: { readonly location: unknown; readonly now: string },
): Promise<FileRow> {
  const project = await projectsIn(tx).find(task.project_id);
  let folder = project && (await filesIn(tx).find(project.root_folder));
  if (folder === undefined) throw new TaskFailure('The project is gone.');
  for (const name of folderPathOf(location)) {
    const there = await filesIn(tx).findChild(folder.id, name);
    if (there?.kind === 'file') throw new TaskFailure(`The output location ${name} is a file.`);
    if (there === undefined) {
      const made = newFile({
        id: randomId(),
        project_id: task.project_id,
        parent_id: folder.id,
        kind: 'folder',
        name,
        created_by: task.executed_by ?? '',
        created_on: now,
      });
      await filesIn(tx).insert(made);
      folder = made;
    } else folder = there;
  }
  return folder;
}
