/** The messages of the control socket: one JSON object a line. */
import type { UploadProgress } from '../../content/ports.ts';
import type { JobRecord, WorkRecord } from '../../jobs/ports.ts';
import type { LogLevel } from '../../observe/logger.ts';
import type { Failure } from '../../vfs/errors/error-registry.ts';
import type { PinnedFile } from '../../vfs/model/pin.ts';
import type { CacheAnswer, CacheRequest } from './cache-inquiries.ts';
import type { MountSamples } from './mount-history.ts';
import type { MountIdentity } from './mount-identity.ts';
import type { MountStatistics } from './mount-statistics.ts';
import type { FailedPaths } from './path-failures.ts';
import type { PlatformAnswer, PlatformRequest } from './platform-inquiries.ts';
import type { PastExchange } from './service-log.ts';
import type { TraceAnswer, TraceRequest } from './trace/trace-inquiry.ts';
import type { TrashAnswer, TrashRequest } from './trash-inquiries.ts';

/** Bytes a second at most; undefined: no limit. */
export interface TransferRates {
  readonly upload?: number | undefined;
  readonly download?: number | undefined;
}

export interface PinsAnswer extends FailedPaths {
  /** For each path that was asked for, the files there, by their paths from the top of the mount. */
  readonly files: readonly (readonly PinnedFile[])[];
  /** A line for each name that has no content of its own. */
  readonly leftOut: readonly string[];
}

export interface LogRequest {
  readonly request: 'log';
  readonly level?: LogLevel;
}

export type InquiryRequest =
  | { readonly request: 'status' }
  | { readonly request: 'jobs' }
  /** To `wait` and `retry` answered when the job is over. */
  | {
      readonly request: 'job';
      readonly action: 'get' | 'wait' | 'retry' | 'cancel';
      readonly job: string;
    }
  /** `path` begins at the top of the mount. */
  | { readonly request: 'why'; readonly path: string }
  /** Answered with the samples of the last hour that were taken after a moment. */
  | { readonly request: 'history'; readonly sinceMs: number }
  /** Answered when everything closed at the path or below is on the platform. */
  | { readonly request: 'flush'; readonly path: string }
  /** Of a file that was refused, or kept aside: `retry` is answered when it is on the platform, or cannot be. */
  | { readonly request: 'recover'; readonly action: 'retry' | 'drop'; readonly draft: string }
  /** Answered with the level in force, which is the one that is given, if one is. */
  | LogRequest
  /** Answered with the last requests to the service. */
  | { readonly request: 'exchanges' }
  /** Answered with the files at the paths and below. */
  | { readonly request: 'pins'; readonly paths: readonly string[] }
  /** Lets deletions through that `--confirm-delete` would refuse: those of a process and its group, or at the path and below. */
  | { readonly request: 'allow'; readonly path: string; readonly pid?: number; readonly forMs: number }
  | TraceRequest
  | TrashRequest
  | CacheRequest
  | PlatformRequest;

export type ControlRequest =
  /** Answered at once by a process that works. */
  | { readonly request: 'ping' }
  | { readonly request: 'unmount' }
  /** The sender has taken the mount away, and waits for no answer. */
  | { readonly request: 'abandon' }
  | InquiryRequest;

/** A value that is undefined here is absent on the wire. */
export type InquiryAnswer =
  | {
      readonly answer: 'status';
      readonly uploads: readonly UploadProgress[];
      readonly jobs: readonly WorkRecord[];
      /** Files whose new metadata waits to be sent. */
      readonly edited: number;
      readonly rates: TransferRates;
      readonly statistics: MountStatistics;
      /** Absent from the answer of a process of an earlier version, as `errors` is. */
      readonly mount?: MountIdentity | undefined;
      /** The last failure of each path, oldest first. */
      readonly errors?: readonly Failure[] | undefined;
    }
  | { readonly answer: 'jobs'; readonly jobs: readonly WorkRecord[] }
  | { readonly answer: 'job'; readonly job: WorkRecord | undefined }
  | {
      readonly answer: 'why';
      readonly failure: Failure | undefined;
      readonly job: JobRecord | undefined;
      /** The conditions that calls wait for now, or the reason why the mount refuses every call. */
      readonly circumstances: readonly string[];
    }
  | { readonly answer: 'history'; readonly samples: MountSamples }
  /** The files that cannot be published, and why. */
  | { readonly answer: 'flush'; readonly failures: readonly string[] }
  /** The reasons why it failed. */
  | { readonly answer: 'recover'; readonly failures: readonly string[] }
  | ({ readonly answer: 'pins' } & PinsAnswer)
  | { readonly answer: 'exchanges'; readonly exchanges: readonly PastExchange[] }
  | { readonly answer: 'log'; readonly level: string }
  | { readonly answer: 'allow' }
  | TraceAnswer
  | TrashAnswer
  | CacheAnswer
  | PlatformAnswer;

export type MountStatus = Omit<Extract<InquiryAnswer, { readonly answer: 'status' }>, 'answer'>;

export type UnmountResult =
  /** `left`: paths of files that the next mount goes on with; `refused`: a line for each that the platform does not take. */
  | { readonly answer: 'unmounted'; readonly left: readonly string[]; readonly refused: readonly string[] }
  | { readonly answer: 'busy' }
  /** All is uploaded that can be; another process takes the mount away. */
  | { readonly answer: 'not-ours' }
  /** Unmounted here; another mount namespace still holds it, and this process serves it. */
  | { readonly answer: 'held'; readonly daemon: number };

export type UnmountAnswer =
  | { readonly answer: 'waiting'; readonly pending: readonly string[] }
  | UnmountResult;

/**
 * To `unmount`: any number of `waiting`, then another; to `warmup`: any number of `warming`, then the one that goes with
 * it, as to the rest. Or `failed`.
 */
export type ControlAnswer =
  | { readonly answer: 'alive' }
  | UnmountAnswer
  | InquiryAnswer
  | { readonly answer: 'failed'; readonly message: string };
