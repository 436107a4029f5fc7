import { constants } from 'node:os';

/** The kernel refuses replies with larger numbers, and would wait for ever. */
const LARGEST_ERRNO = 511;

/**
 * The errno to answer for what a handler threw: EINTR when it gave up because it was told to, else what `errnoOf` says,
 * and EIO whenever that is of no use.
 *
 * Never ENOSYS: the kernel would not send that operation again in the life of the mount (one GETXATTR so answered takes
 * all attributes away).
 */
export function replyErrno(
  error: unknown,
  { interrupted, errnoOf }: { interrupted: boolean; errnoOf: (error: unknown) => number },
): number {
  const { EIO, EINTR, ENOSYS, EOPNOTSUPP } = constants.errno;
  if (interrupted && error instanceof Error && error.name === 'AbortError') return EINTR;
  try {
    const errno = errnoOf(error);
    if (errno === ENOSYS) return EOPNOTSUPP;
    return Number.isInteger(errno) && errno > 0 && errno <= LARGEST_ERRNO ? errno : EIO;
  } catch {
    return EIO;
  }
}

/**
 * For what is read through a handle that is open, a directory's names above all: readdir(3) takes ENOENT for the end of the
 * directory, and programs believe that it is empty.
 */
export function staleForGone(errno: number): number {
  const { ENOENT, ENOTDIR, ESTALE } = constants.errno;
  return errno === ENOENT || errno === ENOTDIR ? ESTALE : errno;
}
