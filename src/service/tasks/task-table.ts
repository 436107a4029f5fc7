import { type Kysely, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { TaskListQuery } from '../../contract/task.ts';
import type { TaskStatus } from '../../contract/words.ts';
import type { PageRange, RowPage } from '../store/page-range.ts';
import type { Schema, TasksTable } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type TaskRow = Selectable<TasksTable>;

/** Stored instants, both included. */
export interface TimeSpan {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Which tasks of a member's projects, and in what order; filters add up. */
export interface TaskListing {
  readonly member: string;
  readonly projectId?: string | undefined;
  readonly status?: string | undefined;
  readonly parentId?: string | undefined;
  readonly batch?: boolean | undefined;
  readonly originId?: string | undefined;
  readonly created: TimeSpan;
  readonly started: TimeSpan;
  readonly ended: TimeSpan;
  readonly orderBy: TaskListQuery['order_by'];
  readonly order: TaskListQuery['order'];
}

const ORDER_COLUMNS = {
  created_time: 'created_on',
  start_time: 'start_time',
  end_time: 'end_time',
  name: 'name',
  created_by: 'created_by',
} as const;

export class TaskTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async insert(tasks: readonly TaskRow[]): Promise<void> {
    if (tasks.length > 0) await this.#db.insertInto('tasks').values(tasks).execute();
  }

  async update(id: string, changes: Updateable<TasksTable>): Promise<void> {
    await this.#db.updateTable('tasks').set(changes).where('id', '=', id).execute();
  }

  /** With the tasks of the batch, if it is one. */
  async delete(id: string): Promise<void> {
    await this.deleteChildren(id);
    await this.#db.deleteFrom('tasks').where('id', '=', id).execute();
  }

  async deleteChildren(parentId: string): Promise<void> {
    await this.#db.deleteFrom('tasks').where('parent_id', '=', parentId).execute();
  }

  async find(id: string): Promise<TaskRow | undefined> {
    return this.#db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** The tasks of a batch, by name. */
  async children(parentId: string): Promise<TaskRow[]> {
    return this.#db
      .selectFrom('tasks')
      .selectAll()
      .where('parent_id', '=', parentId)
      .orderBy('name')
      .orderBy('id')
      .execute();
  }

  /** How many tasks of each batch are in each status. */
  async childStatuses(parentIds: readonly string[]): Promise<Map<string, Map<TaskStatus, number>>> {
    const counts = new Map<string, Map<TaskStatus, number>>();
    if (parentIds.length === 0) return counts;
    const rows = await this.#db
      .selectFrom('tasks')
      .select(['parent_id', 'status', sql<number>`count(*)`.as('total')])
      .where('parent_id', 'in', parentIds)
      .groupBy(['parent_id', 'status'])
      .execute();
    for (const { parent_id, status, total } of rows) {
      const ofBatch = counts.get(parent_id ?? '') ?? new Map<TaskStatus, number>();
      counts.set(parent_id ?? '', ofBatch.set(status as TaskStatus, Number(total)));
    }
    return counts;
  }

  /** Of each of these tasks, or of the tasks of a batch, how many run that no worker has begun; of those that have none, nothing. */
  async waiting(ids: readonly string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#db
      .selectFrom('tasks')
      .innerJoin('jobs', 'jobs.id', 'tasks.id')
      .select(['tasks.id', 'tasks.parent_id'])
      .where((eb) => eb.or([eb('tasks.id', 'in', ids), eb('tasks.parent_id', 'in', ids)]))
      .where('tasks.status', '=', 'RUNNING')
      .where('jobs.state', '=', 'PENDING')
      .execute();
    const counts = new Map<string, number>();
    for (const { id, parent_id } of rows) {
      for (const each of parent_id === null ? [id] : [id, parent_id])
        counts.set(each, (counts.get(each) ?? 0) + 1);
    }
    return counts;
  }

  /** Ties are broken by id. An event that has not happened yet sorts before all that have. */
  async list(listing: TaskListing, range: PageRange): Promise<RowPage<TaskRow>> {
    const matching = this.#matching(listing);
    const column = ORDER_COLUMNS[listing.orderBy];
    const rows = await matching
      .selectAll('tasks')
      .orderBy(
        column === 'start_time' || column === 'end_time'
          ? sql`coalesce(${sql.ref(`tasks.${column}`)}, '')`
          : sql.ref(`tasks.${column}`),
        listing.order,
      )
      .orderBy('tasks.id', listing.order)
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
    return { rows, total: Number(total) };
  }

  #matching(listing: TaskListing): SelectQueryBuilder<Schema, 'tasks', unknown> {
    const { member, projectId, status, parentId, batch, originId } = listing;
    let query = this.#db
      .selectFrom('tasks')
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('project_members')
            .select('project_members.username')
            .whereRef('project_members.project_id', '=', 'tasks.project_id')
            .where('project_members.username', '=', member),
        ),
      );
    if (projectId !== undefined) query = query.where('tasks.project_id', '=', projectId);
    if (status !== undefined) query = query.where('tasks.status', '=', status);
    if (parentId !== undefined) query = query.where('tasks.parent_id', '=', parentId);
    if (batch !== undefined) query = query.where('tasks.is_batch', '=', batch ? 1 : 0);
    if (originId !== undefined) query = query.where('tasks.origin_id', '=', originId);
    for (const [column, { from, to }] of [
      ['tasks.created_on', listing.created],
      ['tasks.start_time', listing.started],
      ['tasks.end_time', listing.ended],
    ] as const) {
      if (from !== undefined) query = query.where(column, '>=', from);
      if (to !== undefined) query = query.where(column, '<=', to);
    }
    return query;
  }
}

export const tasksIn: (store: Store) => TaskTable = table(({ db }) => new TaskTable(db));
