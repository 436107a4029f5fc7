import { type Static, Type } from 'typebox';
import { ApiErrorBody } from './error.ts';
import { FileResource } from './file.ts';
import { pageQueryProperties } from './paging.ts';
import { Id, Name, Nullable, RequestBody, Timestamp } from './schema-kinds.ts';
import { StorageJobState } from './storage-job.ts';

export const ImportJob = Type.Object({
  href: Type.String(),
  id: Type.String(),
  state: StorageJobState,
  overwrite: Type.Boolean(),
  autorename: Type.Optional(Type.Boolean()),
  preserve_folder_structure: Type.Optional(Type.Boolean()),
  source: Type.Object({ volume: Type.String(), location: Type.String() }),
  destination: Type.Object({
    project: Type.Optional(Type.String()),
    parent: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
  }),
  started_on: Type.Optional(Timestamp),
  finished_on: Type.Optional(Timestamp),
  /** The alias made. */
  result: Type.Optional(FileResource),
  error: Type.Optional(ApiErrorBody),
});
export type ImportJob = Static<typeof ImportJob>;

/** `POST /storage/imports`. The volume is `volume` (examples) or `volume_id` (the law). */
export const StartImportBody = RequestBody({
  source: RequestBody({
    volume: Type.Optional(Id),
    volume_id: Type.Optional(Id),
    location: Name,
  }),
  destination: RequestBody({
    project: Type.Optional(Nullable(Id)),
    parent: Type.Optional(Nullable(Id)),
    name: Type.Optional(Nullable(Name)),
  }),
  overwrite: Type.Optional(Nullable(Type.Boolean())),
  autorename: Type.Optional(Nullable(Type.Boolean())),
  preserve_folder_structure: Type.Optional(Nullable(Type.Boolean())),
});
export type StartImportBody = Static<typeof StartImportBody>;

/** True here or in the body wins. */
export const StartImportQuery = Type.Object({
  overwrite: Type.Boolean({ default: false }),
  fields: Type.Optional(Type.String()),
});
export type StartImportQuery = Static<typeof StartImportQuery>;

export const ImportListQuery = Type.Object({
  ...pageQueryProperties,
  project: Type.Optional(Type.String()),
  volume: Type.Optional(Type.String()),
  state: Type.Optional(StorageJobState),
});
export type ImportListQuery = Static<typeof ImportListQuery>;
