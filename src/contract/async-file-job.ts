import { type Static, Type } from 'typebox';
import { ApiErrorBody } from './error.ts';
import { FileResource } from './file.ts';
import { Count, Id, Name, Nullable, RequestBody, Timestamp } from './schema-kinds.ts';

export const AsyncJobType = Type.Union([Type.Literal('COPY'), Type.Literal('MOVE'), Type.Literal('DELETE')]);
export type AsyncJobType = Static<typeof AsyncJobType>;

export const AsyncJobState = Type.Union([
  Type.Literal('SUBMITTED'),
  Type.Literal('RESOLVING'),
  Type.Literal('RUNNING'),
  Type.Literal('FINISHED'),
]);
export type AsyncJobState = Static<typeof AsyncJobState>;

/** Copy, move or deletion of files and folders; failures show in `failed_files` and in entries of `result`. */
export const AsyncFileJob = Type.Object({
  href: Type.String(),
  id: Type.String(),
  type: AsyncJobType,
  state: AsyncJobState,
  result: Type.Array(
    Type.Object({
      resource: Type.Optional(Nullable(FileResource)),
      error: Type.Optional(ApiErrorBody),
    }),
  ),
  total_files: Count,
  completed_files: Count,
  failed_files: Count,
  started_on: Timestamp,
  finished_on: Type.Optional(Timestamp),
});
export type AsyncFileJob = Static<typeof AsyncFileJob>;

/** An empty string means "not given". */
export const AsyncCopyItem = RequestBody({
  file: Id,
  parent: Type.Optional(Nullable(Id)),
  project: Type.Optional(Nullable(Id)),
  name: Type.Optional(Nullable(Name)),
});
export type AsyncCopyItem = Static<typeof AsyncCopyItem>;

/** `POST /async/files/copy` and `/move`. */
export const AsyncCopyBody = RequestBody({ items: Type.Array(AsyncCopyItem) });
export type AsyncCopyBody = Static<typeof AsyncCopyBody>;

export const AsyncDeleteItem = RequestBody({ file: Id });
export type AsyncDeleteItem = Static<typeof AsyncDeleteItem>;

/** `POST /async/files/delete`: full folders allowed. */
export const AsyncDeleteBody = RequestBody({ items: Type.Array(AsyncDeleteItem) });
export type AsyncDeleteBody = Static<typeof AsyncDeleteBody>;
