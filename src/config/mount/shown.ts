import type { Option } from '../option.ts';
import { parseCountFrom, parseUmask } from '../option-text.ts';

const readOnly: Option<boolean> = {
  flags: '--read-only',
  help: 'refuse every change',
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

const umask: Option<number> = {
  flags: '--umask <octal>',
  help: 'permission bits to take away from everything in the mount',
  default: 0o022,
  defaultText: '022',
  parse: parseUmask,
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

const allowOther: Option<boolean> = {
  flags: '--allow-other',
  help: 'let other users in; unless you are root this needs user_allow_other in /etc/fuse.conf',
  default: false,
};

/** How the files of a mount look, and to whom. */
export const SHOWN = { readOnly, symlinks, owner, umask, uid, gid, allowOther } as const;
