import { Agent, type Pool } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { errorCode } from '../../lib/error-code.ts';
import type { Api } from '../api.ts';
import { ApiError } from '../errors.ts';
import { Network } from '../network/network.ts';
import { poolOn } from '../network/pool.ts';
import type { BucketAccess } from './bucket-access.ts';
import type { S3Bucket, S3BucketOptions } from './s3-bucket.ts';

export interface BucketsOptions {
  readonly api: Pick<Api, 'volumes'>;
  readonly accesses: readonly BucketAccess[];
  readonly clock: Clock;
  /** Default: direct connections. */
  readonly network?: Network;
  /** How long a store that does not answer is tried. */
  readonly timeoutMs: number;
  /** The most that a store copies in one request. Default: 5 GiB, the limit of S3. */
  readonly copyWholeBytes?: number;
}

export interface OpenedBuckets {
  /** By volume. */
  readonly buckets: ReadonlyMap<string, S3Bucket>;
  /** For the person who mounts: keys that are of no use. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** A store is silent for minutes while it joins thousands of parts, or copies gigabytes. */
const SILENCE_MS = 300_000;
const CONNECT_MS = 10_000;
const COPY_WHOLE_BYTES = 5 * 1024 ** 3;
const CONNECTIONS = 32;

/** The buckets of the volumes that there are keys for. Each volume is asked for once (one call). */
export async function openBuckets(options: BucketsOptions): Promise<OpenedBuckets> {
  const { accesses, clock, timeoutMs, copyWholeBytes = COPY_WHOLE_BYTES } = options;
  if (accesses.length === 0) return { buckets: new Map(), warnings: [], close: async () => {} };
  const agent = agentOn(options.network ?? new Network());
  const { S3Bucket: Bucket } = await loadSdk();
  const buckets = new Map<string, S3Bucket>();
  const warnings: string[] = [];
  const open = async (access: BucketAccess): Promise<void> => {
    const opened = await openBucket(access, options);
    if (typeof opened === 'string') warnings.push(opened);
    else
      buckets.set(
        access.volume,
        new Bucket({ access, record: opened, agent, clock, timeoutMs, copyWholeBytes }),
      );
  };
  await Promise.all(accesses.map(open));
  return { buckets, warnings, close: () => agent.destroy() };
}

/** A warning in place of the volume, when the keys are of no use. */
async function openBucket(
  { volume, place }: BucketAccess,
  { api }: BucketsOptions,
): Promise<S3BucketOptions['record'] | string> {
  try {
    const record = await api.volumes.get(volume);
    if (record.serviceType === 's3') return record;
    return `${place} is not used: volume ${volume} is of type ${record.serviceType}, and only buckets of S3 are reached so`;
  } catch (error) {
    if (!(error instanceof ApiError) || ![403, 404].includes(error.status)) throw error;
    return `${place} is not used: there is no volume ${volume} for this user`;
  }
}

/** Else every start on Node.js 20 warns of releases of the SDK to come; which one is used, package-lock.json says. */
const NO_WARNING = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';

/** Its packages are optional: a mount without keys of buckets needs none of them. */
async function loadSdk(): Promise<typeof import('./s3-bucket.ts')> {
  process.env[NO_WARNING] ??= 'true';
  try {
    return await import('./s3-bucket.ts');
  } catch (error) {
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages = '@aws-sdk/client-s3 @aws-sdk/credential-provider-ini @aws-sdk/s3-request-presigner';
    throw new Error(
      `reaching buckets needs packages of the AWS SDK; install them with: npm install ${packages}`,
      { cause: error },
    );
  }
}

function agentOn(network: Network): Agent {
  return new Agent({
    factory: (origin, own: Pool.Options) => {
      const connect = network.connector(new URL(origin), CONNECT_MS);
      return poolOn(network, new URL(origin), { ...own, connect });
    },
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    keepAliveTimeout: 15_000,
  });
}
