/**
 * The drafts that have ended, but that the journal on the disk still owes, as of its last fdatasync. A later run of the
 * machine would publish again what a program has removed or renamed since.
 */
import { type DraftState, owesChanges } from './journal-entry.ts';
import { hasSurvived } from './spool-survival.ts';

/** `open`: what a close acknowledged of it before, if it did, may stay on the disk, for it was not published. */
type Standing = 'owed' | 'open' | 'done';

interface Told {
  readonly standing: Standing;
}

export class OwedOnDisk {
  readonly #owed = new Set<string>();
  /** Of them, or of those that are on their way to it. */
  readonly #done = new Set<string>();
  /** The last record of each draft that is not on the disk yet. */
  readonly #later = new Map<string, Told>();
  /** On its way to it. */
  #saving: ReadonlyMap<string, Told> = new Map();

  /** `drafts`: on the disk. */
  constructor(drafts: ReadonlyMap<string, DraftState>) {
    for (const [id, state] of drafts) if (standingOf(state) === 'owed') this.#owed.add(id);
  }

  /** The disk has drafts as owed that are done. */
  get hasDone(): boolean {
    return this.#done.size > 0;
  }

  /** A line tells that a draft is in this state; undefined: it is no more. */
  record(id: string, state: DraftState | undefined): void {
    if (state !== undefined || this.#owed.has(id) || this.#saving.has(id))
      this.#later.set(id, { standing: standingOf(state) });
    else this.#later.delete(id);
    this.#compare(id);
  }

  /** All that is recorded by now goes to the disk; to be called when it is there. */
  save(): () => void {
    const saving = new Map(this.#later);
    this.#saving = saving;
    return () => {
      for (const [id, told] of saving) {
        if (told.standing === 'owed') this.#owed.add(id);
        else this.#owed.delete(id);
        if (this.#later.get(id) === told) this.#later.delete(id);
        this.#compare(id);
      }
      this.#saving = new Map();
    };
  }

  #compare(id: string): void {
    const isOwed = this.#owed.has(id) || this.#saving.get(id)?.standing === 'owed';
    if (isOwed && this.#later.get(id)?.standing === 'done') this.#done.add(id);
    else this.#done.delete(id);
  }
}

/** To a later run of the machine (`recovery/recover-drafts.ts`). */
function standingOf(state: DraftState | undefined): Standing {
  if (state === undefined || state.removed) return 'done';
  const { publishedFileId, target, closed, phase } = state;
  if (publishedFileId !== undefined)
    return owesChanges(state) || target.onward !== undefined ? 'owed' : 'done';
  const isOwed = closed !== undefined || (phase === 'publishing' && hasSurvived(state, undefined));
  return isOwed ? 'owed' : 'open';
}
