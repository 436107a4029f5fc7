import { type Static, Type } from 'typebox';
import { pageQueryProperties } from './paging.ts';
import { BooleanWord, Nullable, QueryValues, RequestBody, Timestamp } from './schema-kinds.ts';

export const ProjectPermissions = Type.Object({
  write: Type.Boolean(),
  read: Type.Boolean(),
  copy: Type.Boolean(),
  execute: Type.Boolean(),
  admin: Type.Boolean(),
});
export type ProjectPermissions = Static<typeof ProjectPermissions>;

export const ProjectSettings = Type.Object({
  locked: Type.Boolean(),
  controlled: Type.Boolean(),
  use_interruptible_instances: Type.Boolean(),
  allow_network_access: Type.Boolean(),
  use_memoization: Type.Boolean(),
  use_elastic_disk: Type.Boolean(),
  intermediate_files: Type.Object({ retention: Type.String(), duration: Type.Integer() }),
  location: Type.String(),
});
export type ProjectSettings = Static<typeof ProjectSettings>;

export const ProjectResource = Type.Object({
  href: Type.String(),
  /** `{owner}/{short name}`; stays when `name` is edited. */
  id: Type.String(),
  name: Type.String(),
  /** Always `v2`. */
  type: Type.String(),
  description: Type.String(),
  /** Empty, or holding `tcga` in a controlled-data project. */
  tags: Type.Array(Type.String()),
  settings: ProjectSettings,
  permissions: ProjectPermissions,
  /** A UUID; left out where there is none. */
  billing_group: Type.Optional(Type.String()),
  category: Type.String(),
  created_by: Type.String(),
  created_on: Timestamp,
  modified_on: Timestamp,
  /** Folder id; only with the advance-access header. */
  root_folder: Type.Optional(Type.String()),
});
export type ProjectResource = Static<typeof ProjectResource>;

/** Fields of an item of `GET /projects` when `fields` is not given. */
export const PROJECT_LIST_FIELDS = [
  'href',
  'id',
  'name',
  'created_by',
  'category',
  'created_on',
  'modified_on',
] as const;

export const ProjectListQuery = Type.Object({
  ...pageQueryProperties,
  /** Part of the display name, without case. */
  name: Type.Optional(Type.String()),
  /** Separated by commas, or given several times; a project must hold all. */
  tags: Type.Optional(QueryValues),
  category: Type.Optional(Type.String()),
});
export type ProjectListQuery = Static<typeof ProjectListQuery>;

export const ProjectSettingsEdit = RequestBody({
  locked: Type.Optional(Type.Boolean()),
  controlled: Type.Optional(Type.Boolean()),
  use_interruptible_instances: Type.Optional(Type.Boolean()),
  allow_network_access: Type.Optional(Type.Boolean()),
  use_memoization: Type.Optional(Type.Boolean()),
  use_elastic_disk: Type.Optional(Type.Boolean()),
  intermediate_files: Type.Optional(
    RequestBody({
      retention: Type.Optional(Type.Literal('LIMITED')),
      /** Hours. */
      duration: Type.Optional(Type.Integer({ minimum: 1, maximum: 120 })),
    }),
  ),
  location: Type.Optional(Type.String()),
});
export type ProjectSettingsEdit = Static<typeof ProjectSettingsEdit>;

const editable = {
  name: Type.Optional(Type.String()),
  description: Type.Optional(Nullable(Type.String())),
  billing_group: Type.Optional(Nullable(Type.String())),
  tags: Type.Optional(Nullable(Type.Array(Type.String()))),
  settings: Type.Optional(Nullable(ProjectSettingsEdit)),
};

/** `POST /projects`; `name` is demanded by the call (3007). */
export const CreateProjectBody = RequestBody(editable);
export type CreateProjectBody = Static<typeof CreateProjectBody>;

/** `PATCH` and `POST /projects/{owner}/{project}`. */
export const EditProjectBody = RequestBody(editable);
export type EditProjectBody = Static<typeof EditProjectBody>;

export const ProjectMember = Type.Object({
  href: Type.String(),
  id: Type.String(),
  username: Type.String(),
  email: Type.String(),
  type: Type.String(),
  permissions: ProjectPermissions,
});
export type ProjectMember = Static<typeof ProjectMember>;

export const ProjectPermissionsEdit = RequestBody({
  write: Type.Optional(BooleanWord),
  read: Type.Optional(BooleanWord),
  copy: Type.Optional(BooleanWord),
  execute: Type.Optional(BooleanWord),
  admin: Type.Optional(BooleanWord),
});
export type ProjectPermissionsEdit = Static<typeof ProjectPermissionsEdit>;

export const AddProjectMemberBody = RequestBody({
  username: Type.Optional(Type.String()),
  email: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  permissions: Type.Optional(ProjectPermissionsEdit),
});
export type AddProjectMemberBody = Static<typeof AddProjectMemberBody>;
