import { constants } from 'node:os';

/** Linux errno names that a file system answers with (errno(3)). */
export type Errno =
  | 'EPERM'
  | 'ENOENT'
  | 'EINTR'
  | 'EIO'
  | 'ENXIO'
  | 'E2BIG'
  | 'EBADF'
  | 'EAGAIN'
  | 'ENOMEM'
  | 'ENFILE'
  | 'EACCES'
  | 'EBUSY'
  | 'EEXIST'
  | 'EXDEV'
  | 'ENODEV'
  | 'ENOTDIR'
  | 'EISDIR'
  | 'EINVAL'
  | 'ENOTTY'
  | 'EFBIG'
  | 'ENOSPC'
  | 'EROFS'
  | 'ERANGE'
  | 'ENAMETOOLONG'
  | 'ENOSYS'
  | 'ENOTEMPTY'
  | 'ENODATA'
  | 'EILSEQ'
  | 'EOPNOTSUPP'
  | 'ESTALE'
  | 'ETIMEDOUT';

/** The positive number of an errno on this system, as in errno.h. */
export function errnoNumber(name: Errno): number {
  return constants.errno[name];
}
