import type { ApiErrorBody } from '../../contract/error.ts';
import type { ExportJob } from '../../contract/export-job.ts';
import type { ImportJob } from '../../contract/import-job.ts';
import type { StorageJobState } from '../../contract/storage-job.ts';
import { fileResource } from '../files/files.ts';
import { errorBody } from '../http/error-body.ts';
import type { RequestView } from '../http/request-view.ts';
import type { JobFailure, JobRow } from '../jobs/job-table.ts';
import { apiTime } from '../store/stored-time.ts';
import type { ExportRequest, ImportRequest, TransferResult } from './transfer-requests.ts';

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

function stateOf(job: JobRow): { id: string; state: StorageJobState } {
  return { id: job.id, state: job.state as StorageJobState };
}

interface TransferEnd {
  started_on?: string;
  finished_on?: string;
  result?: ReturnType<typeof fileResource>;
  error?: ApiErrorBody;
}

/** The fields that exist only once the job has begun or ended. */
function endOf({ started_on, finished_on, result, error }: JobRow, view: RequestView): TransferEnd {
  const end: TransferEnd = {};
  if (started_on !== null) end.started_on = apiTime(started_on);
  if (finished_on !== null) end.finished_on = apiTime(finished_on);
  if (result !== null) end.result = fileResource(JSON.parse(result) as TransferResult, view);
  if (error !== null) end.error = errorBody(JSON.parse(error) as JobFailure, view);
  return end;
}
