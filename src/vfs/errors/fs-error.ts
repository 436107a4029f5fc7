import type { Errno } from '../../lib/errno.ts';

/** A failure the file system decided on: the errno the program gets and the reason a person can read. */
export class FsError extends Error {
  override readonly name = 'FsError';
  readonly errno: Errno;

  constructor(errno: Errno, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.errno = errno;
  }
}

/** A file that a manifest pins is another now: to ask again helps nothing. */
export class PinnedChange extends FsError {
  constructor(change: string) {
    super('ESTALE', `the manifest pins another state of it: ${change}`);
  }
}

/** Of bytes that are no UTF-8, where a name was to be. */
export class NotTextError extends FsError {
  /** With the bytes that are no text as `\\xff`. */
  readonly shown: string;

  constructor(bytes: Uint8Array) {
    super('EILSEQ', 'the name is not UTF-8');
    this.shown = Array.from(bytes, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    ).join('');
  }
}
