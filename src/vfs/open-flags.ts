import { constants } from 'node:fs';

/** The flags of open(2), as far as they concern a file system. O_APPEND is the kernel's: it gives the offset. */
export interface OpenMode {
  readonly read: boolean;
  readonly write: boolean;
  readonly truncate: boolean;
  readonly exclusive: boolean;
}

const ACCESS_MODES = constants.O_RDONLY | constants.O_WRONLY | constants.O_RDWR;

export function openModeOf(flags: number): OpenMode {
  const access = flags & ACCESS_MODES;
  return {
    read: access !== constants.O_WRONLY,
    write: access !== constants.O_RDONLY,
    truncate: (flags & constants.O_TRUNC) !== 0,
    exclusive: (flags & constants.O_EXCL) !== 0,
  };
}
