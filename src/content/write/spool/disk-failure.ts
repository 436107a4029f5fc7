import { errorCode } from '../../../lib/error-code.ts';
import { ContentError, type ContentErrorKind } from '../../ports.ts';

interface Explanation {
  readonly kind: ContentErrorKind;
  readonly reason: string;
}

/**
 * Explains a failure on the disk of the spool to people: the disk is full and where, the spool is damaged, or too many
 * files are open. Any other error stays as it is.
 */
export function explainDiskFailure(error: unknown, spoolDirectory: string): unknown {
  const explanation = explanationOf(errorCode(error), spoolDirectory);
  if (explanation === undefined) return error;
  return new ContentError(explanation.kind, explanation.reason, { cause: error });
}

/** The disk of the spool takes no more bytes: as `explainDiskFailure` tells it. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof ContentError)) return false;
  const code = errorCode(error.cause);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function explanationOf(code: string | undefined, spoolDirectory: string): Explanation | undefined {
  const of = (kind: ContentErrorKind, reason: string): Explanation => ({ kind, reason });
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return of(
        'no-space',
        `the disk of the spool directory ${spoolDirectory} is full; free space there, or mount with a --spool-size ` +
          'that it has room for',
      );
    case 'EFBIG':
      return of(
        'no-space',
        `larger than a file may be in the spool directory ${spoolDirectory} (file system, or ulimit -f)`,
      );
    case 'EMFILE':
      return of('no-descriptors', 'the mount has as many files open as a process may');
    case 'ENFILE':
      return of('no-descriptors', 'the machine has as many files open as it may');
    case 'ENOENT':
      return of('failed', `the spool directory ${spoolDirectory} was removed; unmount, and mount again`);
    case 'EROFS':
      return of(
        'failed',
        `the disk of the spool directory ${spoolDirectory} is read-only, as after a failure of it; see to it, or mount ` +
          'again with another XDG_STATE_HOME',
      );
    default:
      return undefined;
  }
}
