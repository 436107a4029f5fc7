import type { Option } from '../option.ts';
import { parseSeconds, parseSecondsFrom } from '../option-text.ts';

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

const conflict: Option<'last' | 'fail'> = {
  flags: '--conflict <what>',
  help:
    'what happens when another client replaced a file while it was written here. last: the last close wins. ' +
    'fail: close fails with ESTALE, and the bytes are kept aside on this machine (svcfs recover)',
  environment: 'SVCFS_CONFLICT',
  default: 'last',
  choices: ['last', 'fail'],
};

/** How long a mount trusts what it knows, and how long it waits. */
export const FRESHNESS = { metadataTtl, retryTimeout, conflict } as const;
