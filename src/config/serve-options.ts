import { parseDatabaseUrl } from './database-url.ts';
import type { Option, OptionValues } from './option.ts';
import {
  type ListenAddress,
  parseCountFrom,
  parseDirectory,
  parseHosts,
  parseListenAddress,
  parseLocation,
  parseNetworks,
  parseRateLimit,
  parseSize,
  type RateLimit,
} from './option-text.ts';
import { S3_OPTIONS } from './s3-options.ts';
import { TASK_OPTIONS } from './task-options.ts';

export const data: Option<string | undefined> = {
  flags: '--data <dir>',
  help: 'where the service keeps everything',
  environment: 'SVCFS_DATA',
  default: undefined,
  defaultText: '~/.local/share/svcfs/service',
  parse: parseDirectory,
};

export const database: Option<string | undefined> = {
  flags: '--database <url>',
  help: 'PostgreSQL database, which several processes may share: postgresql://user@host/name',
  environment: 'SVCFS_DATABASE',
  default: undefined,
  defaultText: 'an SQLite file in the data directory',
  parse: parseDatabaseUrl,
};

export const secretKeyFile: Option<string | undefined> = {
  flags: '--secret-key-file <file>',
  help: 'file of the keys that encrypt the secrets of volumes; or put a key into SVCFS_SECRET_KEY',
  environment: 'SVCFS_SECRET_KEY_FILE',
  default: undefined,
  defaultText: 'secret-key in the data directory; none with --database',
};

const allowEndpoint: Option<readonly string[]> = {
  flags: '--allow-endpoint <hosts>',
  help: 'hosts and networks, separated by commas, that volumes may use although they are loopback, private, link-local or metadata addresses',
  environment: 'SVCFS_ALLOW_ENDPOINT',
  default: [],
  defaultText: 'none',
  parse: parseHosts,
};

const role: Option<'all' | 'api' | 'worker'> = {
  flags: '--role <role>',
  help: 'what this process does. api: answer calls. worker: do jobs. all: both',
  environment: 'SVCFS_ROLE',
  default: 'all',
  choices: ['all', 'api', 'worker'],
};

const listen: Option<ListenAddress> = {
  flags: '--listen <host:port>',
  help: 'address to listen on; port 0 picks a free one',
  environment: 'SVCFS_LISTEN',
  default: { host: '127.0.0.1', port: 8080 },
  defaultText: '127.0.0.1:8080',
  parse: parseListenAddress,
};

const demo: Option<boolean> = {
  flags: '--demo',
  help: 'fill an empty data directory with demo content and write the token to DIR/demo-token',
  default: false,
};

const rateLimit: Option<RateLimit | 'off'> = {
  flags: '--rate-limit <requests/seconds>',
  help: 'how many requests a token may make in how many seconds, or off',
  environment: 'SVCFS_RATE_LIMIT',
  default: { requests: 1000, windowSeconds: 300 },
  defaultText: '1000/300',
  parse: parseRateLimit,
};

const monitor: Option<ListenAddress | undefined> = {
  flags: '--monitor <host:port>',
  help: 'address that answers /metrics, /healthz and /readyz, to anyone who asks',
  environment: 'SVCFS_MONITOR',
  default: undefined,
  defaultText: 'nowhere',
  parse: parseListenAddress,
};

const logLevel: Option<'error' | 'warn' | 'info' | 'debug'> = {
  flags: '--log-level <level>',
  help: 'the least severe messages that go to the log; info has a line for each request',
  environment: 'SVCFS_LOG_LEVEL',
  default: 'warn',
  choices: ['error', 'warn', 'info', 'debug'],
};

const logFormat: Option<'json' | 'text'> = {
  flags: '--log-format <format>',
  help: 'how the log is written',
  environment: 'SVCFS_LOG_FORMAT',
  default: 'json',
  choices: ['json', 'text'],
};

const clientTimeout: Option<number> = {
  flags: '--client-timeout <seconds>',
  help: 'how long a client may take to send the head of a request, and how long its body may be slower than --client-rate',
  environment: 'SVCFS_CLIENT_TIMEOUT',
  default: 30,
  parse: parseCountFrom(1, 3600),
};

const clientRate: Option<number> = {
  flags: '--client-rate <bytes>',
  help: 'bytes a second that a client must send of a body at least',
  environment: 'SVCFS_CLIENT_RATE',
  default: 1024,
  parse: parseSize,
};

const shutdownTimeout: Option<number> = {
  flags: '--shutdown-timeout <seconds>',
  help: 'how long requests and parts in flight may go on after the service was told to end',
  environment: 'SVCFS_SHUTDOWN_TIMEOUT',
  default: 30,
  parse: parseCountFrom(0, 3600),
};

const jobLease: Option<number> = {
  flags: '--job-lease <seconds>',
  help: 'how long a job stays with a process that no longer reports on it, before another process takes it over',
  environment: 'SVCFS_JOB_LEASE',
  default: 15,
  parse: parseCountFrom(3, 3600),
};

const uploadDays: Option<number | undefined> = {
  flags: '--upload-days <days>',
  help: 'after how many days the service gives up an upload that nobody completed',
  environment: 'SVCFS_UPLOAD_DAYS',
  default: undefined,
  defaultText: 'never',
  parse: parseCountFrom(1, 3650),
};

const blobGrace: Option<number> = {
  flags: '--blob-grace <seconds>',
  help: 'how long the service keeps the bytes of a deleted file; give more than a backup takes',
  environment: 'SVCFS_BLOB_GRACE',
  default: 600,
  parse: parseCountFrom(60, 31_536_000),
};

const auditDays: Option<number | undefined> = {
  flags: '--audit-days <days>',
  help: 'how long the audit log keeps an entry',
  environment: 'SVCFS_AUDIT_DAYS',
  default: undefined,
  defaultText: 'for ever',
  parse: parseCountFrom(1, 36_500),
};

const trustedProxy: Option<readonly string[]> = {
  flags: '--trusted-proxy <hosts>',
  help: 'addresses and networks, separated by commas, of reverse proxies whose X-Forwarded headers count',
  environment: 'SVCFS_TRUSTED_PROXY',
  default: [],
  defaultText: 'none',
  parse: parseNetworks,
};

const accelRedirect: Option<string | undefined> = {
  flags: '--accel-redirect <location>',
  help: 'location of nginx that leads to DIR/storage/blobs: nginx sends contents itself when a trusted proxy asks for them',
  environment: 'SVCFS_ACCEL_REDIRECT',
  default: undefined,
  defaultText: 'the service sends them',
  parse: parseLocation,
};

const internalStats: Option<boolean> = {
  flags: '--internal-stats',
  help: 'answer /internal/stats, the number of requests so far, to anyone who asks',
  default: false,
};

export const SERVE_OPTIONS = {
  data,
  database,
  ...S3_OPTIONS,
  secretKeyFile,
  allowEndpoint,
  role,
  listen,
  demo,
  rateLimit,
  monitor,
  logLevel,
  logFormat,
  clientTimeout,
  clientRate,
  shutdownTimeout,
  jobLease,
  uploadDays,
  blobGrace,
  auditDays,
  trustedProxy,
  accelRedirect,
  ...TASK_OPTIONS,
  internalStats,
} as const;

export type ServeOptions = OptionValues<typeof SERVE_OPTIONS>;
