import { type Kysely, type Selectable, type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { VolumePermissions } from '../../contract/volume.ts';
import type { PageRange, RowPage } from '../store/page-range.ts';
import type { Schema, VolumesTable } from '../store/schema.ts';
import { type Store, table } from '../store/store.ts';
import { permissionsOfMember } from './volume-member-table.ts';

export type VolumeRow = Selectable<VolumesTable>;
type SecretRow = Pick<VolumeRow, 'id' | 'secret'>;

/** A volume as one of its members sees it. */
export type MemberVolume = VolumeRow & { readonly permissions: VolumePermissions };

export class VolumeTable {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async insert(volume: VolumeRow): Promise<void> {
    await this.#db.insertInto('volumes').values(volume).execute();
  }

  async update(id: string, changes: Updateable<VolumesTable>): Promise<void> {
    await this.#db.updateTable('volumes').set(changes).where('id', '=', id).execute();
  }

  async delete(id: string): Promise<void> {
    await this.#db.deleteFrom('volumes').where('id', '=', id).execute();
  }

  async find(id: string): Promise<VolumeRow | undefined> {
    return this.#db.selectFrom('volumes').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Undefined when there is no such volume or the user is no member of it. */
  async findFor(username: string, id: string): Promise<MemberVolume | undefined> {
    const row = await this.#ofMember(username)
      .selectAll('volumes')
      .select(['can_read', 'can_copy', 'can_write', 'can_admin'])
      .where('volumes.id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { can_read, can_copy, can_write, can_admin, ...volume } = row;
    return { ...volume, permissions: permissionsOfMember({ can_read, can_copy, can_write, can_admin }) };
  }

  /** Volumes that a user is a member of, ordered by id. */
  async list(username: string, range: PageRange): Promise<RowPage<VolumeRow>> {
    const rows = await this.#ofMember(username)
      .selectAll('volumes')
      .orderBy('volumes.id')
      .limit(range.limit)
      .offset(range.offset)
      .execute();
    const { total } = await this.#ofMember(username)
      .select(sql<number>`count(*)`.as('total'))
      .executeTakeFirstOrThrow();
    return { rows, total: Number(total) };
  }

  /** The volumes on buckets of that name, in whatever store. */
  async ofBucket(bucket: string): Promise<Pick<VolumeRow, 'id' | 'service'>[]> {
    // The service is JSON as `JSON.stringify` writes it; a prefix could hold the same text, quoted another way.
    const field = `"bucket":${JSON.stringify(bucket)}`;
    return this.#db
      .selectFrom('volumes')
      .select(['id', 'service'])
      .where(sql`replace(service, ${field}, '')`, '<>', sql`service`)
      .execute();
  }

  /** The secrets of all volumes, as they are kept. */
  async secrets(): Promise<SecretRow[]> {
    return this.#db.selectFrom('volumes').select(['id', 'secret']).where('secret', 'is not', null).execute();
  }

  /** False when the row holds another secret by now. */
  async replaceSecret({ id, secret }: SecretRow, replacement: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('volumes')
      .set({ secret: replacement })
      .where('id', '=', id)
      .where('secret', '=', secret)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Whether any file is an alias of an object on the volume. */
  async hasAliases(id: string): Promise<boolean> {
    const alias = await this.#db
      .selectFrom('files')
      .select('id')
      .where('volume_id', '=', id)
      .limit(1)
      .executeTakeFirst();
    return alias !== undefined;
  }

  #ofMember(username: string): SelectQueryBuilder<Schema, 'volumes' | 'volume_members', unknown> {
    return this.#db
      .selectFrom('volumes')
      .innerJoin('volume_members', 'volume_members.volume_id', 'volumes.id')
      .where('volume_members.username', '=', username);
  }
}

export const volumesIn: (store: Store) => VolumeTable = table(({ db }) => new VolumeTable(db));
