import type { Api } from '../../api/api.ts';
import type { Place } from '../../api/call-options.ts';
import type { Watches } from '../../jobs/watches.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Item, Outcome } from '../item.ts';
import type { Download, Upload } from '../step.ts';
import type { Touched } from '../touched.ts';

/** The calls of the platform that steps make. */
export type BatchApi = Pick<Api, 'capabilities' | 'files' | 'transfers' | 'asyncFiles'>;

/** This file cannot be carried; others may. The message says why. */
export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/** Carries bytes between this machine and the platform. Rejects with a `FileRefusedError`, or with what the API says. */
export interface ByteCarrier {
  upload(item: Upload, to: Place, carrying: Carrying): Promise<void>;
  download(item: Download, carrying: Carrying): Promise<void>;
}

export interface Carrying {
  /** The next run finds the bytes that were carried before it was aborted. */
  readonly signal: AbortSignal;
  /** So many bytes more are there. */
  readonly onProgress: (bytes: number) => void;
}

export interface Running {
  readonly api: BatchApi;
  readonly clock: Clock;
  /** Ends between two calls, and the waiting for jobs. */
  readonly signal: AbortSignal;
  /** Whether exports and imports are waited for, once they are started. */
  readonly waits: boolean;
  /** Told once of each item. */
  readonly onOutcome: (item: Item, outcome: Outcome) => void;
  /** Told how far an item is of which bytes are carried. */
  readonly onProgress: (item: Item, bytes: number) => void;
  /** For steps that carry bytes. */
  readonly carrier?: ByteCarrier | undefined;
  /** Told of names that mean something else from now on. */
  readonly onTouched: (touched: readonly Touched[]) => Promise<void>;
}

export interface RunContext extends Running {
  readonly watches: Watches;
}
