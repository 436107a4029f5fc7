import type { AsyncFileJob, AsyncJobState, AsyncJobType } from '../../contract/async-file-job.ts';
import type { ApiErrorBody } from '../../contract/error.ts';
import type { ExportJob } from '../../contract/export-job.ts';
import type { ImportJob } from '../../contract/import-job.ts';
import type { StorageJobState } from '../../contract/storage-job.ts';
import { fileResource } from '../files/file-resource.ts';
import { errorBody } from '../http/error-body.ts';
import type { RequestView } from '../http/request-view.ts';
import type {
  ExportRequest,
  FileJobEntry,
  FileJobResult,
  ImportRequest,
  JobFailure,
  TransferResult,
} from '../jobs/job-requests.ts';
import type { JobRow } from '../jobs/job-table.ts';
import { apiTime } from '../store/stored-time.ts';

export function importResource(job: JobRow, view: RequestView): ImportJob {
  const { volume, location, destination, overwrite, autorename, folder }: ImportRequest = JSON.parse(
    job.request,
  );
  return {
    href: view.href(`/storage/imports/${job.id}`),
    ...stateOf(job),
    overwrite,
    autorename,
    preserve_folder_structure: folder,
    source: { volume, location },
    destination,
    ...endOf(job, view),
  };
}

export function exportResource(job: JobRow, view: RequestView): ExportJob {
  const { file, volume, location, properties, overwrite }: ExportRequest = JSON.parse(job.request);
  return {
    href: view.href(`/storage/exports/${job.id}`),
    ...stateOf(job),
    source: { file },
    destination: { volume, location },
    properties,
    overwrite,
    ...endOf(job, view),
  };
}

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

function stateOf(job: JobRow): { id: string; state: StorageJobState } {
  return { id: job.id, state: job.state as StorageJobState };
}

interface TransferEnd {
  started_on?: string;
  finished_on?: string;
  result?: ReturnType<typeof fileResource>;
  error?: ApiErrorBody;
}

/** What is there only once the job has begun or ended. */
function endOf({ started_on, finished_on, result, error }: JobRow, view: RequestView): TransferEnd {
  const end: TransferEnd = {};
  if (started_on !== null) end.started_on = apiTime(started_on);
  if (finished_on !== null) end.finished_on = apiTime(finished_on);
  if (result !== null) end.result = fileResource(JSON.parse(result) as TransferResult, view);
  if (error !== null) end.error = errorBody(JSON.parse(error) as JobFailure, view);
  return end;
}
