/**
 * The tables, as Kysely sees them; `migrations/` makes them. Made for SQLite and PostgreSQL alike:
 *
 * - times are ISO 8601 text in UTC with milliseconds, so that text order is time order;
 * - flags are the integers 0 and 1, sizes are `bigint` and fit a JavaScript number;
 * - JSON is text; ids and names compare by their bytes;
 * - a project and a volume are known by their API id, `{owner}/{name}`, which never changes.
 */
export type Flag = 0 | 1;

export interface UsersTable {
  username: string;
  email: string;
  /** JSON: the other fields of the user resource. */
  profile: string;
  created_on: string;
  /** From then on none of the user's tokens is good, and none of the user's jobs is begun. */
  disabled_on: string | null;
}

export interface TokensTable {
  /** SHA-256 of the token, in hexadecimal; the token itself is nowhere. */
  hash: string;
  username: string;
  created_on: string;
  expires_on: string | null;
  revoked_on: string | null;
  /** The operator's note on it. */
  note: string | null;
  /** To some minutes. */
  last_used_on: string | null;
}

/** Requests counted over all processes, in the window of time that each key is in. */
export interface RateWindowsTable {
  key: string;
  /** Unix milliseconds. */
  ends: number;
  used: number;
}

export interface BillingGroupsTable {
  /** A UUID. */
  id: string;
  owner: string;
  name: string;
  type: string;
  disabled: Flag;
  created_on: string;
}

export interface ProjectsTable {
  id: string;
  owner: string;
  short_name: string;
  name: string;
  description: string;
  billing_group: string | null;
  /** JSON array of strings. */
  tags: string;
  /** JSON: `ProjectSettings` of the contract. */
  settings: string;
  category: string;
  root_folder: string;
  created_by: string;
  created_on: string;
  modified_on: string;
}

export interface ProjectMembersTable {
  project_id: string;
  username: string;
  can_read: Flag;
  can_write: Flag;
  can_copy: Flag;
  can_execute: Flag;
  can_admin: Flag;
}

export interface FilesTable {
  id: string;
  project_id: string;
  /** Null on the root folder of a project only. */
  parent_id: string | null;
  kind: 'file' | 'folder';
  /** Unique in its folder. */
  name: string;
  size: number;
  created_by: string;
  created_on: string;
  modified_on: string;
  /** Where the bytes are: a blob, or (an alias) an object of a volume. Both null on folders. */
  blob_key: string | null;
  volume_id: string | null;
  location: string | null;
  etag: string | null;
  md5: string | null;
  origin_task: string | null;
  dataset: string | null;
  is_public: Flag;
  is_archived: Flag;
}

export interface FileMetadataTable {
  file_id: string;
  key: string;
  value: string;
}

export interface FileTagsTable {
  file_id: string;
  position: number;
  tag: string;
}

export interface UploadsTable {
  id: string;
  project_id: string;
  parent_id: string;
  name: string;
  size: number | null;
  part_size: number;
  md5: string | null;
  overwrite: Flag;
  created_by: string;
  initiated: string;
  /** JSON: how the blob store knows the upload. */
  target: string;
}

export interface UploadPartsTable {
  upload_id: string;
  part_number: number;
  etag: string;
  size: number;
}

/** Blobs no file refers to; their bytes are removed after a time of grace for readers. */
export interface BlobGarbageTable {
  blob_key: string;
  since: string;
}

export interface VolumesTable {
  id: string;
  owner: string;
  name: string;
  description: string;
  access_mode: 'RW' | 'RO';
  /** JSON: kind, bucket, prefix, endpoint, properties, and the credentials that are no secret. */
  service: string;
  /** The secret part of the credentials, encrypted (volumes/volume-secrets.ts); never in an answer. */
  secret: string | null;
  active: Flag;
  created_on: string;
  modified_on: string;
}

export interface VolumeMembersTable {
  volume_id: string;
  username: string;
  can_read: Flag;
  can_copy: Flag;
  can_write: Flag;
  can_admin: Flag;
}

/** Imports, exports, asynchronous jobs on files, and tasks under their own ids: work that a worker leases, does, and records. */
export interface JobsTable {
  id: string;
  kind: 'import' | 'export' | 'copy' | 'move' | 'delete' | 'task';
  created_by: string;
  state: string;
  /** For the list filters. */
  project_id: string | null;
  volume_id: string | null;
  /** JSON: what was asked. */
  request: string;
  /** JSON: what came of it. */
  result: string | null;
  /** JSON: the standard error object. */
  error: string | null;
  created_on: string;
  started_on: string | null;
  finished_on: string | null;
  /** The worker that holds the job, and until when; another may take it over then. */
  leased_by: string | null;
  lease_until: string | null;
  attempts: number;
}

export interface AppsTable {
  /** `{owner}/{project}/{short name}`. */
  id: string;
  project_id: string;
  name: string;
  latest_revision: number;
  is_public: Flag;
  created_on: string;
  /** Lower case: everything that a search looks at. */
  search_text: string | null;
  /** The app whose updates `sync` brings, and the newest of its revisions that is here. */
  copy_of: string | null;
  copy_of_revision: number | null;
}

export interface AppRevisionsTable {
  app_id: string;
  revision: number;
  /** JSON: the document, as it was given. */
  raw: string;
  created_by: string;
  created_on: string;
  notes: string | null;
}

export interface TasksTable {
  /** A UUID. */
  id: string;
  project_id: string;
  name: string;
  status: string;
  app_id: string;
  app_revision: number;
  created_by: string;
  created_on: string;
  executed_by: string | null;
  start_time: string | null;
  end_time: string | null;
  /** The batch it belongs to. */
  parent_id: string | null;
  is_batch: Flag;
  origin_id: string | null;
  /** JSON: `TaskDetails`. */
  details: string;
}

/**
 * The cost of a run of a task. A row is written when a task is run, and outlives task and project: it keeps their names
 * of that time.
 */
export interface ChargesTable {
  task_id: string;
  billing_group: string | null;
  project_id: string;
  project_name: string;
  task_name: string;
  app_name: string;
  ran_by: string;
  /** Of the task. */
  status: string;
  time_started: string;
  time_finished: string | null;
  /** In millionths of the currency. */
  amount_micros: number;
  refunded_micros: number;
}

/** Work that one process at a time does for all, and until when it has it. */
export interface LeasesTable {
  name: string;
  holder: string;
  until: string;
}

/** The audit log: operations/audit/audit-trail.ts. Times and ids only, no names and no content. */
export interface AuditEntriesTable {
  at: string;
  /** Orders the objects of one call. */
  id: string;
  /** Of the request, which its caller may have chosen; of the job; or of the operator's command. */
  request_id: string;
  /** The user; an operator is `operator:` and the name on that machine. */
  username: string;
  /** Which token: the beginning of its hash. */
  token: string | null;
  address: string | null;
  action: string;
  object: string | null;
  /** HTTP status, and API error code when it was refused. */
  status: number;
  code: number | null;
  /** JSON: further ids and permissions of the call. */
  detail: string | null;
}

export interface Schema {
  users: UsersTable;
  tokens: TokensTable;
  audit_entries: AuditEntriesTable;
  rate_windows: RateWindowsTable;
  billing_groups: BillingGroupsTable;
  projects: ProjectsTable;
  project_members: ProjectMembersTable;
  files: FilesTable;
  file_metadata: FileMetadataTable;
  file_tags: FileTagsTable;
  uploads: UploadsTable;
  upload_parts: UploadPartsTable;
  blob_garbage: BlobGarbageTable;
  volumes: VolumesTable;
  volume_members: VolumeMembersTable;
  jobs: JobsTable;
  apps: AppsTable;
  app_revisions: AppRevisionsTable;
  tasks: TasksTable;
  charges: ChargesTable;
  leases: LeasesTable;
}
