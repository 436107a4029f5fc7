import type { DraftState } from './journal-entry.ts';

/** Of a spool that need not have survived, for a person. */
export const MAY_BE_ZEROS =
  'the machine may have been restarted before all of its bytes were on the disk: look at them, some may be zeros';

/**
 * Whether a spool surely has the bytes that were written to it. They are on the disk, or in the journal, or in the page
 * cache of the machine that still runs. Older journals do not tell, and the answer is no.
 */
export function hasSurvived(
  { bytes, onDisk, bootId }: Pick<DraftState, 'bytes' | 'onDisk' | 'bootId'>,
  currentBootId: string | undefined,
): boolean {
  if (bytes !== undefined || onDisk === true) return true;
  return bootId !== undefined && bootId === currentBootId;
}
