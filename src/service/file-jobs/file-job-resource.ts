import type { AsyncFileJob, AsyncJobState, AsyncJobType } from '../../contract/async-file-job.ts';
import { fileResource } from '../files/files.ts';
import { errorBody } from '../http/error-body.ts';
import type { RequestView } from '../http/request-view.ts';
import type { JobRow } from '../jobs/job-table.ts';
import { apiTime } from '../store/stored-time.ts';
import type { FileJobEntry, FileJobResult } from './file-job-requests.ts';

export function fileJobResource(job: JobRow, view: RequestView): AsyncFileJob {
  const { entries, totalFiles, current }: FileJobResult =
    job.result === null ? { entries: [], totalFiles: 0 } : JSON.parse(job.result);
  const completed = (entry: FileJobEntry): number =>
    entry.failure === undefined ? entry.files : (entry.filesBefore ?? 0);
  const failed = (entry: FileJobEntry): number => (entry.failure === undefined ? 0 : entry.files);
  return {
    href: view.href(`/async/files/${job.kind}/${job.id}`),
    id: job.id,
    type: job.kind.toUpperCase() as AsyncJobType,
    state: job.state as AsyncJobState,
    result: entries.map((entry) => entryResource(entry, view)),
    total_files: totalFiles,
    completed_files: sumOf(entries, completed) + (current?.files ?? 0),
    failed_files: sumOf(entries, failed),
    started_on: apiTime(job.started_on ?? job.created_on),
    ...(job.finished_on === null ? {} : { finished_on: apiTime(job.finished_on) }),
  };
}

function sumOf(entries: readonly FileJobEntry[], of: (entry: FileJobEntry) => number): number {
  return entries.reduce((sum, entry) => sum + of(entry), 0);
}

function entryResource({ file, failure }: FileJobEntry, view: RequestView): AsyncFileJob['result'][number] {
  if (failure !== undefined) return { error: errorBody(failure, view) };
  return { resource: file ? fileResource(file, view) : null };
}
