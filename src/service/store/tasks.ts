import type { Kysely, Selectable } from 'kysely';
import type { Schema, TasksTable } from './schema.ts';

export class TaskStore {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async insert(task: Selectable<TasksTable>): Promise<void> {
    await this.#db.insertInto('tasks').values(task).execute();
  }
}
