/** What is kept of a submitted job (`jobs.request`): everything its worker needs, settled when it was submitted. */
import type { ExportProperties } from '../../contract/export-job.ts';
import type { TreeFrame } from '../file-jobs/file-tree.ts';
import type { DetailedFile } from '../files/tables/file-table.ts';

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

export interface FileJobItem {
  readonly file: string;
  readonly parent?: string | undefined;
  readonly project?: string | undefined;
  readonly name?: string | undefined;
}

export interface FileJobRequest {
  readonly items: readonly FileJobItem[];
}

/** A failure as a job keeps it. */
export interface JobFailure {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** `jobs.result` of an import or export: the file as it was when the job ended. */
export type TransferResult = DetailedFile;

/** `jobs.result` of an asynchronous job: one entry for each item that is done, in their order, and how many files they held. */
export interface FileJobResult {
  readonly entries: readonly FileJobEntry[];
  readonly totalFiles: number;
  /** Of the item after those: how far it has come. */
  readonly current?: ItemProgress | undefined;
}

/** How far an item has come that is a folder. */
export interface ItemProgress {
  /** What it became; null for a deletion. */
  readonly arrived: string | null;
  readonly frames: readonly TreeFrame[];
  /** Files done. */
  readonly files: number;
}

export interface FileJobEntry {
  /** Null after a deletion. */
  readonly file?: DetailedFile | null;
  readonly failure?: JobFailure;
  /** How many files the item held; of a failed one, how many were not done. */
  readonly files: number;
  /** Of a failed one: how many were done before it failed. */
  readonly filesBefore?: number;
}
