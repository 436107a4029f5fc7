import { type Kysely, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import { likeLiteral } from '../store/like-literal.ts';
import type { PageRange, RowPage } from '../store/page-range.ts';
import type { AppRevisionsTable, AppsTable, Schema } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type AppRow = Selectable<AppsTable>;
export type AppRevisionRow = Selectable<AppRevisionsTable>;
/** A revision without its document. */
export type AppRevisionNote = Omit<AppRevisionRow, 'raw'>;

/** Which apps; filters add up. */
export interface AppListing {
  /** Those of a member's projects, or those that are public. */
  readonly visible: { readonly member: string } | 'public';
  readonly projectId?: string | undefined;
  readonly projectOwner?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Lower case; all of them. */
  readonly terms?: readonly string[] | undefined;
}

/** Apps and their revisions. */
export class AppTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** A new app with its revisions. */
  async insert(app: AppRow, revisions: readonly AppRevisionRow[]): Promise<void> {
    await this.#db.insertInto('apps').values(app).execute();
    await this.#db.insertInto('app_revisions').values(revisions).execute();
  }

  /** A further revision, with what it changes of the app. */
  async addRevision(revision: AppRevisionRow, changes: Updateable<AppsTable>): Promise<void> {
    await this.#db.insertInto('app_revisions').values(revision).execute();
    await this.update(revision.app_id, { ...changes, latest_revision: revision.revision });
  }

  async update(id: string, changes: Updateable<AppsTable>): Promise<void> {
    await this.#db.updateTable('apps').set(changes).where('id', '=', id).execute();
  }

  async find(id: string): Promise<AppRow | undefined> {
    return this.#db.selectFrom('apps').selectAll().where('id', '=', id).executeTakeFirst();
  }

  async revision(appId: string, revision: number): Promise<AppRevisionRow | undefined> {
    return this.#db
      .selectFrom('app_revisions')
      .selectAll()
      .where('app_id', '=', appId)
      .where('revision', '=', revision)
      .executeTakeFirst();
  }

  /** With their documents, oldest first. */
  async revisions(appId: string): Promise<AppRevisionRow[]> {
    return this.#db
      .selectFrom('app_revisions')
      .selectAll()
      .where('app_id', '=', appId)
      .orderBy('revision')
      .execute();
  }

  /** Without their documents, oldest first. */
  async revisionNotes(appId: string): Promise<AppRevisionNote[]> {
    return this.#db
      .selectFrom('app_revisions')
      .select(['app_id', 'revision', 'created_by', 'created_on', 'notes'])
      .where('app_id', '=', appId)
      .orderBy('revision')
      .execute();
  }

  /** Ordered by id. */
  async list(listing: AppListing, range: PageRange): Promise<RowPage<AppRow>> {
    const matching = this.#matching(listing);
    const rows = await matching
      .selectAll()
      .orderBy('apps.id')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
    return { rows, total: Number(total) };
  }

  #matching(listing: AppListing): SelectQueryBuilder<Schema, 'apps', unknown> {
    const { visible, projectId, projectOwner, ids, terms = [] } = listing;
    let query = this.#db.selectFrom('apps');
    if (visible === 'public') query = query.where('apps.is_public', '=', 1);
    else {
      query = query.where((eb) =>
        eb.exists(
          eb
            .selectFrom('project_members')
            .select('project_members.username')
            .whereRef('project_members.project_id', '=', 'apps.project_id')
            .where('project_members.username', '=', visible.member),
        ),
      );
    }
    if (projectId !== undefined) query = query.where('apps.project_id', '=', projectId);
    if (projectOwner !== undefined) {
      query = query.where((eb) =>
        eb.exists(
          eb
            .selectFrom('projects')
            .select('projects.id')
            .whereRef('projects.id', '=', 'apps.project_id')
            .where('projects.owner', '=', projectOwner),
        ),
      );
    }
    if (ids !== undefined) query = query.where('apps.id', 'in', ids);
    for (const term of terms) {
      query = query.where(sql`apps.search_text`, 'like', sql`${`%${likeLiteral(term)}%`} escape '\\'`);
    }
    return query;
  }
}

export const appsIn: (store: Store) => AppTable = table(({ db }) => new AppTable(db));
