import { machineMemory } from '../lib/machine-memory.ts';
import type { Option, OptionValues } from './option.ts';
import {
  parseCountFrom,
  parseDirectory,
  parseEndpoint,
  parseNamePatterns,
  parseSeconds,
  parseSecondsFrom,
  parseSize,
  parseSizeFrom,
  parseSizeWithin,
  parseStagingPlace,
  parseUmask,
} from './option-text.ts';
import { TEMPORARY_NAMES } from './temporary-names.ts';

const endpoint: Option<string | undefined> = {
  flags: '--endpoint <url>',
  help: 'API endpoint, such as https://api.example.org/v2',
  environment: 'SVC_API_ENDPOINT',
  default: undefined,
  parse: parseEndpoint,
};

const tokenFile: Option<string | undefined> = {
  flags: '--token-file <file>',
  help: 'file that holds the authentication token and that only you may read; or put the token into SVC_AUTH_TOKEN',
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
  help: 'stay in the foreground, and unmount on Ctrl-C',
  default: false,
};

const readOnly: Option<boolean> = {
  flags: '--read-only',
  help: 'refuse every change',
  default: false,
};

const driver: Option<'native' | 'fuse-native'> = {
  flags: '--driver <name>',
  help: 'how to talk to the kernel: the addon of svcfs, or the npm package fuse-native, which is slower and does less',
  environment: 'SVCFS_DRIVER',
  default: 'native',
  choices: ['native', 'fuse-native'],
};

const metadataTtl: Option<number> = {
  flags: '--metadata-ttl <seconds>',
  help: 'how long the mount trusts a listing or an attribute before it asks the service again',
  environment: 'SVCFS_METADATA_TTL',
  default: 60_000,
  defaultText: '60',
  parse: parseSeconds,
};

const retryTimeout: Option<number> = {
  flags: '--retry-timeout <seconds>',
  help: 'how long an operation waits for a service that does not answer before it fails with EIO; at least 1',
  environment: 'SVCFS_RETRY_TIMEOUT',
  default: 60_000,
  defaultText: '60',
  // No longer than that may one exchange take, for which 0 is as long as it takes.
  parse: parseSecondsFrom(1),
};

const renameWait: Option<number | undefined> = {
  flags: '--rename-wait <seconds>',
  help: 'how long mv waits for its job before it fails with EINTR; the job goes on (svcfs jobs)',
  environment: 'SVCFS_RENAME_WAIT',
  default: undefined,
  defaultText: 'as long as it takes',
  parse: parseSeconds,
};

const stagingProject: Option<string | undefined> = {
  flags: '--staging-project <owner/name[/folder]>',
  help:
    'project and folder (.svcfs-staging unless named) through which programs write to volumes; ' +
    'without it a volume takes only what cp and mv bring from a project',
  environment: 'SVCFS_STAGING_PROJECT',
  default: undefined,
  parse: parseStagingPlace,
};

const temporaryNames: Option<readonly string[]> = {
  flags: '--temporary-names <patterns>',
  help:
    'patterns, separated by commas, of names that tools use for a moment: such a file in a volume stays on this ' +
    'machine until it is renamed or removed (with --staging-project)',
  environment: 'SVCFS_TEMPORARY_NAMES',
  default: TEMPORARY_NAMES,
  defaultText: TEMPORARY_NAMES.join(),
  parse: parseNamePatterns,
};

const afterExport: Option<'keep' | 'remove'> = {
  flags: '--after-export <what>',
  help: 'what mv leaves of a project file that it exported to a volume. keep: an alias of the object. remove: nothing',
  environment: 'SVCFS_AFTER_EXPORT',
  default: 'keep',
  choices: ['keep', 'remove'],
};

const aliasWrite: Option<'refuse' | 'copy'> = {
  flags: '--alias-write <what>',
  help:
    'what happens when a program opens an alias (a project file whose bytes are an object of a volume) for writing. ' +
    'refuse: it gets EPERM. copy: the alias becomes a file of its own with a copy of the bytes',
  environment: 'SVCFS_ALIAS_WRITE',
  default: 'refuse',
  choices: ['refuse', 'copy'],
};

const onKilled: Option<'publish' | 'recover'> = {
  flags: '--on-killed <what>',
  help:
    'what becomes of a file whose writer is killed by a signal. publish: it appears with what was written. ' +
    'recover: the bytes are kept aside on this machine (svcfs recover)',
  environment: 'SVCFS_ON_KILLED',
  default: 'publish',
  choices: ['publish', 'recover'],
};

const conflict: Option<'last' | 'fail'> = {
  flags: '--conflict <what>',
  help:
    'what happens when another client replaced a file while it was written here. last: the last close wins. ' +
    'fail: close fails with ESTALE, and the bytes are kept aside on this machine (svcfs recover)',
  environment: 'SVCFS_CONFLICT',
  default: 'last',
  choices: ['last', 'fail'],
};

const allowOther: Option<boolean> = {
  flags: '--allow-other',
  help: 'let other users in; unless you are root this needs user_allow_other in /etc/fuse.conf',
  default: false,
};

const LARGEST_ID = 2 ** 32 - 2;

const uid: Option<number | undefined> = {
  flags: '--uid <number>',
  help: 'user who owns everything in the mount',
  default: undefined,
  defaultText: 'you',
  parse: parseCountFrom(0, LARGEST_ID),
};

const gid: Option<number | undefined> = {
  flags: '--gid <number>',
  help: 'group that owns everything in the mount',
  default: undefined,
  defaultText: 'yours',
  parse: parseCountFrom(0, LARGEST_ID),
};

const owner: Option<'mounter' | 'kept'> = {
  flags: '--owner <whose>',
  help:
    'who owns files and folders in projects. mounter: the user who mounted; chown is accepted and forgotten. ' +
    'kept: the user who made them, or to whom chown gave them; useful with --allow-other (owners are stored with files, ' +
    'and for folders on this machine)',
  environment: 'SVCFS_OWNER',
  default: 'mounter',
  choices: ['mounter', 'kept'],
};

const unkept: Option<'ignore' | 'refuse'> = {
  flags: '--unkept <what>',
  help:
    'what happens when a program sets an attribute that the platform cannot store, such as the owner, time or mode of a ' +
    'volume object. ignore: the mount forgets it, and svcfs status counts it. refuse: the program gets EPERM',
  environment: 'SVCFS_UNKEPT',
  default: 'ignore',
  choices: ['ignore', 'refuse'],
};

const umask: Option<number> = {
  flags: '--umask <octal>',
  help: 'permission bits to take away from everything in the mount',
  default: 0o022,
  defaultText: '022',
  parse: parseUmask,
};

/** Two parts of an upload: one on its way, and as much for what is being read. */
const SMALLEST_MEMORY = '32M';

const memory: Option<number | undefined> = {
  flags: '--memory <size>',
  help: `memory for cached blocks and for parts in flight, at least ${SMALLEST_MEMORY}`,
  environment: 'SVCFS_MEMORY',
  default: undefined,
  defaultText: 'a quarter of what is available, at most 1G',
  parse: parseSizeWithin(SMALLEST_MEMORY, {
    bytes: machineMemory,
    why: 'which this machine or its control group has',
  }),
};

/** The part that is being written and one that is being sent. */
const SMALLEST_SPOOL = '32M';

const spoolSize: Option<number | undefined> = {
  flags: '--spool-size <size>',
  help:
    `disk space for files being written, at least ${SMALLEST_SPOOL}. At the limit, writers wait until another file is ` +
    'finished; when all would wait, one goes on beyond it (two parts at most). A file larger than the limit can only be ' +
    'written from start to end',
  environment: 'SVCFS_SPOOL_SIZE',
  default: undefined,
  defaultText: 'what the disk has beyond --cache-min-free',
  parse: parseSizeFrom(SMALLEST_SPOOL),
};

const uploads: Option<number | undefined> = {
  flags: '--uploads <count>',
  help: 'parts in flight to the store at once, over all files',
  environment: 'SVCFS_UPLOADS',
  default: undefined,
  defaultText: 'as many as make it faster',
  parse: parseCountFrom(1, 64),
};

const partSize: Option<number> = {
  flags: '--part-size <size>',
  help:
    'size of the parts in which a file is uploaded, from 5M to 4G. Each part is a request: larger parts get more bytes ' +
    "through the service's rate limit, smaller ones let small files upload in parallel. A file that is begun while " +
    'requests are short gets parts up to four times as large, if memory has room for sixteen',
  environment: 'SVCFS_PART_SIZE',
  default: 16 * 2 ** 20,
  defaultText: '16M',
  parse: parseSizeWithin('5M', {
    bytes: () => 4 * 2 ** 30,
    why: 'for a part is sent from one piece of memory',
  }),
};

const cacheDir: Option<string | undefined> = {
  flags: '--cache-dir <directory>',
  help:
    'directory of a disk cache for what was read, as far as the disk keeps up. It is made if it is missing, it outlives ' +
    'the mount, and several mounts can share it',
  environment: 'SVCFS_CACHE_DIR',
  default: undefined,
  defaultText: 'no disk cache',
  parse: parseDirectory,
};

const SMALLEST_CACHE = '16M';

const cacheSize: Option<number | undefined> = {
  flags: '--cache-size <size>',
  help: `disk space for the cache, at least ${SMALLEST_CACHE}; what was used least recently makes room`,
  environment: 'SVCFS_CACHE_SIZE',
  default: undefined,
  defaultText: 'what the disk has, less --cache-min-free',
  parse: parseSizeFrom(SMALLEST_CACHE),
};

const cacheMinFree: Option<number | undefined> = {
  flags: '--cache-min-free <size>',
  help: 'disk space that the cache leaves free, and files being written too unless --spool-size is given',
  environment: 'SVCFS_CACHE_MIN_FREE',
  default: undefined,
  defaultText: 'a twentieth of the disk',
  parse: parseSize,
};

const LEAST_RATE = '1K';

const limitUpload: Option<number | undefined> = {
  flags: '--limit-upload <rate>',
  help: `most bytes a second to upload, such as 10M; at least ${LEAST_RATE}`,
  environment: 'SVCFS_LIMIT_UPLOAD',
  default: undefined,
  defaultText: 'no limit',
  parse: parseSizeFrom(LEAST_RATE),
};

const limitDownload: Option<number | undefined> = {
  flags: '--limit-download <rate>',
  help: `most bytes a second to download, such as 10M; at least ${LEAST_RATE}`,
  environment: 'SVCFS_LIMIT_DOWNLOAD',
  default: undefined,
  defaultText: 'no limit',
  parse: parseSizeFrom(LEAST_RATE),
};

const md5Sum: Option<boolean> = {
  flags: '--md5-sum',
  help: 'store the MD5 of each written file as its metadata md5_sum',
  environment: 'SVCFS_MD5_SUM',
  default: false,
};

const writeBack: Option<boolean> = {
  flags: '--write-back',
  help: 'let close return when the file is safe on this machine, and upload it afterwards (svcfs flush waits for that)',
  environment: 'SVCFS_WRITE_BACK',
  default: false,
};

const symlinks: Option<boolean> = {
  flags: '--no-symlinks',
  help: 'show symbolic links as the small files that the platform keeps them as, and refuse to make new ones',
  environment: 'SVCFS_NO_SYMLINKS',
  default: true,
  // The parser has a flag of this form for a value that is true without it.
  defaultText: 'symbolic links work',
};

const exportDelay: Option<number | undefined> = {
  flags: '--export-delay <seconds>',
  help:
    'how long svcfs waits after the last close of a file in a volume before it makes the object, which can be neither ' +
    'renamed nor removed; needs --write-back',
  environment: 'SVCFS_EXPORT_DELAY',
  default: undefined,
  defaultText: '5 with --write-back; else close makes the object',
  parse: parseSeconds,
};

const logLevel: Option<'error' | 'warn' | 'info' | 'debug'> = {
  flags: '--log-level <level>',
  help: 'the least severe messages that go to the log',
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
  allowOther,
  uid,
  gid,
  umask,
  owner,
  unkept,
  metadataTtl,
  retryTimeout,
  renameWait,
  stagingProject,
  temporaryNames,
  afterExport,
  aliasWrite,
  onKilled,
  conflict,
  memory,
  cacheDir,
  cacheSize,
  cacheMinFree,
  spoolSize,
  uploads,
  partSize,
  limitUpload,
  limitDownload,
  writeBack,
  exportDelay,
  md5Sum,
  symlinks,
  driver,
  logLevel,
} as const;

export type MountOptions = OptionValues<typeof MOUNT_OPTIONS>;
