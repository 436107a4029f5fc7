import { Type } from 'typebox';
import { FieldsQuery } from '../../contract/paging.ts';
import { OptionalBody } from '../../contract/schema-kinds.ts';
import {
  PartReport,
  PartReportBody,
  PartReports,
  PartReportsBody,
  PartTarget,
} from '../../contract/upload.ts';
import type { App } from '../http/fastify-types.ts';
import type { HasBlobs } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { apiTime, storedTime } from '../store/stored-time.ts';
import { checkPartNumber, parsePartReport, parsePartReports } from './part-report.ts';
import { reportParts } from './report-parts.ts';
import { targetOf, uploadFor } from './upload-access.ts';
import { partReport } from './upload-resource.ts';

const UploadPath = Type.Object({ upload_id: Type.String() });
const PartPath = Type.Object({ ...UploadPath.properties, part_number: Type.String() });

export function uploadPartRoutes(app: App, services: HasStore & HasBlobs): void {
  const { store, blobs } = services;

  app.get(
    '/upload/multipart/:upload_id/part/:part_number',
    { schema: { params: PartPath, querystring: FieldsQuery, response: { 200: PartTarget } } },
    async ({ caller, view, params }) => {
      const upload = await uploadFor(store, caller, params.upload_id);
      const partNumber = checkPartNumber(params.part_number);
      const { url, expiresMs } = await blobs.partAddress(targetOf(upload), partNumber);
      return {
        method: 'PUT',
        url: new URL(url, view.origin).href,
        expires: apiTime(storedTime(expiresMs)),
        headers: {},
        report: { success_codes: [200], headers: ['ETag'] },
      };
    },
  );

  app.post(
    '/upload/multipart/:upload_id/part',
    {
      schema: {
        params: UploadPath,
        querystring: FieldsQuery,
        body: PartReportBody,
        response: { 200: PartReport },
      },
    },
    async ({ caller, params, body }) => {
      const part = parsePartReport(body);
      await reportParts(services, caller, { uploadId: params.upload_id, parts: [part] });
      return partReport({ part_number: part.partNumber, etag: part.etag });
    },
  );

  app.post(
    '/upload/multipart/:upload_id',
    {
      schema: {
        params: UploadPath,
        querystring: FieldsQuery,
        body: OptionalBody(PartReportsBody),
        response: { 200: PartReports },
      },
    },
    async ({ caller, params, body }) => {
      const parts = parsePartReports(body?.parts);
      await reportParts(services, caller, { uploadId: params.upload_id, parts });
      return { parts: parts.map(({ partNumber, etag }) => partReport({ part_number: partNumber, etag })) };
    },
  );
}
