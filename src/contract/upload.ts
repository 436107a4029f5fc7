import { type Static, Type } from 'typebox';
import { CONTENT_MD5_HEADER, INLINE_METADATA_HEADER, INLINE_TAGS_HEADER } from './headers.ts';
import { PART_COUNT_MAX } from './limits.ts';
import { Count, Nullable, RequestBody, Timestamp } from './schema-kinds.ts';

/** `POST /upload/multipart`: one of `project` and `parent`. */
export const InitUploadBody = RequestBody({
  name: Type.Optional(Type.String()),
  project: Type.Optional(Nullable(Type.String())),
  parent: Type.Optional(Nullable(Type.String())),
  /** Bytes; when given, completion checks it. */
  size: Type.Optional(Nullable(Count)),
  /** Bytes; an unsuitable value gets the service's default. The answer's value holds. */
  part_size: Type.Optional(Nullable(Type.Integer())),
  /** 32 hexadecimal digits; stored, not checked. */
  md5: Type.Optional(Nullable(Type.String())),
});
export type InitUploadBody = Static<typeof InitUploadBody>;

/** Answer to the initialisation. */
export const UploadStarted = Type.Object({
  upload_id: Type.String(),
  project: Type.String(),
  parent: Type.Optional(Type.String()),
  name: Type.String(),
  size: Type.Optional(Count),
  part_size: Type.Integer(),
  parallel_uploads: Type.Boolean(),
});
export type UploadStarted = Static<typeof UploadStarted>;

/** The ETag is compared without quotes. */
export const PartReport = Type.Object({
  part_number: Type.Integer(),
  response: Type.Object({ headers: Type.Object({ ETag: Type.String() }) }),
});
export type PartReport = Static<typeof PartReport>;

export const UploadResource = Type.Object({
  href: Type.String(),
  upload_id: Type.String(),
  project: Type.String(),
  parent: Type.Optional(Type.String()),
  name: Type.String(),
  size: Type.Optional(Count),
  initiated: Timestamp,
  parallel_uploads: Type.Boolean(),
  part_size: Type.Integer(),
  uploaded_parts_count: Count,
  /** Parts reported as completed; only with `list_parts`. */
  parts: Type.Optional(Type.Array(PartReport)),
});
export type UploadResource = Static<typeof UploadResource>;

export const UPLOAD_LIST_FIELDS = ['href', 'upload_id', 'project', 'name', 'initiated'] as const;

export const UploadDetailsQuery = Type.Object({
  list_parts: Type.Boolean({ default: false }),
  fields: Type.Optional(Type.String()),
});
export type UploadDetailsQuery = Static<typeof UploadDetailsQuery>;

/** Where and how to send one part. */
export const PartTarget = Type.Object({
  method: Type.String(),
  url: Type.String(),
  expires: Timestamp,
  /** To send with the PUT. */
  headers: Type.Record(Type.String(), Type.String()),
  /** Which statuses mean success, and which response headers to report. */
  report: Type.Object({ success_codes: Type.Array(Type.Integer()), headers: Type.Array(Type.String()) }),
});
export type PartTarget = Static<typeof PartTarget>;

/** A report as received: what is wrong with it has error codes of its own (8012, 8014). */
export const PartReportBody = Type.Object({
  part_number: Type.Optional(Type.Unknown()),
  response: Type.Optional(Type.Unknown()),
});
export type PartReportBody = Static<typeof PartReportBody>;

/** Several reports, and the body of a completion. That `parts` is a list is the call's rule (8015). */
export const PartReportsBody = RequestBody({ parts: Type.Optional(Type.Unknown()) });
export type PartReportsBody = Static<typeof PartReportsBody>;

export const PartReports = Type.Object({ parts: Type.Array(PartReport, { maxItems: PART_COUNT_MAX }) });
export type PartReports = Static<typeof PartReports>;

/** `POST /upload/inline` (capability `upload_inline`): the bytes are the body, the answer is the File. */
export const InlineUploadQuery = Type.Object({
  project: Type.Optional(Type.String()),
  parent: Type.Optional(Type.String()),
  name: Type.Optional(Type.String()),
  overwrite: Type.Boolean({ default: false }),
  fields: Type.Optional(Type.String()),
});
export type InlineUploadQuery = Static<typeof InlineUploadQuery>;

/** Beside the bytes, in lower case as Node has them; what they hold is the call's rule (8016, 5006, 90000). */
export const InlineUploadHeaders = Type.Object({
  [CONTENT_MD5_HEADER.toLowerCase()]: Type.Optional(Type.String()),
  [INLINE_METADATA_HEADER.toLowerCase()]: Type.Optional(Type.String()),
  [INLINE_TAGS_HEADER.toLowerCase()]: Type.Optional(Type.String()),
});
