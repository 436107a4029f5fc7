/** The kept request of a submitted job (`jobs.request`): everything its worker needs, settled at submission. */

import type { ExportProperties } from '../../contract/export-job.ts';
import type { DetailedFile } from '../files/files.ts';

export interface ImportRequest {
  readonly volume: string;
  readonly location: string;
  /** As the caller gave it, to be told again. */
  readonly destination: { readonly project?: string; readonly parent?: string; readonly name?: string };
  readonly parentId: string;
  readonly name: string;
  readonly overwrite: boolean;
  /** A taken name is changed, not refused. */
  readonly autorename: boolean;
  /** The location is a folder's; everything below it is imported, in folders like the volume's. */
  readonly folder: boolean;
}

export interface ExportRequest {
  readonly file: string;
  readonly volume: string;
  readonly location: string;
  readonly properties: ExportProperties;
  readonly overwrite: boolean;
  /** The file keeps its content and does not become an alias. */
  readonly copyOnly: boolean;
}

/** `jobs.result` of an import or export: the file as it was when the job ended. */
export type TransferResult = DetailedFile;
