import { type Static, Type } from 'typebox';
import { PAGE_LIMIT_MAX, VOLUME_PAGE_LIMIT_DEFAULT } from './limits.ts';
import { pageQueryProperties } from './paging.ts';
import { BooleanWord, Nullable, RequestBody, Timestamp } from './schema-kinds.ts';

const text = Nullable(Type.String());

export const VolumePermissions = Type.Object({
  read: Type.Boolean(),
  copy: Type.Boolean(),
  write: Type.Boolean(),
  admin: Type.Boolean(),
});
export type VolumePermissions = Static<typeof VolumePermissions>;

/** As answered: without any secret, `type` in upper case. */
export const VolumeService = Type.Object({
  type: Type.String(),
  bucket: Type.String(),
  prefix: Type.String(),
  endpoint: Type.String(),
  credentials: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  properties: Type.Record(Type.String(), text),
});
export type VolumeService = Static<typeof VolumeService>;

export const VolumeResource = Type.Object({
  href: Type.String(),
  /** `{owner}/{name}`. */
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  /** `RW` or `RO`. */
  access_mode: Type.String(),
  service: VolumeService,
  created_on: Timestamp,
  modified_on: Timestamp,
  active: Type.Boolean(),
});
export type VolumeResource = Static<typeof VolumeResource>;

export const VOLUME_LIST_FIELDS = ['href', 'id', 'name'] as const;

export const VolumeServiceInput = RequestBody({
  type: Type.Optional(Type.String()),
  bucket: Type.Optional(Type.String()),
  prefix: Type.Optional(text),
  endpoint: Type.Optional(text),
  root_url: Type.Optional(text),
  /** By kind of store; held but for what the kind does not know. */
  credentials: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  properties: Type.Optional(
    RequestBody({
      sse_algorithm: Type.Optional(text),
      sse_cloud_kms_key_id: Type.Optional(text),
      cloud_canned_acl: Type.Optional(text),
      cloud_storage_class: Type.Optional(text),
    }),
  ),
});
export type VolumeServiceInput = Static<typeof VolumeServiceInput>;

/** `POST /storage/volumes`; what must be there has error codes of its own (9013, 9015, 9016). */
export const CreateVolumeBody = RequestBody({
  name: Type.Optional(Type.String()),
  description: Type.Optional(text),
  access_mode: Type.Optional(Type.String()),
  service: Type.Optional(VolumeServiceInput),
});
export type CreateVolumeBody = Static<typeof CreateVolumeBody>;

/** `PATCH /storage/volumes/{owner}/{name}`. */
export const EditVolumeBody = RequestBody({
  description: Type.Optional(text),
  access_mode: Type.Optional(Type.String()),
  service: Type.Optional(VolumeServiceInput),
  active: Type.Optional(Type.Boolean()),
});
export type EditVolumeBody = Static<typeof EditVolumeBody>;

export const EditVolumeQuery = Type.Object({
  /** Stop running jobs when deactivating. */
  force: Type.Boolean({ default: false }),
  fields: Type.Optional(Type.String()),
});
export type EditVolumeQuery = Static<typeof EditVolumeQuery>;

export const VolumeListQuery = Type.Object(pageQueryProperties);
export type VolumeListQuery = Static<typeof VolumeListQuery>;

/**
 * An object of the store behind the volume. In `metadata`, directory and S3 stores give at least `size`, `etag`,
 * `updated`, `contentType`, `storageClass`, `bucket` and `name`; others may give numbers as text and times as
 * `{value, dateOnly, timeZoneShift}`.
 */
export const VolumeObject = Type.Object({
  href: Type.String(),
  location: Type.String(),
  volume: Type.String(),
  /** Lower case: `s3`, `gcs`, …. */
  type: Type.String(),
  /** In listings only when `fields` asks for it. */
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
export type VolumeObject = Static<typeof VolumeObject>;

export const VOLUME_OBJECT_LIST_FIELDS = ['href', 'location', 'volume', 'type'] as const;

/** Keys of one level deeper, folded: `prefix` ends in `/`. */
export const VolumePrefix = Type.Object({
  href: Type.String(),
  prefix: Type.String(),
  volume: Type.String(),
});
export type VolumePrefix = Static<typeof VolumePrefix>;

/** `GET /storage/volumes/{owner}/{name}/list`. */
export const VolumeContents = Type.Object({
  href: Type.String(),
  prefix: Type.String(),
  /** Ours is a number; the law shows a string. */
  limit: Type.Union([Type.Integer(), Type.String()]),
  continuation_token: Type.String(),
  /** More exist. */
  truncated: Type.Boolean(),
  items: Type.Array(VolumeObject),
  prefixes: Type.Array(VolumePrefix),
  /** Empty, or one `{next}`. */
  links: Type.Array(Type.Object({ next: Type.String() })),
});
export type VolumeContents = Static<typeof VolumeContents>;

export const VolumeContentsQuery = Type.Object({
  prefix: Type.Optional(Type.String()),
  limit: Type.Integer({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: VOLUME_PAGE_LIMIT_DEFAULT }),
  continuation_token: Type.Optional(Type.String()),
  fields: Type.Optional(Type.String()),
});
export type VolumeContentsQuery = Static<typeof VolumeContentsQuery>;

/** `GET …/object` and `GET …/object/download_info`. */
export const VolumeObjectQuery = Type.Object({
  location: Type.Optional(Type.String()),
  fields: Type.Optional(Type.String()),
});
export type VolumeObjectQuery = Static<typeof VolumeObjectQuery>;

/** Capability `volume_download_info`. */
export const VolumeDownloadInfo = Type.Object({
  url: Type.String(),
  size: Type.Integer(),
  etag: Type.String(),
});
export type VolumeDownloadInfo = Static<typeof VolumeDownloadInfo>;

export const VolumeMember = Type.Object({
  href: Type.String(),
  id: Type.String(),
  username: Type.String(),
  email: Type.String(),
  type: Type.String(),
  permissions: VolumePermissions,
});
export type VolumeMember = Static<typeof VolumeMember>;

export const VolumePermissionsEdit = RequestBody({
  read: Type.Optional(BooleanWord),
  copy: Type.Optional(BooleanWord),
  write: Type.Optional(BooleanWord),
  admin: Type.Optional(BooleanWord),
});
export type VolumePermissionsEdit = Static<typeof VolumePermissionsEdit>;

export const AddVolumeMemberBody = RequestBody({
  username: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  permissions: Type.Optional(VolumePermissionsEdit),
});
export type AddVolumeMemberBody = Static<typeof AddVolumeMemberBody>;
