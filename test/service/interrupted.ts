import { inject } from 'vitest';
import type { Store } from '../../src/service/store/store.ts';

interface Interruption {
  readonly table: 'projects' | 'volumes' | 'volumeMembers' | 'files' | 'tasks';
  /** After the first answer of this method of the table. */
  readonly read: string;
  readonly by: () => Promise<unknown>;
}

/**
 * Makes a call, and has something else done in the middle of it: once the call has read something, before it writes.
 *
 * What is read in a transaction nobody changes until that ends. On SQLite, where there is one connection, the interruption
 * comes right before it; on PostgreSQL in it, and the transaction has to give way.
 */
export async function interrupted<Answer>(
  store: Store,
  call: () => Promise<Answer>,
  { table, read, by }: Interruption,
): Promise<Answer> {
  const amidTransactions = inject('postgres') !== undefined;
  let due = true;
  const interrupt = async (): Promise<void> => {
    if (!due) return;
    due = false;
    await by();
  };
  const watch = (watched: Store): object => {
    const methods = watched[table] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
    const original = methods[read]?.bind(methods);
    methods[read] = async (...args) => {
      const answer = await original?.(...args);
      await interrupt();
      return answer;
    };
    return methods;
  };
  const { transaction } = store;
  store.transaction = async (work) => {
    if (!amidTransactions) await interrupt();
    return transaction.call(store, (tx) => {
      if (amidTransactions) watch(tx);
      return work(tx);
    }) as never;
  };
  const methods = watch(store);
  try {
    return await call();
  } finally {
    Reflect.deleteProperty(methods, read);
    Reflect.deleteProperty(store, 'transaction');
  }
}
