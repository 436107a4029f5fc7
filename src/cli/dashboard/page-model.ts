/**
 * What the server tells the page, as JSON over server-sent events. The server decides and puts into words; the page shows.
 * Times are milliseconds since the epoch, sizes bytes, rates bytes a second.
 */

/** `fault`: nothing works, or the process is silent. `warning`: something waits, or failed. */
export type Health = 'well' | 'warning' | 'fault';

/** Event `overview`, when any of it has changed. */
export interface Overview {
  /** Of the svcfs that serves the page. */
  readonly version: string;
  readonly mounts: readonly MountSummary[];
  readonly kept: Kept;
}

export interface MountSummary {
  /** Tells it from the others, in addresses. */
  readonly id: string;
  readonly mountPoint: string;
  readonly health: Health;
  /** One line on why it is so. */
  readonly state: string;
  readonly downRate: number;
  readonly upRate: number;
  readonly uploads: number;
  readonly jobs: number;
}

/** Event `mount`: all that the page shows of the mount that was asked for. */
export interface MountDetails extends MountSummary {
  /** Reasons for a health other than well, and what waits. */
  readonly notices: readonly Notice[];
  readonly facts: readonly Fact[];
  /** Undefined: no limit is known. */
  readonly budget: Budget | undefined;
  readonly gauges: readonly Gauge[];
  readonly transfers: Bounded<Transfer>;
  readonly jobList: Bounded<Job>;
  readonly failures: Bounded<FailureView>;
  /** False: it has none, and the next line says why. */
  readonly diskCache: boolean;
  readonly whyNoDiskCache: string;
  /** Newest first. */
  readonly warmUps: readonly WarmUpView[];
}

export interface Notice {
  readonly health: Exclude<Health, 'well'>;
  readonly text: string;
  /** A command to paste. */
  readonly remedy?: string | undefined;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  /** Null: not known yet. */
  readonly resetMs: number | null;
}

/** A folder or file that is brought into the disk cache. */
export interface WarmUpView {
  /** From the top of the mount. */
  readonly path: string;
  readonly state: 'running' | 'done' | 'failed' | 'stopped';
  /** Undefined: nothing is known yet. The count of found files grows while folders are listed. */
  readonly progress:
    | {
        readonly foundFiles: number;
        readonly foundBytes: number;
        readonly doneFiles: number;
        readonly doneBytes: number;
        readonly fetchedBytes: number;
      }
    | undefined;
  /** The first ones. */
  readonly failures: readonly { readonly path: string; readonly reason: string }[];
  readonly failed: number;
}

/** Event `history`: the last hour of the mount that was asked for, a sample each ten seconds. */
export interface HistoryView {
  /** Of the mount. */
  readonly id: string;
  /** Oldest first. */
  readonly atMs: readonly number[];
  readonly values: Readonly<Record<Series, Values>>;
}

/** Null where there was nothing to measure. */
export type Values = readonly (number | null)[];

/** Bytes and counts a second, milliseconds, bytes; what is left of the request limit. */
export type Series =
  | 'downRate'
  | 'upRate'
  | 'operations'
  | 'requests'
  | 'medianMs'
  | 'slowMs'
  | 'requestsLeft'
  | 'memoryBytes'
  | 'cachedBytes';

/** A quantity that has a limit, or none. */
export interface Gauge {
  readonly name: string;
  readonly usedBytes: number;
  /** Null: none but the disk. */
  readonly limitBytes: number | null;
  readonly words: string;
}

/** The first ones of a list, and how long it is. */
export interface Bounded<T> {
  readonly first: readonly T[];
  readonly total: number;
}

export interface Transfer {
  readonly path: string;
  readonly state: 'writing' | 'waiting' | 'publishing' | 'failed';
  readonly sentBytes: number;
  readonly sizeBytes: number;
  readonly rate: number;
  /** Undefined: nobody can tell. */
  readonly leftSeconds: number | undefined;
  readonly error: string | undefined;
}

export interface Job {
  readonly id: string;
  readonly kind: string;
  readonly state: 'pending' | 'running' | 'done' | 'failed';
  readonly source: string;
  readonly target: string | undefined;
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  readonly startedMs: number;
  readonly failure: string | undefined;
}

export interface FailureView {
  readonly atMs: number;
  readonly op: string;
  readonly path: string;
  readonly target: string | undefined;
  readonly errno: string;
  /** The failure and its remedy. */
  readonly text: string;
  readonly requestId: string | undefined;
}

/** Files that are on this machine and not on the service, of all mounts, those that ended too. */
export interface Kept {
  readonly files: Bounded<KeptView>;
  /** A line for each place that cannot be looked at. */
  readonly unreadable: readonly string[];
}

export interface KeptView {
  /** Names it in actions. */
  readonly id: string;
  readonly path: string;
  readonly state: 'refused' | 'aside' | 'waiting' | 'unclosed';
  readonly stateInWords: string;
  readonly sizeBytes: number;
  readonly keptMs: number;
  readonly reason: string;
  readonly missing: string | undefined;
}
