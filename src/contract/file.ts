import { type Static, Type } from 'typebox';
import { pageQueryProperties } from './paging.ts';
import { Count, Id, Name, Nullable, QueryValues, RequestBody, Timestamp } from './schema-kinds.ts';

/** Where the bytes are: the service's own storage, or an object of a volume (the file is then an alias). */
export const FileStorage = Type.Object({
  /** `PLATFORM` or `VOLUME`. */
  type: Type.String(),
  hosted_on_locations: Type.Optional(Type.Array(Type.String())),
  /** Volume id and location; only in an alias. */
  volume: Type.Optional(Type.String()),
  location: Type.Optional(Type.String()),
});
export type FileStorage = Static<typeof FileStorage>;

export const FileOrigin = Type.Object({
  task: Type.Optional(Type.String()),
  dataset: Type.Optional(Type.String()),
});
export type FileOrigin = Static<typeof FileOrigin>;

export const FileMetadata = Type.Record(Type.String(), Type.String());
export type FileMetadata = Static<typeof FileMetadata>;

/** A file or a folder. A folder has no size, storage, origin, tags or metadata. */
export const FileResource = Type.Object({
  href: Type.String(),
  id: Type.String(),
  name: Type.String(),
  size: Type.Optional(Count),
  project: Type.String(),
  /** Folder id; only with the advance-access header, and absent on a root folder. */
  parent: Type.Optional(Type.String()),
  /** `file` or `FOLDER` from our service; compare without case. */
  type: Type.String(),
  created_on: Timestamp,
  modified_on: Timestamp,
  storage: Type.Optional(FileStorage),
  origin: Type.Optional(FileOrigin),
  tags: Type.Optional(Type.Array(Type.String())),
  metadata: Type.Optional(FileMetadata),
});
export type FileResource = Static<typeof FileResource>;

/** Fields of an item of `GET /files` when `fields` is not given. */
export const FILE_LIST_FIELDS = ['href', 'id', 'name', 'project'] as const;
/** The same for `GET /files/{folder}/list`. */
export const FOLDER_LIST_FIELDS = [...FILE_LIST_FIELDS, 'parent', 'type'] as const;

/**
 * `GET /files`. Besides these, any number of `metadata.{key}` (exact; one key repeated = OR, several keys = AND).
 * Exactly one of `project` (its root folder only) and `parent`.
 */
export const FileListQuery = Type.Object({
  ...pageQueryProperties,
  project: Type.Optional(Type.String()),
  parent: Type.Optional(Type.String()),
  name: Type.Optional(QueryValues),
  tag: Type.Optional(QueryValues),
  'origin.task': Type.Optional(QueryValues),
  dataset: Type.Optional(QueryValues),
});
export type FileListQuery = Static<typeof FileListQuery>;

/** `GET /files/scroll`: as the listing, less metadata and offset; the first token is the word `init`. */
export const FileScrollQuery = Type.Object({
  token: Type.String({ default: 'init' }),
  limit: pageQueryProperties.limit,
  fields: pageQueryProperties.fields,
  project: Type.Optional(Type.String()),
  parent: Type.Optional(Type.String()),
  name: Type.Optional(QueryValues),
  tag: Type.Optional(QueryValues),
  'origin.task': Type.Optional(QueryValues),
  dataset: Type.Optional(QueryValues),
});
export type FileScrollQuery = Static<typeof FileScrollQuery>;

/** Values that are null are ignored; that the others are strings within the limits is the call's rule (5006). */
export const MetadataBody = Type.Record(Type.String(), Type.Unknown());
export type MetadataBody = Static<typeof MetadataBody>;

/** `PATCH /files/{id}`. */
export const EditFileBody = RequestBody({
  name: Type.Optional(Type.String()),
  metadata: Type.Optional(Nullable(MetadataBody)),
  tags: Type.Optional(Nullable(Type.Array(Type.String()))),
});
export type EditFileBody = Static<typeof EditFileBody>;

/** Capability `rename_overwrite`: the target of that name is replaced in the same transaction. */
export const OverwriteQuery = Type.Object({
  overwrite: Type.Boolean({ default: false }),
  fields: Type.Optional(Type.String()),
});
export type OverwriteQuery = Static<typeof OverwriteQuery>;

export const TagsBody = Type.Array(Type.String());
export type TagsBody = Static<typeof TagsBody>;

/**
 * `POST /files/{id}/actions/copy`: exactly one of `project` and `parent`. Capability `copy_annotations`: the copy gets the
 * pairs beside those of its source, and the tags in their place.
 */
export const CopyFileBody = RequestBody({
  project: Type.Optional(Nullable(Id)),
  parent: Type.Optional(Nullable(Id)),
  name: Type.Optional(Nullable(Name)),
  metadata: Type.Optional(Nullable(MetadataBody)),
  tags: Type.Optional(Nullable(TagsBody)),
});
export type CopyFileBody = Static<typeof CopyFileBody>;

/** `POST /files/{id}/actions/move`: inside the project; the id stays. */
export const MoveFileBody = RequestBody({
  parent: Type.Optional(Nullable(Id)),
  name: Type.Optional(Nullable(Name)),
});
export type MoveFileBody = Static<typeof MoveFileBody>;

/** Capability `download_info_file`: the details of the file with its address. */
export const DownloadInfoQuery = Type.Object({
  file: Type.Boolean({ default: false }),
  fields: Type.Optional(Type.String()),
});
export type DownloadInfoQuery = Static<typeof DownloadInfoQuery>;

/** A signed address of the content: plain GET, ranges honoured, no token. */
export const DownloadInfo = Type.Object({
  url: Type.String(),
  /** Capability `download_info_file`: as `GET /files/{id}` answers, when asked for. */
  file: Type.Optional(FileResource),
});
export type DownloadInfo = Static<typeof DownloadInfo>;

/**
 * `POST /files/search`. The language: `IN "owner/project" WHERE type = "FILE" AND name = "a" AND tag = "t" AND
 * metadata.key = "v"`; several projects are separated by commas, and WHERE may be left out.
 */
export const FileSearchBody = RequestBody({ query: Type.String({ maxLength: 20_000 }) });
export type FileSearchBody = Static<typeof FileSearchBody>;

export const FileSearchQuery = Type.Object({
  limit: pageQueryProperties.limit,
  /** Of the page before. */
  cont_token: Type.Optional(Type.String()),
  fields: pageQueryProperties.fields,
});
export type FileSearchQuery = Static<typeof FileSearchQuery>;

export const FileSearchAnswer = Type.Object({
  /** Of all that match. */
  count: Count,
  /** Where there are more. */
  cont_token: Type.Optional(Type.String()),
  result_set: Type.Array(FileResource),
});
export type FileSearchAnswer = Static<typeof FileSearchAnswer>;

/** `POST /files` with the advance-access header. `type` is `folder` in any case; one of `parent` and `project`. */
export const CreateFolderBody = RequestBody({
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  parent: Type.Optional(Nullable(Type.String())),
  project: Type.Optional(Nullable(Type.String())),
});
export type CreateFolderBody = Static<typeof CreateFolderBody>;
