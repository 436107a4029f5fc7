import { NETWORK } from './mount/network.ts';
import { WHERE } from './mount/where.ts';
import type { OptionValues } from './option.ts';

/** For what is not in a mount: the platform, and how it is reached. */
export const PLATFORM_OPTIONS = { ...WHERE, ...NETWORK } as const;
export type PlatformOptions = OptionValues<typeof PLATFORM_OPTIONS>;
