import type { Option, OptionValues } from './option.ts';
import { parseEndpoint, parseProjectId, parseSeconds } from './option-text.ts';

const endpoint: Option<string | undefined> = {
  flags: '--endpoint <url>',
  help: 'API endpoint, such as https://api.example.org/v2',
  environment: 'SVC_API_ENDPOINT',
  default: undefined,
  parse: parseEndpoint,
};

const tokenFile: Option<string | undefined> = {
  flags: '--token-file <file>',
  help: 'file that holds the authentication token (or the variable SVC_AUTH_TOKEN)',
  default: undefined,
};

const profile: Option<string | undefined> = {
  flags: '--profile <name>',
  help: 'profile of ~/.svcfs/credentials (keys api_endpoint, auth_token); goes before the environment',
  default: undefined,
  defaultText: 'default',
};

const foreground: Option<boolean> = {
  flags: '--foreground',
  help: 'stay, and unmount on Ctrl-C',
  default: false,
};

const readOnly: Option<boolean> = {
  flags: '--read-only',
  help: 'refuse every change',
  default: false,
};

const driver: Option<'native' | 'fuse-native'> = {
  flags: '--driver <name>',
  help: 'how to talk to the kernel',
  environment: 'SVCFS_DRIVER',
  default: 'native',
  choices: ['native', 'fuse-native'],
};

const metadataTtl: Option<number> = {
  flags: '--metadata-ttl <seconds>',
  help: 'how long listings and attributes are believed',
  environment: 'SVCFS_METADATA_TTL',
  default: 60_000,
  defaultText: '60',
  parse: parseSeconds,
};

const retryTimeout: Option<number> = {
  flags: '--retry-timeout <seconds>',
  help: 'how long an operation waits for a service that does not answer before it fails with EIO',
  environment: 'SVCFS_RETRY_TIMEOUT',
  default: 60_000,
  defaultText: '60',
  parse: parseSeconds,
};

const stagingProject: Option<string | undefined> = {
  flags: '--staging-project <owner/name>',
  help: 'project through whose folder .svcfs-staging files get onto volumes; without it volumes take only copies',
  environment: 'SVCFS_STAGING_PROJECT',
  default: undefined,
  parse: parseProjectId,
};

const logLevel: Option<'error' | 'warn' | 'info' | 'debug'> = {
  flags: '--log-level <level>',
  help: 'what goes to the log',
  environment: 'SVCFS_LOG_LEVEL',
  default: 'info',
  choices: ['error', 'warn', 'info', 'debug'],
};

export const MOUNT_OPTIONS = {
  endpoint,
  tokenFile,
  profile,
  foreground,
  readOnly,
  driver,
  metadataTtl,
  retryTimeout,
  stagingProject,
  logLevel,
} as const;

export type MountOptions = OptionValues<typeof MOUNT_OPTIONS>;
