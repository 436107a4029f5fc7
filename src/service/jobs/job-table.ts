/**
 * Jobs, and the workers that work on them.
 *
 * A job is leased. A worker that takes one writes down its name and until when it answers for the job, and renews that
 * while it works. A lease that has run out means that the worker died or stands still; the next worker takes the job
 * over.
 *
 * A worker makes all its records under its lease, in one transaction with the changes of the job. So a worker that has
 * lost the lease without noticing cannot finish the job a second time.
 */
import { type ExpressionBuilder, type Kysely, type Selectable, sql } from 'kysely';
import type { DialectFeatures } from '../store/dialect-features.ts';
import type { PageRange, RowPage } from '../store/page-range.ts';
import type { JobsTable, Schema } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type JobRow = Selectable<JobsTable>;
export type JobKind = JobRow['kind'];

export interface JobListing {
  readonly createdBy: string;
  readonly kinds: readonly JobKind[];
  readonly projectId?: string | undefined;
  readonly volumeId?: string | undefined;
  readonly state?: string | undefined;
}

/** A worker's hold on a job. */
export interface Lease {
  readonly jobId: string;
  readonly worker: string;
}

/** The job is no longer this worker's: taken over after its lease ran out, or stopped. */
/** A failure as a job keeps it. */
export interface JobFailure {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';

  constructor({ jobId, worker }: Lease) {
    super(`worker ${worker} holds job ${jobId} no more`);
  }
}

type JobProgress = Partial<
  Pick<
    JobRow,
    'state' | 'started_on' | 'finished_on' | 'result' | 'error' | 'leased_by' | 'lease_until' | 'attempts'
  >
>;

export class JobTable {
  readonly #db: Kysely<Schema>;
  readonly #features: DialectFeatures;

  constructor(db: Kysely<Schema>, features: DialectFeatures) {
    this.#db = db;
    this.#features = features;
  }

  async insert(jobs: readonly JobRow[]): Promise<void> {
    if (jobs.length > 0) await this.#db.insertInto('jobs').values(jobs).execute();
  }

  /** The jobs there are of these, in no order. */
  async findMany(ids: readonly string[]): Promise<JobRow[]> {
    if (ids.length === 0) return [];
    return this.#db.selectFrom('jobs').selectAll().where('id', 'in', ids).execute();
  }

  /** Newest first. */
  async list(listing: JobListing, range: PageRange): Promise<RowPage<JobRow>> {
    const matching = this.#db
      .selectFrom('jobs')
      .where('created_by', '=', listing.createdBy)
      .where('kind', 'in', listing.kinds)
      .$if(listing.projectId !== undefined, (query) =>
        query.where('project_id', '=', listing.projectId ?? ''),
      )
      .$if(listing.volumeId !== undefined, (query) => query.where('volume_id', '=', listing.volumeId ?? ''))
      .$if(listing.state !== undefined, (query) => query.where('state', '=', listing.state ?? ''));
    const rows = await matching
      .selectAll()
      .orderBy('created_on', 'desc')
      .orderBy('id')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
    return { rows, total: Number(total) };
  }

  /** Takes the oldest job that waits or whose lease has run out; passes over one that another worker is taking. */
  async lease(
    worker: string,
    asked: { readonly now: string; readonly until: string; readonly kinds?: readonly JobKind[] },
  ): Promise<JobRow | undefined> {
    const { now, until, kinds } = asked;
    // As a single value, `next` is run once: inside `in` it could be run, and lock a row, for every job there is.
    const next = this.#db
      .selectFrom('jobs')
      .select('id')
      .where('state', 'in', OPEN_STATES)
      .$if(kinds !== undefined, (query) => query.where('kind', 'in', kinds ?? []))
      .where(isFree(now))
      .orderBy('created_on')
      .limit(1)
      .$if(this.#features.rowLocks, (query) => query.forUpdate().skipLocked());
    return this.#db
      .updateTable('jobs')
      .set((eb) => ({ leased_by: worker, lease_until: until, attempts: eb('attempts', '+', 1) }))
      .where('id', '=', next)
      .returningAll()
      .executeTakeFirst();
  }

  /**
   * Inside a transaction: keeps the lease until that ends. Others pass over the job, however long it takes, and a renewal
   * waits; it would else change the job under the transaction, which would have to give way to it. @throws LeaseLostError
   */
  async hold({ jobId, worker }: Lease): Promise<void> {
    const held = await this.#db
      .selectFrom('jobs')
      .select('id')
      .where('id', '=', jobId)
      .where('leased_by', '=', worker)
      .$if(this.#features.rowLocks, (query) => query.forUpdate())
      .executeTakeFirst();
    if (held === undefined) throw new LeaseLostError({ jobId, worker });
  }

  /** False when the lease is lost. */
  async renew(lease: Lease, until: string): Promise<boolean> {
    return this.#record(lease, { lease_until: until });
  }

  /** Records progress, or the end. @throws LeaseLostError */
  async record(lease: Lease, progress: JobProgress): Promise<void> {
    if (!(await this.#record(lease, progress))) throw new LeaseLostError(lease);
  }

  /** Ends the unfinished jobs of a volume, even those that a worker has, and answers their ids. */
  async stopForVolume(volumeId: string, end: JobProgress): Promise<string[]> {
    const rows = await this.#db
      .updateTable('jobs')
      .set({ ...end, leased_by: null, lease_until: null })
      .where('volume_id', '=', volumeId)
      .where('state', 'in', OPEN_STATES)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  /** Ends those of these jobs that no worker has begun, and answers their ids. */
  async cancelWaiting(ids: readonly string[], now: string): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db
      .updateTable('jobs')
      .set({ state: 'CANCELLED', finished_on: now, leased_by: null, lease_until: null })
      .where('id', 'in', ids)
      .where('state', '=', 'PENDING')
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  }

  async hasOpenForVolume(volumeId: string): Promise<boolean> {
    const job = await this.#db
      .selectFrom('jobs')
      .select('id')
      .where('volume_id', '=', volumeId)
      .where('state', 'in', OPEN_STATES)
      .limit(1)
      .executeTakeFirst();
    return job !== undefined;
  }

  /** Jobs that have not ended. */
  async countOpen(): Promise<{ kind: JobKind; state: string; count: number }[]> {
    const rows = await this.#db
      .selectFrom('jobs')
      .select(['kind', 'state', sql<number>`count(*)`.as('count')])
      .where('state', 'in', OPEN_STATES)
      .groupBy(['kind', 'state'])
      .execute();
    return rows.map((row) => ({ ...row, count: Number(row.count) }));
  }

  /** When the oldest job was submitted that no worker holds at `now`. */
  async oldestWaiting(now: string): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('jobs')
      .select('created_on')
      .where('state', 'in', OPEN_STATES)
      .where(isFree(now))
      .orderBy('created_on')
      .limit(1)
      .executeTakeFirst();
    return row?.created_on;
  }

  /** Forgets jobs of these kinds that ended before `time`. Answers how many. */
  async forgetEnded(kinds: readonly JobKind[], time: string): Promise<number> {
    const { numDeletedRows } = await this.#db
      .deleteFrom('jobs')
      .where('kind', 'in', kinds)
      .where('state', 'not in', OPEN_STATES)
      .where('finished_on', '<', time)
      .executeTakeFirst();
    return Number(numDeletedRows);
  }

  async #record({ jobId, worker }: Lease, progress: JobProgress): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('jobs')
      .set(progress)
      .where('id', '=', jobId)
      .where('leased_by', '=', worker)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }
}

/** States of every kind of job before its end. */
const OPEN_STATES = ['PENDING', 'SUBMITTED', 'RESOLVING', 'RUNNING'];

function isFree(now: string) {
  return (eb: ExpressionBuilder<Schema, 'jobs'>) =>
    eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]);
}

export const jobsIn: (store: Store) => JobTable = table(({ db, features }) => new JobTable(db, features));
