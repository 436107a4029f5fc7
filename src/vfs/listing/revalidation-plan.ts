/** Facts at most this old count as fresh when a file is opened. */
export const FRESH_MS = 1_000;
/**
 * The same for a program that has files copied one after the other. The platform makes a copy of the file that it is told by its
 * id; its bytes never change.
 */
export const FRESH_FOR_COPIES_MS = 5_000;
/** Opens with no more than this between them share what they ask. */
const TOGETHER_MS = 1_000;
/** The most ids of one bulk get. */
const BULK_LIMIT = 100;

/** How often files were opened in a row. */
export interface OpenRun {
  readonly lastMs: number;
  readonly count: number;
}

/** The run that an open at `nowMs` belongs to. */
export function continuedRun(run: OpenRun | undefined, nowMs: number): OpenRun {
  return run && nowMs - run.lastMs <= TOGETHER_MS
    ? { lastMs: nowMs, count: run.count + 1 }
    : { lastMs: nowMs, count: 1 };
}

/**
 * How many files an open asks about, the opened one included. A bulk get costs what a single one does, and a program
 * that has opened three files one after the other will open the next ones.
 */
export function filesToAsk({ count }: OpenRun): number {
  return count >= 3 ? BULK_LIMIT : 1;
}
