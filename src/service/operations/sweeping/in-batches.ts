/** Rows of one statement. */
export const BATCH = 500;

/** Goes on until a batch is not full: what comes to be removed faster than one batch each time would never be gone. */
export async function inBatches(signal: AbortSignal, removeBatch: () => Promise<number>): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const removed = await removeBatch();
    count += removed;
    if (removed < BATCH) break;
  }
  return count;
}
