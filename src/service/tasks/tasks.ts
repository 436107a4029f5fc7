/** The front door: the parts of tasks that other subjects may use. */
export { endTask, type TaskEnd } from './end-task.ts';
export { type HasExecutor, type HasTaskRunner, noExecutor, type TaskServices } from './executor.ts';
export { jobExecutor } from './job-executor.ts';
export { folderPathOf } from './output-location.ts';
export { isUnfinished, type TaskExecution, taskDetails } from './task-details.ts';
export { readableFile, taskFiles } from './task-files.ts';
export { type TaskRow, tasksIn } from './task-table.ts';
export { type FileValue, outerFilesIn, withFiles } from './task-values.ts';
