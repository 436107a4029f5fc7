import { type Static, Type } from 'typebox';
import { ApiErrorBody } from './error.ts';
import { FileResource } from './file.ts';
import { pageQueryProperties } from './paging.ts';
import { Id, Name, Nullable, RequestBody, Timestamp } from './schema-kinds.ts';
import { StorageJobState } from './storage-job.ts';

const text = Nullable(Name);

/** Always its four keys; null where unset. */
export const ExportProperties = Type.Object({
  sse_algorithm: text,
  sse_cloud_kms_key_id: text,
  cloud_canned_acl: text,
  cloud_storage_class: text,
});
export type ExportProperties = Static<typeof ExportProperties>;

export const ExportJob = Type.Object({
  href: Type.String(),
  id: Type.String(),
  state: StorageJobState,
  source: Type.Object({ file: Type.String() }),
  destination: Type.Object({ volume: Type.String(), location: Type.String() }),
  properties: ExportProperties,
  overwrite: Type.Boolean(),
  started_on: Type.Optional(Timestamp),
  finished_on: Type.Optional(Timestamp),
  /** The project file, by then an alias unless the export was `copy_only`. */
  result: Type.Optional(FileResource),
  error: Type.Optional(ApiErrorBody),
});
export type ExportJob = Static<typeof ExportJob>;

/** `POST /storage/exports`, and one entry of the bulk call. */
export const StartExportBody = RequestBody({
  source: RequestBody({ file: Id }),
  destination: RequestBody({ volume: Id, location: Name }),
  properties: Type.Optional(
    Nullable(
      RequestBody({
        /** `AES256`, `cloud:kms`, or none: null and the word `null`. */
        sse_algorithm: Type.Optional(text),
        sse_cloud_kms_key_id: Type.Optional(text),
        cloud_canned_acl: Type.Optional(text),
        cloud_storage_class: Type.Optional(text),
      }),
    ),
  ),
  overwrite: Type.Optional(Nullable(Type.Boolean())),
});
export type StartExportBody = Static<typeof StartExportBody>;

export const StartExportQuery = Type.Object({
  /** The source stays a file of the project. */
  copy_only: Type.Boolean({ default: false }),
  /** As in the body; either of them counts. */
  overwrite: Type.Boolean({ default: false }),
  fields: Type.Optional(Type.String()),
});
export type StartExportQuery = Static<typeof StartExportQuery>;

export const ExportListQuery = Type.Object({
  ...pageQueryProperties,
  volume: Type.Optional(Type.String()),
  state: Type.Optional(StorageJobState),
});
export type ExportListQuery = Static<typeof ExportListQuery>;
