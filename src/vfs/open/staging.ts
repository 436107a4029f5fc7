import type { ProjectPermissions } from '../../api/model.ts';

/**
 * A folder of a project through which bytes get onto volumes: the platform writes objects by exporting files, so
 * what is written to a volume is uploaded there first.
 */
export interface Staging {
  /** `owner/short-name` */
  readonly project: string;
  /** Folder id. */
  readonly folder: string;
  readonly permissions: ProjectPermissions;
}
