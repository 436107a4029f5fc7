import { type Static, Type } from 'typebox';

/** The additions of a service to the public API; no client requires them. */
export const CAPABILITIES = [
  'volume_download_info',
  'job_wait',
  'variable_part_size',
  'rename_overwrite',
  'upload_inline',
  'download_info_file',
  'copy_annotations',
] as const;

/** `GET /v2/`: needs no token, is not counted against the rate limit. */
export const RootResource = Type.Object({
  rate_limit_url: Type.String(),
  user_url: Type.String(),
  users_url: Type.String(),
  billing_url: Type.String(),
  projects_url: Type.String(),
  files_url: Type.String(),
  tasks_url: Type.String(),
  apps_url: Type.String(),
  action_url: Type.String(),
  upload_url: Type.String(),
  storage_url: Type.String(),
  /** Absent on a service that adds nothing; holds words a client may not know. */
  capabilities: Type.Optional(Type.Array(Type.String())),
  /** Of this service alone: where addresses of files lead (`https://host:port`), to connect to ahead. */
  download_origin: Type.Optional(Type.String()),
});
export type RootResource = Static<typeof RootResource>;
