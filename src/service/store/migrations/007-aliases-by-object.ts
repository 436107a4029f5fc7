import type { Kysely, Migration } from 'kysely';

/** The aliases of one object are found without reading all those of its volume. */
export function aliasesByObject(): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      const index = db.schema.createIndex('files_by_object').on('files');
      await index.columns(['volume_id', 'location']).execute();
      await db.schema.dropIndex('files_by_volume').execute();
    },
  };
}
