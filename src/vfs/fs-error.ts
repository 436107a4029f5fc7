import type { Errno } from '../lib/errno.ts';

/** A failure the file system decided on: the errno the program gets and the reason a person can read. */
export class FsError extends Error {
  override readonly name = 'FsError';
  readonly errno: Errno;

  constructor(errno: Errno, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.errno = errno;
  }
}
