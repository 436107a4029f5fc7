/** The kept request of a submitted job (`jobs.request`), and its progress so far (`jobs.result`). */
import type { DetailedFile } from '../files/files.ts';
import type { JobFailure } from '../jobs/job-table.ts';
import type { TreeFrame } from './file-tree.ts';

export interface FileJobItem {
  readonly file: string;
  readonly parent?: string | undefined;
  readonly project?: string | undefined;
  readonly name?: string | undefined;
}

export interface FileJobRequest {
  readonly items: readonly FileJobItem[];
}

/** `jobs.result` of an asynchronous job: one entry for each item that is done, in their order, and how many files they held. */
export interface FileJobResult {
  readonly entries: readonly FileJobEntry[];
  readonly totalFiles: number;
  /** Of the item after those: how far it has come. */
  readonly current?: ItemProgress | undefined;
}

/** How far an item has come that is a folder. */
export interface ItemProgress {
  /** The id of the folder it became; null for a deletion. */
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
