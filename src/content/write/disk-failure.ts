import { errorCode } from '../../lib/error-code.ts';
import { ContentError } from '../ports.ts';

/** What failed on the disk of the spool, as people need it told: that it is full, and where. Anything else as it is. */
export function explainDiskFailure(error: unknown, spoolDirectory: string): unknown {
  const code = errorCode(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EFBIG') return error;
  return new ContentError('no-space', `the disk of the spool directory ${spoolDirectory} is full`, {
    cause: error,
  });
}
