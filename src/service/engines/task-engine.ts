/**
 * An engine runs an app on given files, to its end. It knows nothing of the platform: no database, no projects. A
 * worker (task-runs/run-task.ts) prepares the order, watches whether the task is aborted, and keeps the outputs.
 *
 * An engine that runs on this machine is broken off by the signal and begun again by the next worker. One that runs
 * elsewhere keeps a note of where, and is found again by it.
 */
import type { Readable } from 'node:stream';
import type { AppDocument } from '../../contract/app.ts';
import type { FileMetadata } from '../../contract/file.ts';
import type { TaskValues } from '../../contract/task.ts';
import type { OpenBlob } from '../storage/blobs/blob-store.ts';
import type { InstanceType } from './instance-types.ts';

export interface TaskEngine {
  /** Tasks that one process runs at once. */
  readonly slots: number;
  /** @throws TaskFailure when the app fails or cannot be run; the signal's reason when it fires */
  run(order: TaskOrder): Promise<EngineResult>;
}

export interface TaskOrder {
  readonly taskId: string;
  readonly name: string;
  /** CWL, fit for an engine (engine-document.ts). */
  readonly document: AppDocument;
  /** Values by the name of the input; every file and folder among them is an `InputFile` or `InputFolder`. */
  readonly inputs: TaskValues;
  readonly instance: InstanceType;
  /** Whether the tools may reach the network. */
  readonly network: boolean;
  /** A directory for this run alone, empty, and removed after it. */
  readonly directory: string;
  readonly log: EngineLog;
  /** The engine's notes from before, when a worker that is gone began this run. */
  readonly kept: string | undefined;
  /** Keeps a note for the worker that has to go on with this run. */
  readonly keep: (note: string) => Promise<void>;
  readonly progress: (progress: EngineProgress) => void;
  /** Fires when the run is to end: with a `TaskAbortedError` for good, otherwise here only. */
  readonly signal: AbortSignal;
}

/** Takes what tools and engine say. */
export interface EngineLog {
  write(text: string | Uint8Array): void;
}

export interface InputFile {
  readonly class: 'File';
  readonly name: string;
  readonly sizeBytes: number;
  readonly metadata: FileMetadata;
  readonly secondaryFiles: readonly InputEntry[];
  open(): Promise<Pick<OpenBlob, 'sizeBytes' | 'localPath' | 'stream' | 'close'>>;
  /** Where others can read it without a token: a path below the service's own address. */
  address(): string;
}

export interface InputFolder {
  readonly class: 'Directory';
  readonly name: string;
  readonly listing: readonly InputEntry[];
}

export type InputEntry = InputFile | InputFolder;

/** A tool that ran, or a step of a workflow. Times are Unix milliseconds. */
export interface EngineJob {
  readonly name: string;
  readonly status: 'RUNNING' | 'COMPLETED' | 'FAILED';
  readonly startMs: number;
  readonly endMs?: number;
  readonly commandLine?: string;
}

export interface EngineProgress {
  readonly jobs: readonly EngineJob[];
  readonly stepsTotal?: number;
  readonly stepsCompleted?: number;
}

export interface EngineResult {
  /** As the app made them (CWL v1.2, section 5.3): every folder with its listing. */
  readonly outputs: TaskValues;
  readonly warnings: readonly string[];
  /** Reads a file among the outputs by its location. @throws TaskFailure when it lies where none can be */
  open(location: string): Promise<Readable>;
}

/** The app fails, or cannot be run, for reasons its user can understand. */
export class TaskFailure extends Error {
  override readonly name = 'TaskFailure';
}

/** Somebody aborted the task. */
export class TaskAbortedError extends Error {
  override readonly name = 'TaskAbortedError';

  constructor() {
    super('the task was aborted');
  }
}
