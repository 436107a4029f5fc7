import {
  type Static,
  type TArray,
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TUnion,
  Type,
} from 'typebox';
import { ApiErrorBody } from './error.ts';
import { MetadataBody } from './file.ts';
import { Id, Name, Nullable, RequestBody } from './schema-kinds.ts';

/** One entry of a bulk answer: the resource (null after a deletion) or the error, in the order asked. */
export type BulkEntry<Resource> = { resource: Resource } | { error: ApiErrorBody };

export interface BulkAnswer<Resource> {
  items: BulkEntry<Resource>[];
}

type BulkAnswerSchema<Resource extends TSchema> = TObject<{
  items: TArray<
    TObject<{ resource: TOptional<TUnion<[Resource, TNull]>>; error: TOptional<typeof ApiErrorBody> }>
  >;
}>;

export function BulkAnswerOf<Resource extends TSchema>(resource: Resource): BulkAnswerSchema<Resource> {
  return Type.Object({
    items: Type.Array(
      Type.Object({ resource: Type.Optional(Nullable(resource)), error: Type.Optional(ApiErrorBody) }),
    ),
  });
}

/** `POST /bulk/files/get` and `/delete`. That it is a list of at most 100 is the call's rule (90000). */
export const BulkFileIdsBody = RequestBody({ file_ids: Type.Array(Id) });
export type BulkFileIdsBody = Static<typeof BulkFileIdsBody>;

/** `POST /bulk/files/edit` (merges) and `/update` (replaces). The id is `id` (clients) or `file_id` (documents). */
export const BulkFileEdit = RequestBody({
  id: Type.Optional(Id),
  file_id: Type.Optional(Id),
  name: Type.Optional(Nullable(Name)),
  tags: Type.Optional(Nullable(Type.Array(Type.String()))),
  metadata: Type.Optional(Nullable(MetadataBody)),
});
export type BulkFileEdit = Static<typeof BulkFileEdit>;

export const BulkFileEditsBody = RequestBody({ items: Type.Array(BulkFileEdit) });
export type BulkFileEditsBody = Static<typeof BulkFileEditsBody>;

/** Entries are checked one by one, as the single call's body, so that one bad entry fails alone. */
export const BulkItemsBody = RequestBody({ items: Type.Array(Type.Unknown()) });
export type BulkItemsBody = Static<typeof BulkItemsBody>;

export const BulkImportIdsBody = RequestBody({ import_ids: Type.Array(Id) });
export type BulkImportIdsBody = Static<typeof BulkImportIdsBody>;

export const BulkExportIdsBody = RequestBody({ export_ids: Type.Array(Id) });
export type BulkExportIdsBody = Static<typeof BulkExportIdsBody>;

/** `POST /action/files/copy`: answered by an object keyed by the old id. */
export const ActionCopyFilesBody = RequestBody({
  project: Id,
  file_ids: Type.Array(Id),
});
export type ActionCopyFilesBody = Static<typeof ActionCopyFilesBody>;

export const ActionCopyFilesAnswer = Type.Record(
  Type.String(),
  Type.Object({
    /** `OK`, or `ERROR` with a message. */
    status: Type.String(),
    new_file_id: Type.Optional(Type.String()),
    new_file_name: Type.Optional(Type.String()),
    message: Type.Optional(Type.String()),
  }),
);
export type ActionCopyFilesAnswer = Static<typeof ActionCopyFilesAnswer>;

export const BulkTaskIdsBody = RequestBody({ task_ids: Type.Array(Id) });
export type BulkTaskIdsBody = Static<typeof BulkTaskIdsBody>;
