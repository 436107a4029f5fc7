/** Facts at most this old count as fresh when a file is opened. */
export const FRESH_MS = 1_000;
/** Opens in one folder with no more than this between them share what they ask. */
const TOGETHER_MS = 1_000;
/** The most ids of one bulk get. */
const BULK_LIMIT = 100;

/** How often files of a folder were opened in a row. */
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
 * How many files of the folder an open asks about, the opened one included. A bulk get costs what a single one
 * does, and a program that has opened three files of a folder one after the other will open the next ones.
 */
export function filesToAsk(run: OpenRun | undefined): number {
  return run && run.count >= 3 ? BULK_LIMIT : 1;
}
