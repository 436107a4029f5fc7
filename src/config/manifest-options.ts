import { NETWORK } from './mount/network.ts';
import { WHERE } from './mount/where.ts';
import type { Option, OptionValues } from './option.ts';

const as: Option<string | undefined> = {
  flags: '--as <path>',
  help: 'path in the manifest of the one file or folder that is named; . puts what is in a folder at the top',
  default: undefined,
  defaultText: 'its own name',
};

const fullPaths: Option<boolean> = {
  flags: '--full-paths',
  help: 'paths as in the mount, such as projects/lab/rna/reads/a.bam',
  default: false,
};

const checksum: Option<boolean> = {
  flags: '--checksum',
  help: 'read every file and pin its SHA-256 as well, for svcfs manifest verify',
  default: false,
};

/** Options of `svcfs manifest create`. */
export const MANIFEST_CREATE_OPTIONS = { as, fullPaths, checksum } as const;
export type ManifestCreateOptions = OptionValues<typeof MANIFEST_CREATE_OPTIONS>;

const factsOnly: Option<boolean> = {
  flags: '--facts-only',
  help: 'compare ids, sizes and ETags, and read no bytes',
  default: false,
};

/** Options of `svcfs manifest verify`. */
export const MANIFEST_VERIFY_OPTIONS = { factsOnly, ...WHERE, ...NETWORK } as const;
export type ManifestVerifyOptions = OptionValues<typeof MANIFEST_VERIFY_OPTIONS>;
