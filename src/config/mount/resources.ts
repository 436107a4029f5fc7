import { machineMemory } from '../../lib/machine-memory.ts';
import type { Option } from '../option.ts';
import { parseDirectory, parseSize, parseSizeFrom, parseSizeWithin } from '../option-text.ts';

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

/** Memory, disk and bandwidth that a mount may use. */
export const RESOURCES = { memory, cacheDir, cacheSize, cacheMinFree, limitUpload, limitDownload } as const;
