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

/** Of two names for one number, the one that `Errno` has. */
const NAMES: ReadonlyMap<number, string> = new Map([
  ...Object.entries(constants.errno).map(([name, number]) => [number, name] as const),
  [constants.errno.EAGAIN, 'EAGAIN'],
  [constants.errno.EOPNOTSUPP, 'EOPNOTSUPP'],
]);

/** The name of a positive errno number; the number as text when it has none. */
export function errnoName(number: number): string {
  return NAMES.get(number) ?? String(number);
}
