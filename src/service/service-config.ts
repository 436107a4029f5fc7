import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { RateLimit } from './http/rate-limiter.ts';
import type { ListenAddress } from './operations/monitoring/monitor.ts';
import type { SecretKeysGiven } from './operations/secrets/secret-keys.ts';
import type { S3BlobsPlace } from './storage/blobs/s3-blobs-place.ts';
import type { TaskOptions } from './task-runs/open-task-runner.ts';

/** The limits that a client must keep to while it sends a request. */
export interface ClientLimits {
  /** For the head. */
  readonly headSeconds: number;
  /** Without a byte in either direction in the middle of a request. */
  readonly silenceSeconds: number;
  /** The least of a body that must come, over each window of time. */
  readonly bodyBytesPerSecond: number;
  readonly bodyWindowSeconds: number;
}

export interface ServiceOptions {
  /** Holds the database, the blobs and the keys; made when missing. */
  readonly dataDir: string;
  /** A PostgreSQL database, which several processes may share, in place of the SQLite file in the data directory. */
  readonly databaseUrl?: string | undefined;
  /** Keep the contents of files there, and not in the data directory. */
  readonly blobs?: S3BlobsPlace | undefined;
  /** The store of volumes that name no endpoint. Default: directories of the service's own. */
  readonly volumeEndpoint?: string | undefined;
  /** The store, other than AWS, at which volumes may have the service take on a role. */
  readonly stsEndpoint?: string | undefined;
  /** Encrypt the secrets of volumes. Default: `secret-key` in the data directory; none with a PostgreSQL database. */
  readonly secretKeys?: SecretKeysGiven | undefined;
  /** Hosts and networks that endpoints of volumes may lead to although they are refused by default. */
  readonly allowedEndpoints?: readonly string[] | undefined;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Per token, in fixed windows. */
  readonly rateLimit: RateLimit | 'off';
  readonly logger: Logger;
  /** Run imports, exports and asynchronous jobs in this process. */
  readonly workers: boolean;
  /** The engine that runs tasks. Default: none; a worker outside of the service runs them. */
  readonly tasks?: TaskOptions | undefined;
  readonly clock?: Clock;
  /** Serve the counters under `/internal/stats`. */
  readonly internalStats?: boolean;
  /** Lifetimes of signed addresses. Default: an hour for a part, two for a download. */
  readonly partUrlSeconds?: number;
  readonly downloadUrlSeconds?: number;
  /** How long the bytes of a deleted file stay for those who are reading them. Default: 10 minutes. */
  readonly blobGraceSeconds?: number;
  /** Uploads begun longer ago are given up. Default: never. */
  readonly uploadDays?: number | undefined;
  readonly clientLimits?: Partial<ClientLimits>;
  /**
   * Addresses and networks of reverse proxies, which are believed about the caller's address and the service's own
   * name.
   */
  readonly trustedProxies?: readonly string[];
  /** The location of nginx that leads to the directory of blobs. Default: the service sends contents itself. */
  readonly accelRedirect?: string | undefined;
  /** Entries of the audit log are removed after so many days; undefined: never. */
  readonly auditDays?: number | undefined;
  /** How long requests and jobs at work may go on when the service is told to end. Default: 30. */
  readonly shutdownSeconds?: number;
  /** How long a job belongs to a process that says nothing of it. Default: 15. */
  readonly leaseSeconds?: number;
  /** Where to answer with metrics and health; port 0 picks a free one. Default: nowhere. */
  readonly monitor?: ListenAddress | undefined;
}

/** The options of a process that answers no calls. */
export type ServicesOptions = Omit<
  ServiceOptions,
  'host' | 'port' | 'workers' | 'internalStats' | 'clientLimits' | 'trustedProxies' | 'accelRedirect'
>;

export const DEFAULT_PART_URL_SECONDS = 3600;
export const DEFAULT_DOWNLOAD_URL_SECONDS = 7200;
export const DEFAULT_BLOB_GRACE_SECONDS = 600;
export const DEFAULT_SHUTDOWN_SECONDS = 30;
export const DEFAULT_CLIENT_LIMITS: ClientLimits = {
  headSeconds: 30,
  silenceSeconds: 120,
  bodyBytesPerSecond: 1024,
  bodyWindowSeconds: 30,
};
