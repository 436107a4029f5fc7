import { Kysely } from 'kysely';
import { AppStore } from './apps.ts';
import { BillingGroupStore } from './billing-groups.ts';
import { BlobGarbageStore } from './blob-garbage.ts';
import { FileStore } from './files.ts';
import { JobStore } from './jobs.ts';
import { migrate } from './migrate.ts';
import { ProjectStore } from './projects.ts';
import type { Schema } from './schema.ts';
import { sqliteDialect, sqliteFeatures } from './sqlite.ts';
import { TaskStore } from './tasks.ts';
import { TokenStore } from './tokens.ts';
import { UploadStore } from './uploads.ts';
import { UserStore } from './users.ts';
import { VolumeMemberStore } from './volume-members.ts';
import { VolumeStore } from './volumes.ts';

/**
 * The database, one object per group of tables. Inside a transaction use only the store handed to it, and await nothing
 * but the database: with SQLite there is one connection, and everyone else waits for it.
 */
export class Store {
  readonly #db: Kysely<Schema>;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly billingGroups: BillingGroupStore;
  readonly projects: ProjectStore;
  readonly files: FileStore;
  readonly uploads: UploadStore;
  readonly blobGarbage: BlobGarbageStore;
  readonly volumes: VolumeStore;
  readonly volumeMembers: VolumeMemberStore;
  readonly jobs: JobStore;
  readonly apps: AppStore;
  readonly tasks: TaskStore;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
    this.users = new UserStore(db);
    this.tokens = new TokenStore(db);
    this.billingGroups = new BillingGroupStore(db);
    this.projects = new ProjectStore(db);
    this.files = new FileStore(db);
    this.uploads = new UploadStore(db);
    this.blobGarbage = new BlobGarbageStore(db);
    this.volumes = new VolumeStore(db);
    this.volumeMembers = new VolumeMemberStore(db);
    this.jobs = new JobStore(db);
    this.apps = new AppStore(db);
    this.tasks = new TaskStore(db);
  }

  /** All of `work` or nothing of it. */
  async transaction<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
    return this.#db.transaction().execute((transaction) => work(new Store(transaction)));
  }

  async close(): Promise<void> {
    await this.#db.destroy();
  }
}

/** Opens the SQLite database in `file`, making or migrating it as needed. */
export async function openSqliteStore(file: string): Promise<Store> {
  const db = new Kysely<Schema>({ dialect: await sqliteDialect(file) });
  await migrate(db, sqliteFeatures);
  return new Store(db);
}
