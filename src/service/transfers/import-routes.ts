import { Type } from 'typebox';
import { BulkAnswerOf, BulkImportIdsBody, BulkItemsBody } from '../../contract/bulk.ts';
import { ImportJob, ImportListQuery, StartImportBody, StartImportQuery } from '../../contract/import-job.ts';
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
import { importJob } from './submit-import.ts';
import { importResource } from './transfer-resource.ts';

const checkEntry = entryChecker<StartImportBody>(StartImportBody);

export function importRoutes(app: App, services: HasStore & HasJobSignals & HasClosing & HasClock): void {
  startRoute(app, services);
  readRoutes(app, services);
  bulkRoutes(app, services);
}

function startRoute(app: App, services: HasStore & HasJobSignals & HasClock): void {
  app.post(
    '/storage/imports',
    { schema: { querystring: StartImportQuery, body: StartImportBody, response: { 200: ImportJob } } },
    async ({ caller, view, query, body }) => {
      const job = await importJob(services, caller, { body, overwrite: query.overwrite });
      await submitJobs(services, [job]);
      return importResource(job, view);
    },
  );
}

function readRoutes(app: App, services: HasStore & HasJobSignals & HasClosing & HasClock): void {
  app.get(
    '/storage/imports',
    {
      schema: { querystring: ImportListQuery, response: { 200: PageOf(ImportJob) } },
      config: { listFields: STORAGE_JOB_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit, project: projectId, volume: volumeId, state } = request.query;
      const listing = {
        createdBy: request.caller.username,
        kinds: ['import'],
        projectId,
        volumeId,
        state,
      } as const;
      const { rows, total } = await jobsIn(services.store).list(listing, { offset, limit });
      const items = rows.map((row) => importResource(row, request.view));
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );

  app.get(
    '/storage/imports/:id',
    {
      schema: {
        params: Type.Object({ id: Type.String() }),
        querystring: JobQuery,
        response: { 200: ImportJob },
      },
    },
    async ({ caller, view, params, query }, reply) => {
      const wanted = { id: params.id, kind: 'import', missing: 9008, waitSeconds: query.wait } as const;
      const job = await findJob(services, caller, { ...wanted, signal: hangUpSignal(reply) });
      return importResource(job, view);
    },
  );
}

function bulkRoutes(app: App, services: HasStore & HasJobSignals & HasClosing & HasClock): void {
  const response = { 200: BulkAnswerOf(ImportJob) };
  app.post(
    '/bulk/storage/imports/create',
    { schema: { querystring: StartImportQuery, body: BulkItemsBody, response }, config: { bulk: true } },
    async ({ caller, view, query, body }) =>
      bulkAnswer(body.items, view, async (entry) => {
        const { overwrite } = query;
        const job = await importJob(services, caller, { body: checkEntry(entry), overwrite });
        await submitJobs(services, [job]);
        return importResource(job, view);
      }),
  );

  app.post(
    '/bulk/storage/imports/get',
    { schema: { querystring: JobQuery, body: BulkImportIdsBody, response }, config: { bulk: true } },
    async ({ caller, view, query, body }, reply) => {
      checkBulk(body.import_ids);
      const wanted = { ids: body.import_ids, kind: 'import', waitSeconds: query.wait } as const;
      const jobs = await findJobs(services, caller, { ...wanted, signal: hangUpSignal(reply) });
      return bulkAnswer(jobs, view, async (job) => {
        if (job === undefined) throw new ServiceError(9008);
        return importResource(job, view);
      });
    },
  );
}
