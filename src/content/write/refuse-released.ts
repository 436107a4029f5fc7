import { ContentError } from '../ports.ts';
import type { Extent } from './extent-map.ts';

/** Throws when some of a range that is to be read or changed is in the unfinished upload only. */
export function refuseReleased(extents: readonly Extent[]): void {
  if (extents.every(({ origin }) => origin.kind !== 'released')) return;
  throw new ContentError(
    'failed',
    'the file is larger than the spool may get: what was written first is at the service already and can be neither ' +
      'read nor changed before the file is closed (raise the spool size)',
  );
}
