import { type Kysely, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { ProjectPermissions } from '../../contract/project.ts';
import { likeLiteral } from '../store/like-literal.ts';
import type { PageRange, RowPage } from '../store/page-range.ts';
import { PreparedQuery } from '../store/prepared-query.ts';
import type { Flag, ProjectMembersTable, ProjectsTable, Schema } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export type ProjectRow = Selectable<ProjectsTable>;

export interface ProjectListing {
  readonly member: string;
  readonly owner?: string | undefined;
  /** Part of the display name, without case. */
  readonly name?: string | undefined;
  /** All of these. */
  readonly tags?: readonly string[] | undefined;
  readonly category?: string | undefined;
}

/** A project as one of its members sees it. */
export type MemberProject = ProjectRow & { readonly permissions: ProjectPermissions };

export interface ProjectMemberRow {
  readonly username: string;
  readonly email: string;
  readonly permissions: ProjectPermissions;
}

export class ProjectTable {
  readonly #db: Kysely<Schema>;
  readonly #membership: PreparedQuery<
    { projectId: string; username: string },
    Selectable<ProjectMembersTable>
  >;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
    this.#membership = new PreparedQuery(db, (on, of) =>
      on
        .selectFrom('project_members')
        .selectAll()
        .where('project_id', '=', of('projectId'))
        .where('username', '=', of('username')),
    );
  }

  async insert(project: ProjectRow): Promise<void> {
    await this.#db.insertInto('projects').values(project).execute();
  }

  async update(id: string, changes: Updateable<ProjectsTable>): Promise<void> {
    await this.#db.updateTable('projects').set(changes).where('id', '=', id).execute();
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom('projects').where('id', '=', id).execute();
  }

  async find(id: string): Promise<ProjectRow | undefined> {
    return this.#db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Those there are of these, in no order. */
  async findMany(ids: readonly string[]): Promise<ProjectRow[]> {
    if (ids.length === 0) return [];
    return this.#db.selectFrom('projects').selectAll().where('id', 'in', ids).execute();
  }

  /** Undefined when there is no such project or the user is no member of it. */
  async findFor(username: string, id: string): Promise<MemberProject | undefined> {
    const row = await this.#memberProjects(username).where('projects.id', '=', id).executeTakeFirst();
    return row === undefined ? undefined : memberProject(row);
  }

  /** Ordered by id. */
  async list(listing: ProjectListing, range: PageRange): Promise<RowPage<MemberProject>> {
    const rows = await this.#matching(listing)
      .orderBy('projects.id')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await this.#matching(listing)
      .clearSelect()
      .select(sql<number>`count(*)`.as('total'))
      .executeTakeFirstOrThrow();
    return { rows: rows.map(memberProject), total: Number(total) };
  }

  /** The projects billed to a group, ordered by id. */
  async billedTo(billingGroup: string): Promise<ProjectRow[]> {
    return this.#db
      .selectFrom('projects')
      .selectAll()
      .where('billing_group', '=', billingGroup)
      .orderBy('id')
      .execute();
  }

  /** Which of these projects the user is a member of. */
  async joinedOf(username: string, projectIds: readonly string[]): Promise<Set<string>> {
    if (projectIds.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom('project_members')
      .select('project_id')
      .where('username', '=', username)
      .where('project_id', 'in', projectIds)
      .execute();
    return new Set(rows.map(({ project_id }) => project_id));
  }

  async permissionsOf(username: string, projectId: string): Promise<ProjectPermissions | undefined> {
    const row = await this.#membership.first({ projectId, username });
    return row === undefined ? undefined : permissionsOf(row);
  }

  /** Adds the member, or gives the one there is these permissions. */
  async setMember(projectId: string, username: string, permissions: ProjectPermissions): Promise<void> {
    const flags = flagsOf(permissions);
    await this.#db
      .insertInto('project_members')
      .values({ project_id: projectId, username, ...flags })
      .onConflict((conflict) => conflict.columns(['project_id', 'username']).doUpdateSet(flags))
      .execute();
  }

  async removeMember(projectId: string, username: string): Promise<void> {
    await this.#db
      .deleteFrom('project_members')
      .where('project_id', '=', projectId)
      .where('username', '=', username)
      .execute();
  }

  /** Ordered by user name. */
  async members(projectId: string, range: PageRange): Promise<RowPage<ProjectMemberRow>> {
    const rows = await this.#db
      .selectFrom('project_members')
      .innerJoin('users', 'users.username', 'project_members.username')
      .selectAll('project_members')
      .select('users.email')
      .where('project_id', '=', projectId)
      .orderBy('project_members.username')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await this.#db
      .selectFrom('project_members')
      .select(sql<number>`count(*)`.as('total'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    const members = rows.map((row) => ({
      username: row.username,
      email: row.email,
      permissions: permissionsOf(row),
    }));
    return { rows: members, total: Number(total) };
  }

  #memberProjects(username: string): MemberProjectQuery {
    return this.#db
      .selectFrom('projects')
      .innerJoin('project_members', 'project_members.project_id', 'projects.id')
      .selectAll('project_members')
      .selectAll('projects')
      .where('project_members.username', '=', username);
  }

  #matching({ member, owner, name, tags = [], category }: ProjectListing): MemberProjectQuery {
    let query = this.#memberProjects(member);
    if (owner !== undefined) query = query.where('projects.owner', '=', owner);
    if (category !== undefined) query = query.where('projects.category', '=', category);
    if (name !== undefined) {
      // As both databases do: of ASCII letters alone.
      const part = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      query = query.where(sql`lower(projects.name)`, 'like', sql`${`%${likeLiteral(part)}%`} escape '\\'`);
    }
    for (const tag of tags) {
      // Tags are a JSON array of strings: one of them is its own JSON text between the others. Not by `like`, which
      // SQLite does without case.
      query = query.where(sql`replace(projects.tags, ${JSON.stringify(tag)}, '')`, '<>', sql`projects.tags`);
    }
    return query;
  }
}

type MemberProjectQuery = SelectQueryBuilder<
  Schema,
  'projects' | 'project_members',
  Selectable<ProjectsTable> & Selectable<ProjectMembersTable>
>;

function memberProject(row: Selectable<ProjectsTable> & Selectable<ProjectMembersTable>): MemberProject {
  return { ...row, permissions: permissionsOf(row) };
}

function permissionsOf(
  row: Omit<Selectable<ProjectMembersTable>, 'project_id' | 'username'>,
): ProjectPermissions {
  return {
    read: row.can_read === 1,
    write: row.can_write === 1,
    copy: row.can_copy === 1,
    execute: row.can_execute === 1,
    admin: row.can_admin === 1,
  };
}

function flagsOf(
  permissions: ProjectPermissions,
): Omit<Selectable<ProjectMembersTable>, 'project_id' | 'username'> {
  const flag = (set: boolean): Flag => (set ? 1 : 0);
  return {
    can_read: flag(permissions.read),
    can_write: flag(permissions.write),
    can_copy: flag(permissions.copy),
    can_execute: flag(permissions.execute),
    can_admin: flag(permissions.admin),
  };
}

export const projectsIn: (store: Store) => ProjectTable = table(({ db }) => new ProjectTable(db));
