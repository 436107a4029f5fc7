import type { HasClock } from '../lib/clock.ts';
import type { HasLogger } from '../observe/logger.ts';
import type { HasClosing } from './http/hang-up-signal.ts';
import type { HasRateLimiter } from './http/rate-limiter.ts';
import type { HasStats } from './http/service-stats.ts';
import type { HasJobSignals } from './jobs/job-signals.ts';
import type { HasAuditTrail } from './operations/audit/audit-trail.ts';
import type { HasMetrics } from './operations/monitoring/service-metrics.ts';
import type { HasBlobs } from './storage/blobs/blob-store.ts';
import type { HasDownloadTime, HasSigner } from './storage/blobs/url-signer.ts';
import type { HasBuckets } from './storage/buckets/buckets.ts';
import type { HasStore } from './store/store.ts';
import type { HasExecutor, HasTaskRunner } from './tasks/executor.ts';
import type { HasVolumeSecrets } from './volumes/volume-secrets.ts';

/** All that is made once, by `startService`. A function that works with some of it names that alone. */
export interface Services
  extends HasStore,
    HasClock,
    HasLogger,
    HasBlobs,
    HasBuckets,
    HasSigner,
    HasDownloadTime,
    HasVolumeSecrets,
    HasJobSignals,
    HasExecutor,
    HasTaskRunner,
    HasRateLimiter,
    HasAuditTrail,
    HasStats,
    HasMetrics,
    HasClosing {}
