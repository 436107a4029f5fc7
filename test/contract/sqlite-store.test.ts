import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { dirSync } from 'tmp';
import { describe, expect, test } from 'vitest';
import { pageOfIds } from '../../src/service/files/tables/page-of-files.ts';
import { openSqliteStore } from '../../src/service/store/store.ts';
import { runsStoreSuite } from './runs-store-suite.ts';
import { type StoreFixture, storeSuite } from './store-suite.ts';

let directory = dirSync({ unsafeCleanup: true });
const open = () => openSqliteStore(join(directory.name, 'db.sqlite'));

const fixture = (): StoreFixture => ({
  open,
  reopen: open,
  clean: async () => {
    directory.removeCallback();
    directory = dirSync({ unsafeCleanup: true });
  },
});

describe('files, projects and jobs', () => storeSuite(fixture));
describe('apps, tasks and charges', () => runsStoreSuite(fixture));

test('the ids of a page of a folder come from an index alone, already in order', async () => {
  const store = await open();
  const database = new DatabaseSync(join(directory.name, 'db.sqlite'));
  const compiler = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  const page = { offset: 50_000, limit: 100 };
  const query = pageOfIds(new Kysely({ dialect: compiler }), { parentId: 'root' }, page).compile();
  const plan = database
    .prepare(`explain query plan ${query.sql}`)
    .all(...(query.parameters as string[]))
    .map((row) => (row as { detail: string }).detail);
  database.close();
  await store.close();
  expect(plan).toEqual([expect.stringContaining('USING COVERING INDEX files_listing')]);
});
