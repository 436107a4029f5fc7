import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { InstanceTypes } from './engines/instance-types.ts';
import type { TaskEngine } from './engines/task-engine.ts';
import type { RateLimiter } from './http/rate-limiter.ts';
import type { ServiceStats } from './http/service-stats.ts';
import type { JobSignals } from './jobs/job-signals.ts';
import type { AuditTrail } from './operations/audit/audit-trail.ts';
import type { ServiceMetrics } from './operations/monitoring/service-metrics.ts';
import type { BlobStore } from './storage/blobs/blob-store.ts';
import type { UrlSigner } from './storage/blobs/url-signer.ts';
import type { Buckets } from './storage/buckets/buckets.ts';
import type { Store } from './store/store.ts';
import type { Executor } from './tasks/executor.ts';
import type { VolumeSecrets } from './volumes/volume-secrets.ts';

/** What running tasks needs. */
export interface TaskServices {
  readonly engine: TaskEngine;
  /** Each run has a directory in it. */
  readonly directory: string;
  readonly instances: InstanceTypes;
}

/** What routes, actions and workers work with. Made once, by `startService`. */
export interface Services {
  readonly store: Store;
  readonly auditTrail: AuditTrail;
  /** Opens and encrypts the secrets of volumes. */
  readonly volumeSecrets: VolumeSecrets;
  readonly blobs: BlobStore;
  readonly buckets: Buckets;
  /** Wakes the worker, and who waits for a job. */
  readonly jobSignals: JobSignals;
  /** Takes tasks that are to run. */
  readonly executor: Executor;
  /** Runs them, in processes that do. */
  readonly taskRunner: TaskServices | undefined;
  /** Signs addresses that the service itself serves. */
  readonly signer: UrlSigner;
  /** Lifetime of a download's address. */
  readonly downloadUrlSeconds: number;
  readonly rateLimiter: RateLimiter;
  readonly stats: ServiceStats;
  readonly metrics: ServiceMetrics;
  /** Fires when the process has been told to end: waiting answers are given, nothing new is begun. */
  readonly closing: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
}
