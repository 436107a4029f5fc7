import { KEPT_STATES } from '../../recover/describe-kept.ts';
import { type FoundKept, type KeptEntry, shownPath } from '../../recover/kept-entries.ts';
import type { Kept, KeptView } from '../page-model.ts';

const MOST = 200;

/** Files that wait for a person come first, and of each kind the newest. */
export function keptView({ entries, unreadable }: FoundKept): Kept {
  const sorted = entries.toSorted(
    (a, b) => ORDER.indexOf(a.file.state) - ORDER.indexOf(b.file.state) || b.file.keptMs - a.file.keptMs,
  );
  return { files: { first: sorted.slice(0, MOST).map(viewOf), total: entries.length }, unreadable };
}

const ORDER: readonly KeptView['state'][] = ['refused', 'aside', 'unclosed', 'waiting'];

function viewOf(entry: KeptEntry): KeptView {
  const { state, sizeBytes, keptMs, reason, missing } = entry.file;
  return {
    id: idOfKept(entry),
    path: shownPath(entry),
    state,
    stateInWords: KEPT_STATES[state],
    ...{ sizeBytes, keptMs, reason, missing },
  };
}

/** With the place: two of them may have files of the same id. */
export function idOfKept({ place, file }: KeptEntry): string {
  return `${place.account.root}/${file.id}`;
}
