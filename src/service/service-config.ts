import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { InstanceTypes } from './engines/instance-types.ts';

export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

/** Keys themselves, and where they were found; or the file that holds them. */
export type SecretKeysGiven = { readonly text: string; readonly source: string } | { readonly file: string };

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** What a client must keep to while it sends a request. */
export interface ClientLimits {
  /** For the head. */
  readonly headSeconds: number;
  /** Without a byte in either direction in the middle of a request. */
  readonly silenceSeconds: number;
  /** The least of a body that must come, over each window of time. */
  readonly bodyBytesPerSecond: number;
  readonly bodyWindowSeconds: number;
}

/** A bucket of an S3 store, reached under the credentials that the SDK finds: environment, profile, role of the machine. */
export interface S3BlobsPlace {
  readonly bucket: string;
  /** Empty, or what all keys begin with, without a `/` at its end. */
  readonly prefix: string;
  /** Undefined: AWS's own. */
  readonly endpoint?: string | undefined;
  /** Where clients reach the store, when that is elsewhere. */
  readonly publicEndpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Undefined: at an endpoint of its own yes, at AWS no. */
  readonly pathStyle?: boolean | undefined;
}

/** How tasks are run. */
export type TaskOptions = {
  /** Tasks at once in one process. Default: 2 of cwltool, 100 elsewhere. */
  readonly slots?: number | undefined;
  /** Where they run. Default: `tasks` in the data directory. */
  readonly directory?: string | undefined;
  readonly instances?: InstanceTypes | undefined;
} & (
  | {
      readonly executor: 'cwltool';
      /** False: tools see all that the service sees, and reach the network. Default: true. */
      readonly sandbox?: boolean | undefined;
      /** What runs containers. Default: nothing. */
      readonly containers?: 'docker' | 'podman' | 'singularity' | undefined;
      /** Tasks that run longer are ended. Default: a week. */
      readonly seconds?: number | undefined;
    }
  | {
      readonly executor: 'wes';
      /** Of the API, with `/ga4gh/wes/v1`. */
      readonly url: string;
      readonly token?: string | undefined;
      /** Where the engine reaches this service. */
      readonly publicUrl: string;
    }
);

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
  /** What runs tasks. Default: nothing does, they are left to somebody outside. */
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
  /** Addresses and networks of reverse proxies: who the caller is, and how the service is called, is what they say. */
  readonly trustedProxies?: readonly string[];
  /** Entries of the audit log are removed after so many days; undefined: never. */
  readonly auditDays?: number | undefined;
  /** How long requests and jobs at work may go on when the service is told to end. Default: 30. */
  readonly shutdownSeconds?: number;
  /** How long a job belongs to a process that says nothing of it. Default: 15. */
  readonly leaseSeconds?: number;
  /** Where to answer with metrics and health; port 0 picks a free one. Default: nowhere. */
  readonly monitor?: ListenAddress | undefined;
}

/** What a process needs to know that answers no calls. */
export type ServicesOptions = Omit<
  ServiceOptions,
  'host' | 'port' | 'workers' | 'internalStats' | 'clientLimits' | 'trustedProxies'
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

/** Where the default storage says it is. */
export const STORAGE_LOCATION = 'cloud:local-1';

/** Of every price and amount. */
export const CURRENCY = 'USD';
