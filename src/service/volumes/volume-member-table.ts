import { type Kysely, type Selectable, sql } from 'kysely';
import type { VolumePermissions } from '../../contract/volume.ts';
import type { PageRange, RowPage } from '../store/page-range.ts';
import type { Flag, Schema, VolumeMembersTable } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';

export interface VolumeMemberRow {
  readonly username: string;
  readonly email: string;
  readonly permissions: VolumePermissions;
}

type MemberFlags = Omit<Selectable<VolumeMembersTable>, 'volume_id' | 'username'>;

/** The members of a volume and their permissions; its owner is a member too. */
export class VolumeMemberTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async find(volumeId: string, username: string): Promise<VolumeMemberRow | undefined> {
    const row = await this.#db
      .selectFrom('volume_members')
      .innerJoin('users', 'users.username', 'volume_members.username')
      .selectAll('volume_members')
      .select('users.email')
      .where('volume_id', '=', volumeId)
      .where('volume_members.username', '=', username)
      .executeTakeFirst();
    return row && { username, email: row.email, permissions: permissionsOfMember(row) };
  }

  /** Ordered by user name. */
  async list(volumeId: string, range: PageRange): Promise<RowPage<VolumeMemberRow>> {
    const rows = await this.#db
      .selectFrom('volume_members')
      .innerJoin('users', 'users.username', 'volume_members.username')
      .selectAll('volume_members')
      .select('users.email')
      .where('volume_id', '=', volumeId)
      .orderBy('volume_members.username')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await this.#db
      .selectFrom('volume_members')
      .select(sql<number>`count(*)`.as('total'))
      .where('volume_id', '=', volumeId)
      .executeTakeFirstOrThrow();
    const members = rows.map((row) => ({
      username: row.username,
      email: row.email,
      permissions: permissionsOfMember(row),
    }));
    return { rows: members, total: Number(total) };
  }

  /** Adds the member, or gives the one there is these permissions. */
  async set(volumeId: string, username: string, permissions: VolumePermissions): Promise<void> {
    const flag = (set: boolean): Flag => (set ? 1 : 0);
    const flags: MemberFlags = {
      can_read: flag(permissions.read),
      can_copy: flag(permissions.copy),
      can_write: flag(permissions.write),
      can_admin: flag(permissions.admin),
    };
    await this.#db
      .insertInto('volume_members')
      .values({ volume_id: volumeId, username, ...flags })
      .onConflict((conflict) => conflict.columns(['volume_id', 'username']).doUpdateSet(flags))
      .execute();
  }

  async remove(volumeId: string, username: string): Promise<void> {
    await this.#db
      .deleteFrom('volume_members')
      .where('volume_id', '=', volumeId)
      .where('username', '=', username)
      .execute();
  }
}

export function permissionsOfMember(row: MemberFlags): VolumePermissions {
  return {
    read: row.can_read === 1,
    copy: row.can_copy === 1,
    write: row.can_write === 1,
    admin: row.can_admin === 1,
  };
}

export const volumeMembersIn: (store: Store) => VolumeMemberTable = table(
  ({ db }) => new VolumeMemberTable(db),
);
