import { inject } from 'vitest';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import { projectsIn } from '../../src/service/members/project-table.ts';
import type { Store } from '../../src/service/store/store.ts';
import { tasksIn } from '../../src/service/tasks/task-table.ts';
import { volumeMembersIn } from '../../src/service/volumes/volume-member-table.ts';
import { volumesIn } from '../../src/service/volumes/volume-table.ts';

const TABLES = {
  projects: projectsIn,
  volumes: volumesIn,
  volumeMembers: volumeMembersIn,
  files: filesIn,
  tasks: tasksIn,
};

interface Interruption {
  readonly table: keyof typeof TABLES;
  /** After the first answer of this method of the table. */
  readonly read: string;
  readonly by: () => Promise<unknown>;
}

/**
 * Makes a call, and has something else done in the middle of it: once the call has read something, before it writes.
 *
 * Nobody changes rows that a transaction has read until it ends. On SQLite, where there is one connection, the
 * interruption comes right before it; on PostgreSQL in it, and the transaction has to give way.
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
    const methods = TABLES[table](watched) as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
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
