import { Type } from 'typebox';
import {
  AsyncCopyBody,
  AsyncDeleteBody,
  AsyncFileJob,
  type AsyncJobState,
  type AsyncJobType,
} from '../../contract/async-file-job.ts';
import { FieldsQuery, PageOf, PageQuery } from '../../contract/paging.ts';
import { JobQuery } from '../../contract/storage-job.ts';
import type { HasClock } from '../../lib/clock.ts';
import { fileResource } from '../files/files.ts';
import { errorBody } from '../http/error-body.ts';
import type { App } from '../http/fastify-types.ts';
import { type HasClosing, hangUpSignal } from '../http/hang-up-signal.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { RequestView } from '../http/request-view.ts';
import { findJob } from '../jobs/find-jobs.ts';
import type { HasJobSignals } from '../jobs/job-signals.ts';
import { type JobRow, jobsIn } from '../jobs/job-table.ts';
import { submitJobs } from '../jobs/submit-jobs.ts';
import type { HasStore } from '../store/store.ts';
import { apiTime } from '../store/stored-time.ts';
import type { FileJobEntry, FileJobResult } from './file-job-requests.ts';
import { type FileJobKind, fileJob } from './submit-file-job.ts';

const KINDS: readonly FileJobKind[] = ['copy', 'move', 'delete'];
const LIST_FIELDS = Object.keys(AsyncFileJob.properties);

export function asyncFileRoutes(app: App, services: HasStore & HasJobSignals & HasClosing & HasClock): void {
  app.get(
    '/async/files',
    {
      schema: { querystring: PageQuery, response: { 200: PageOf(AsyncFileJob) } },
      config: { listFields: LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const listing = { createdBy: request.caller.username, kinds: KINDS };
      const { rows, total } = await jobsIn(services.store).list(listing, { offset, limit });
      const items = rows.map((row) => fileJobResource(row, request.view));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );
  for (const kind of KINDS) jobRoutes(app, services, kind);
}

function jobRoutes(
  app: App,
  services: HasStore & HasJobSignals & HasClosing & HasClock,
  kind: FileJobKind,
): void {
  const url = `/async/files/${kind}`;
  app.post(
    url,
    {
      schema: {
        querystring: FieldsQuery,
        body: kind === 'delete' ? AsyncDeleteBody : AsyncCopyBody,
        response: { 200: AsyncFileJob },
      },
    },
    async ({ caller, view, body }) => {
      const job = fileJob(services, caller, { kind, items: body.items });
      await submitJobs(services, [job]);
      return fileJobResource(job, view);
    },
  );

  app.get(
    `${url}/:id`,
    {
      schema: {
        params: Type.Object({ id: Type.String() }),
        querystring: JobQuery,
        response: { 200: AsyncFileJob },
      },
    },
    async ({ caller, view, params, query }, reply) => {
      const wanted = { id: params.id, kind, missing: 57039, waitSeconds: query.wait } as const;
      const job = await findJob(services, caller, { ...wanted, signal: hangUpSignal(reply) });
      return fileJobResource(job, view);
    },
  );
}

function fileJobResource(job: JobRow, view: RequestView): AsyncFileJob {
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
