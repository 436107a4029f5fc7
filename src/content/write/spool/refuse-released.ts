import { ContentError } from '../../ports.ts';
import { type Extent, hasReleased } from './extent-map.ts';

/** Some of a range is in the unfinished upload only. */
export class ReleasedError extends ContentError {
  constructor() {
    super(
      'failed',
      'the file is larger than the spool may get: what was written first is at the service already and can be neither ' +
        'read nor changed before the file is closed (raise --spool-size)',
    );
  }
}

/** Throws `ReleasedError` when some of a range that is to be read or changed is in the unfinished upload only. */
export function refuseReleased(extents: readonly Extent[]): void {
  if (hasReleased(extents)) throw new ReleasedError();
}

/** Of a spool that such bytes are missing from, for a person. */
export function onlyInUpload(uploadId: string): string {
  return (
    `what was written first is left out (zeros): it is only in the unfinished upload ${uploadId} at the service, ` +
    'which stays open, for the file is larger than the spool may get (raise --spool-size)'
  );
}
