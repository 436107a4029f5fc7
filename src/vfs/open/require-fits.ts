import { OBJECT_SIZE_MAX } from '../../contract/limits.ts';
import { FsError } from '../errors/fs-error.ts';

/** EFBIG for a file that would be larger than the platform takes one: it would say so when all of it was sent. */
export function requireFits(sizeBytes: number): void {
  if (sizeBytes > OBJECT_SIZE_MAX) throw new FsError('EFBIG', 'the platform takes files of at most 5 TiB');
}
