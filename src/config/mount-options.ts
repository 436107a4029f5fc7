import { FRESHNESS } from './mount/freshness.ts';
import { NETWORK } from './mount/network.ts';
import { RESOURCES } from './mount/resources.ts';
import { SELECTING } from './mount/selecting.ts';
import { SHOWN } from './mount/shown.ts';
import { SYSTEM } from './mount/system.ts';
import { VOLUMES } from './mount/volumes.ts';
import { WHERE } from './mount/where.ts';
import { WRITING } from './mount/writing.ts';
import type { OptionValues } from './option.ts';

/** Options of `svcfs mount` as its help shows them: a heading, and the options below it. */
export const MOUNT_OPTION_GROUPS = {
  Where: WHERE,
  Network: NETWORK,
  Selecting: SELECTING,
  'What it shows': SHOWN,
  Freshness: FRESHNESS,
  Writing: WRITING,
  Volumes: VOLUMES,
  Resources: RESOURCES,
  System: SYSTEM,
} as const;

export const MOUNT_OPTIONS = {
  ...WHERE,
  ...NETWORK,
  ...SELECTING,
  ...SHOWN,
  ...FRESHNESS,
  ...WRITING,
  ...VOLUMES,
  ...RESOURCES,
  ...SYSTEM,
} as const;

export type MountOptions = OptionValues<typeof MOUNT_OPTIONS>;
