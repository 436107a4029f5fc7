/**
 * The uploads that an ended mount left, by a look at its journal from outside: nothing is changed, and no spool is
 * read.
 */

import { journalIn } from '../journal/journal.ts';
import { type DraftState, isAsked, owesChanges } from '../journal/journal-entry.ts';
import { journalLines } from '../journal/journal-lines.ts';
import { ExtentMap } from '../spool/extent-map.ts';

export interface WaitingUploads {
  readonly files: number;
  /** Of them, on this machine. */
  readonly sizeBytes: number;
}

/** Throws when the journal cannot be read to its end. */
export async function waitingUploads(directory: string, signal: AbortSignal): Promise<WaitingUploads> {
  const path = journalIn(directory);
  const waiting = new Map<string, number>();
  for await (const { entry } of journalLines(path, signal)) {
    if (entry === undefined) throw new Error(`${path}: damaged`);
    if (entry.type === 'draft' && isOwed(entry.draft)) {
      waiting.set(entry.draft.id, owedBytesOf(entry.draft));
    } else if (entry.type === 'draft') {
      waiting.delete(entry.draft.id);
    } else if (entry.type === 'end') {
      waiting.delete(entry.id);
    }
  }
  const sizes = [...waiting.values()];
  return { files: sizes.length, sizeBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** The next mount has to go on with it: somebody asked for its publication, and something of that is left. */
function isOwed(state: DraftState): boolean {
  const { publishedFileId, target, removed, refused } = state;
  // The caller names each refused upload by itself.
  if (removed || refused) return false;
  if (publishedFileId === undefined) return isAsked(state);
  return owesChanges(state) || target.onward !== undefined;
}

function owedBytesOf({ phase, closed, extents }: DraftState): number {
  const map = new ExtentMap(extents);
  return closed === undefined || phase === 'publishing'
    ? map.localBytes
    : map.localBytesIn(0, closed.sizeBytes);
}
