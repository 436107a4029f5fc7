import { Type } from 'typebox';
import { BulkAnswerOf, BulkExportIdsBody, BulkItemsBody } from '../../contract/bulk.ts';
import { ExportJob, ExportListQuery, StartExportBody, StartExportQuery } from '../../contract/export-job.ts';
import { PageOf } from '../../contract/paging.ts';
import { JobQuery, STORAGE_JOB_LIST_FIELDS } from '../../contract/storage-job.ts';
import type { HasClock } from '../../lib/clock.ts';
import { bulkAnswer, checkBulk, entryChecker } from '../http/bulk-answer.ts';
import type { App } from '../http/fastify-types.ts';
import type { HasClosing } from '../http/hang-up-signal.ts';
import { hangUpSignal } from '../http/hang-up-signal.ts';
import { pageAnswer } from '../http/page-answer.ts';
import { ServiceError } from '../http/service-error.ts';
import { findJob, findJobs } from '../jobs/find-jobs.ts';
import type { HasJobSignals } from '../jobs/job-signals.ts';
import { jobsIn } from '../jobs/job-table.ts';
import { submitJobs } from '../jobs/submit-jobs.ts';
import type { HasStore } from '../store/store.ts';
import { exportJob } from './submit-export.ts';
import { exportResource } from './transfer-resource.ts';

const checkEntry = entryChecker<StartExportBody>(StartExportBody);

export function exportRoutes(app: App, services: HasStore & HasJobSignals & HasClosing & HasClock): void {
  startRoute(app, services);
  readRoutes(app, services);
  bulkRoutes(app, services);
}

function startRoute(app: App, services: HasStore & HasJobSignals & HasClock): void {
  app.post(
    '/storage/exports',
    { schema: { querystring: StartExportQuery, body: StartExportBody, response: { 200: ExportJob } } },
    async ({ caller, view, query, body }) => {
      const job = await exportJob(services, caller, { body, query });
      await submitJobs(services, [job]);
      return exportResource(job, view);
    },
  );
}

function readRoutes(app: App, services: HasStore & HasJobSignals & HasClosing & HasClock): void {
  app.get(
    '/storage/exports',
    {
      schema: { querystring: ExportListQuery, response: { 200: PageOf(ExportJob) } },
      config: { listFields: STORAGE_JOB_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit, volume: volumeId, state } = request.query;
      const listing = { createdBy: request.caller.username, kinds: ['export'], volumeId, state } as const;
      const { rows, total } = await jobsIn(services.store).list(listing, { offset, limit });
      const items = rows.map((row) => exportResource(row, request.view));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );

  app.get(
    '/storage/exports/:id',
    {
      schema: {
        params: Type.Object({ id: Type.String() }),
        querystring: JobQuery,
        response: { 200: ExportJob },
      },
    },
    async ({ caller, view, params, query }, reply) => {
      const wanted = { id: params.id, kind: 'export', missing: 9008, waitSeconds: query.wait } as const;
      const job = await findJob(services, caller, { ...wanted, signal: hangUpSignal(reply) });
      return exportResource(job, view);
    },
  );
}

function bulkRoutes(app: App, services: HasStore & HasJobSignals & HasClosing & HasClock): void {
  const response = { 200: BulkAnswerOf(ExportJob) };
  // The API document shows both paths.
  for (const url of ['/bulk/storage/exports/create', '/bulk/storage/exports']) {
    app.post(
      url,
      { schema: { querystring: StartExportQuery, body: BulkItemsBody, response }, config: { bulk: true } },
      async ({ caller, view, query, body }) =>
        bulkAnswer(body.items, view, async (entry) => {
          const job = await exportJob(services, caller, { body: checkEntry(entry), query });
          await submitJobs(services, [job]);
          return exportResource(job, view);
        }),
    );
  }

  app.post(
    '/bulk/storage/exports/get',
    { schema: { querystring: JobQuery, body: BulkExportIdsBody, response }, config: { bulk: true } },
    async ({ caller, view, query, body }, reply) => {
      checkBulk(body.export_ids);
      const wanted = { ids: body.export_ids, kind: 'export', waitSeconds: query.wait } as const;
      const jobs = await findJobs(services, caller, { ...wanted, signal: hangUpSignal(reply) });
      return bulkAnswer(jobs, view, async (job) => {
        if (job === undefined) throw new ServiceError(9008);
        return exportResource(job, view);
      });
    },
  );
}
