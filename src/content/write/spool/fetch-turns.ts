import { Semaphore } from '../../../lib/semaphore.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';

/** Ranges of versions are fetched in pieces of this size. */
export const FETCH_BYTES = 4 * 1024 * 1024;
/** Of the memory budget, for each of the two ways that pieces go. */
const SHARE = 1 / 8;

/**
 * How many pieces of versions are fetched at once, over all drafts. They are read as a program reads: without waiting for
 * memory, and beyond the budget if need be.
 *
 * A piece for a spool waits for its turn among the draft's changes, and a change may wait for a piece that is read for a
 * part. So neither kind waits for a turn of the other.
 */
export class FetchTurns {
  readonly intoSpools: Semaphore;
  readonly intoParts: Semaphore;

  constructor({ limitBytes }: Pick<MemoryPool, 'limitBytes'>) {
    const most = Math.max(1, Math.floor((limitBytes * SHARE) / FETCH_BYTES));
    this.intoSpools = new Semaphore(most);
    this.intoParts = new Semaphore(most);
  }
}
