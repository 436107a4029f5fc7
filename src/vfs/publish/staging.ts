import type { FileRecord, ProjectPermissions } from '../../api/model.ts';
import type { Jobs, TransferTarget } from '../../jobs/ports.ts';

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

/** Of the name of what is written, for people who look into the folder. */
const MOST_CHARACTERS = 64;

/** The name of a file in the staging folder; `unique` tells it from all others there. */
export function stagingName(name: string, unique: string): string {
  return `${[...name].slice(0, MOST_CHARACTERS).join('')}.${unique}`;
}

export interface StagedFile {
  readonly file: FileRecord;
  readonly staging: Staging;
  readonly target: TransferTarget;
  /** False: there must be no object yet (O_EXCL). */
  readonly overwrite: boolean;
  /** For people. */
  readonly path: string;
}

/** Makes an uploaded file the object that it is to be. An alias of that stays in the staging folder. */
export async function exportStaged(jobs: Jobs, staged: StagedFile): Promise<void> {
  const { file, staging, target, overwrite, path } = staged;
  const source = { kind: 'file', file, permissions: staging.permissions } as const;
  await jobs.move({ source, target, overwrite, paths: { source: path, target: path } });
}
