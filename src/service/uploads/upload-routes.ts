import { Type } from 'typebox';
import { NoContent } from '../../contract/answers.ts';
import { FileResource, OverwriteQuery } from '../../contract/file.ts';
import { FieldsQuery, PageOf, PageQuery } from '../../contract/paging.ts';
import { OptionalBody } from '../../contract/schema-kinds.ts';
import {
  InitUploadBody,
  PartReportsBody,
  UPLOAD_LIST_FIELDS,
  UploadDetailsQuery,
  UploadResource,
  UploadStarted,
} from '../../contract/upload.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { HasLogger } from '../../observe/logger.ts';
import { fileAnswer } from '../files/files.ts';
import type { App } from '../http/fastify-types.ts';
import { pageAnswer } from '../http/page-answer.ts';
import type { HasMetrics } from '../operations/monitoring/service-metrics.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { beginUpload } from './begin-upload.ts';
import { completeUpload } from './complete-upload.ts';
import { abortUpload } from './forget-upload.ts';
import { parsePartReports } from './part-report.ts';
import { uploadFor } from './upload-access.ts';
import { uploadResource, uploadStarted } from './upload-resource.ts';
import { uploadsIn } from './upload-table.ts';

const UploadPath = Type.Object({ upload_id: Type.String() });

/** Uploads in parts, as wholes; their parts are in upload-parts.ts. */
export function uploadRoutes(
  app: App,
  services: HasStore & HasBlobs & HasMetrics & HasClock & HasLogger,
): void {
  const { store } = services;
  collectionRoutes(app, services);

  app.get(
    '/upload/multipart/:upload_id',
    { schema: { params: UploadPath, querystring: UploadDetailsQuery, response: { 200: UploadResource } } },
    async ({ caller, view, params, query }) => {
      const upload = await uploadFor(store, caller, params.upload_id);
      const count = await uploadsIn(store).countParts(upload.id);
      const parts = query.list_parts ? { parts: await uploadsIn(store).parts(upload.id) } : {};
      return uploadResource(upload, view, { count, ...parts });
    },
  );

  app.post(
    '/upload/multipart/:upload_id/complete',
    {
      schema: {
        params: UploadPath,
        querystring: FieldsQuery,
        body: OptionalBody(PartReportsBody),
        response: { 200: FileResource },
      },
    },
    async ({ caller, view, params, body }) => {
      const parts = body?.parts === undefined || body.parts === null ? [] : parsePartReports(body.parts);
      const file = await completeUpload(services, caller, { uploadId: params.upload_id, parts });
      return fileAnswer(store, file, view);
    },
  );

  app.delete(
    '/upload/multipart/:upload_id',
    { schema: { params: UploadPath, response: { 204: NoContent } } },
    async ({ caller, params }, reply) => {
      await abortUpload(services, caller, params.upload_id);
      return reply.code(204).send();
    },
  );
}

function collectionRoutes(app: App, services: HasStore & HasBlobs & HasClock & HasLogger): void {
  app.post(
    '/upload/multipart',
    { schema: { querystring: OverwriteQuery, body: InitUploadBody, response: { 200: UploadStarted } } },
    async ({ caller, view, query, body }) =>
      uploadStarted(await beginUpload(services, caller, { body, overwrite: query.overwrite }), view),
  );

  app.get(
    '/upload/multipart',
    {
      schema: { querystring: PageQuery, response: { 200: PageOf(UploadResource) } },
      config: { listFields: UPLOAD_LIST_FIELDS },
    },
    async (request, reply) => {
      const { offset, limit } = request.query;
      const uploads = uploadsIn(services.store);
      const { rows, total } = await uploads.list(request.caller.username, { offset, limit });
      const items = await Promise.all(
        rows.map(async (row) =>
          uploadResource(row, request.view, { count: await uploads.countParts(row.id) }),
        ),
      );
      return pageAnswer(request, reply, { offset, limit, items, total });
    },
  );
}
