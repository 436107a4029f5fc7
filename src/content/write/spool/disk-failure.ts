import { errorCode } from '../../../lib/error-code.ts';
import { ContentError } from '../../ports.ts';

/**
 * What failed on the disk of the spool, as people need it told: that it takes no more, and where, or that no more files may
 * be open. Anything else as it is.
 */
export function explainDiskFailure(error: unknown, spoolDirectory: string): unknown {
  const code = errorCode(error);
  const tooMany = whoseFilesAreTooMany(code);
  if (tooMany !== undefined) return new ContentError('no-descriptors', tooMany, { cause: error });
  const reason = reasonOf(code, spoolDirectory);
  return reason === undefined ? error : new ContentError('no-space', reason, { cause: error });
}

function whoseFilesAreTooMany(code: string | undefined): string | undefined {
  switch (code) {
    case 'EMFILE':
      return 'the mount has as many files open as a process may';
    case 'ENFILE':
      return 'the machine has as many files open as it may';
    default:
      return undefined;
  }
}

function reasonOf(code: string | undefined, spoolDirectory: string): string | undefined {
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return (
        `the disk of the spool directory ${spoolDirectory} is full; free space there, or mount with a --spool-size ` +
        'that it has room for'
      );
    case 'EFBIG':
      return `larger than a file may be in the spool directory ${spoolDirectory} (file system, or ulimit -f)`;
    default:
      return undefined;
  }
}
