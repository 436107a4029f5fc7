import { removeUnchanged } from '../../../lib/remove-unchanged.ts';

/** Something that a process left behind that ended in the middle of its work, or nobody comes back to. */
export interface Remains {
  /** Where it is, for the log. */
  readonly name: string;
  /** Answers whether it was removed: what is young may be of work that goes on. */
  readonly remove: () => Promise<boolean>;
}

/** A file, or a directory with all that is in it, that has not changed since `before` (Unix milliseconds). */
export function remainsAt(path: string, before: number): Remains {
  return { name: path, remove: () => removeUnchanged(path, before) };
}
