import { Kysely } from 'kysely';
import { AppStore } from '../apps/app-table.ts';
import { BillingGroupStore } from '../billing/billing-group-table.ts';
import { ChargeStore } from '../billing/charge-table.ts';
import { BlobGarbageStore } from '../files/tables/blob-garbage-table.ts';
import { FileBatchStore } from '../files/tables/file-batch-table.ts';
import { FileSearchStore } from '../files/tables/file-search-table.ts';
import { FileStore } from '../files/tables/file-table.ts';
import { ListingMemo } from '../files/tables/listing-memo.ts';
import { JobStore } from '../jobs/job-table.ts';
import { AuditStore } from '../operations/audit/audit-table.ts';
import { RateWindowStore } from '../operations/rate-limit/rate-window-table.ts';
import { LeaseStore } from '../operations/sweeping/lease-table.ts';
import { ProjectStore } from '../projects/project-table.ts';
import { TaskStore } from '../tasks/task-table.ts';
import { UploadStore } from '../uploads/upload-table.ts';
import { TokenStore } from '../users/token-table.ts';
import { UserStore } from '../users/user-table.ts';
import { VolumeMemberStore } from '../volumes/volume-member-table.ts';
import { VolumeStore } from '../volumes/volume-table.ts';
import type { DialectFeatures } from './dialect-features.ts';
import { hasAllMigrations, migrate } from './migrate.ts';
import { type Connections, demandUtf8, postgresDialect, postgresFeatures } from './postgres.ts';
import type { Schema } from './schema.ts';
import { sqliteChangeMark, sqliteDialect, sqliteFeatures } from './sqlite.ts';
import { runTransaction } from './transactions.ts';

/**
 * The database, one object per group of tables. Inside a transaction use only the store handed to it, and await nothing
 * but the database: with SQLite there is one connection, and everyone else waits for it.
 */
export class Store {
  readonly #db: Kysely<Schema>;
  readonly #features: DialectFeatures;
  readonly #settled: () => Promise<void>;
  /** Of the pool to PostgreSQL; undefined on SQLite, and inside a transaction. */
  readonly connections: () => Connections | undefined;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly audit: AuditStore;
  readonly rateWindows: RateWindowStore;
  readonly billingGroups: BillingGroupStore;
  readonly projects: ProjectStore;
  readonly files: FileStore;
  readonly fileBatches: FileBatchStore;
  readonly fileSearch: FileSearchStore;
  readonly uploads: UploadStore;
  readonly blobGarbage: BlobGarbageStore;
  readonly volumes: VolumeStore;
  readonly volumeMembers: VolumeMemberStore;
  readonly jobs: JobStore;
  readonly apps: AppStore;
  readonly tasks: TaskStore;
  readonly charges: ChargeStore;
  readonly leases: LeaseStore;

  constructor(
    db: Kysely<Schema>,
    features: DialectFeatures,
    beside: {
      readonly connections?: () => Connections;
      readonly memo?: ListingMemo;
      readonly settled?: () => Promise<void>;
    } = {},
  ) {
    this.#db = db;
    this.#features = features;
    this.#settled = beside.settled ?? (() => Promise.resolve());
    this.connections = beside.connections ?? (() => undefined);
    this.users = new UserStore(db);
    this.tokens = new TokenStore(db);
    this.audit = new AuditStore(db);
    this.rateWindows = new RateWindowStore(db);
    this.billingGroups = new BillingGroupStore(db);
    this.projects = new ProjectStore(db);
    this.files = new FileStore(db, beside.memo);
    this.fileBatches = new FileBatchStore(db);
    this.fileSearch = new FileSearchStore(db);
    this.uploads = new UploadStore(db);
    this.blobGarbage = new BlobGarbageStore(db);
    this.volumes = new VolumeStore(db);
    this.volumeMembers = new VolumeMemberStore(db);
    this.jobs = new JobStore(db, features);
    this.apps = new AppStore(db);
    this.tasks = new TaskStore(db);
    this.charges = new ChargeStore(db);
    this.leases = new LeaseStore(db);
  }

  /** All of `work` or nothing of it. `work` may be done again, and must have no effect but in the database. */
  async transaction<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
    const features = this.#features;
    return runTransaction({ db: this.#db, features }, (transaction) =>
      work(new Store(transaction, features)),
    );
  }

  /**
   * Resolves when everything that was read from the database is durable. Changes are so when they are answered; but they
   * can be read before. What leaves the process must not be taken back by a power failure.
   */
  async settled(): Promise<void> {
    await this.#settled();
  }

  /** Whether the database answers, and has every table and column that this service knows. */
  async isCurrent(): Promise<boolean> {
    return hasAllMigrations(this.#db, this.#features);
  }

  /** Removes from the files of the database what an update of volumes has overwritten. */
  async scrub(): Promise<void> {
    await this.#features.scrub(this.#db, 'volumes');
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }
}

/** Opens the SQLite database in `file`, making or migrating it as needed. */
export async function openSqliteStore(file: string): Promise<Store> {
  const dialect = await sqliteDialect(file);
  const db = new Kysely<Schema>({ dialect });
  return openStore(db, sqliteFeatures, () => {
    const memo = new ListingMemo(() => sqliteChangeMark(db));
    return new Store(db, sqliteFeatures, { memo, settled: () => dialect.settled() });
  });
}

/** Opens the PostgreSQL database of a connection URL, making or migrating the tables as needed. */
export async function openPostgresStore(url: string): Promise<Store> {
  const dialect = await postgresDialect(url);
  const db = new Kysely<Schema>({ dialect });
  return openStore(db, postgresFeatures, async () => {
    await demandUtf8(db);
    return new Store(db, postgresFeatures, { connections: () => dialect.connections() });
  });
}

async function openStore(
  db: Kysely<Schema>,
  features: DialectFeatures,
  open: () => Store | Promise<Store>,
): Promise<Store> {
  try {
    const store = await open();
    await features.alone(db, () => migrate(db, features));
    return store;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}
