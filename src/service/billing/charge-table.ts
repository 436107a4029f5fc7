import { type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { PageRange, RowPage } from '../store/page-range.ts';
import type { ChargesTable, Schema } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type ChargeRow = Selectable<ChargesTable>;

/** Charges of a billing group begun in a span of time: `from` included, `before` not. */
export interface ChargeListing {
  readonly billingGroup: string;
  readonly from?: string | undefined;
  readonly before?: string | undefined;
}

/** The spending of a billing group on tasks that began in a month. */
export interface MonthSpending {
  /** `YYYY-MM`, in UTC. */
  readonly month: string;
  readonly micros: number;
}

/** The bytes stored in a project. */
export interface StoredBytes {
  readonly projectId: string;
  readonly active: bigint;
  readonly archived: bigint;
}

/** The cost of running tasks, and the bytes kept. */
export class ChargeTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async insert(charges: readonly ChargeRow[]): Promise<void> {
    if (charges.length > 0) await this.#db.insertInto('charges').values(charges).execute();
  }

  async update(taskId: string, changes: Updateable<ChargesTable>): Promise<void> {
    await this.#db.updateTable('charges').set(changes).where('task_id', '=', taskId).execute();
  }

  async ofTasks(taskIds: readonly string[]): Promise<ChargeRow[]> {
    if (taskIds.length === 0) return [];
    return this.#db.selectFrom('charges').selectAll().where('task_id', 'in', taskIds).execute();
  }

  /** By time of the start, then task. */
  async all(listing: ChargeListing): Promise<ChargeRow[]> {
    return this.#matching(listing).selectAll().orderBy('time_started').orderBy('task_id').execute();
  }

  /** A page of the same. */
  async list(listing: ChargeListing, range: PageRange): Promise<RowPage<ChargeRow>> {
    const matching = this.#matching(listing);
    const rows = await matching
      .selectAll()
      .orderBy('time_started')
      .orderBy('task_id')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
    return { rows, total: Number(total) };
  }

  /** For each month in which any began, the newest first; from an index alone. */
  async byMonth(listing: ChargeListing): Promise<MonthSpending[]> {
    const month = sql<string>`substr(time_started, 1, 7)`;
    const rows = await this.#matching(listing)
      .select([month.as('month'), sql<number>`sum(amount_micros)`.as('micros')])
      .groupBy(month)
      .orderBy('month', 'desc')
      .execute();
    return rows.map((row) => ({ month: row.month, micros: Number(row.micros) }));
  }

  /** The bytes that the service itself keeps for each project that has any file; aliases cost nothing here. */
  async storedIn(projectIds: readonly string[]): Promise<StoredBytes[]> {
    if (projectIds.length === 0) return [];
    const rows = await this.#db
      .selectFrom('files')
      .select([
        'project_id',
        sql<number>`sum(case when is_archived = 0 then size else 0 end)`.as('active'),
        sql<number>`sum(case when is_archived = 1 then size else 0 end)`.as('archived'),
      ])
      .where('project_id', 'in', projectIds)
      .where('blob_key', 'is not', null)
      .groupBy('project_id')
      .orderBy('project_id')
      .execute();
    return rows.map(({ project_id, active, archived }) => ({
      projectId: project_id,
      active: BigInt(active),
      archived: BigInt(archived),
    }));
  }

  #matching({ billingGroup, from, before }: ChargeListing) {
    let query = this.#db.selectFrom('charges').where('billing_group', '=', billingGroup);
    if (from !== undefined) query = query.where('time_started', '>=', from);
    if (before !== undefined) query = query.where('time_started', '<', before);
    return query;
  }
}

export const chargesIn: (store: Store) => ChargeTable = table(({ db }) => new ChargeTable(db));
