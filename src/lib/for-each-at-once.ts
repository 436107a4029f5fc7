/**
 * Does `work` for each item, some at once, in the order they come. After a failure nothing more is begun; it is told when
 * all that was begun is over.
 */
export async function forEachAtOnce<T>(
  items: AsyncIterable<T> | Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    while (!failed) {
      const { done, value } = await iterator.next();
      if (done) return;
      await work(value);
    }
  };
  const stopOnFailure = (error: unknown): never => {
    failed = true;
    throw error;
  };
  const workers = Array.from({ length: concurrency }, () => worker().catch(stopOnFailure));
  for (const result of await Promise.allSettled(workers)) {
    if (result.status === 'rejected') throw result.reason;
  }
}
