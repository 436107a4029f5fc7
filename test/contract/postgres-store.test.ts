import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pageOfIds } from '../../src/service/files/tables/page-of-files.ts';
import { connectionConfig } from '../../src/service/store/postgres.ts';
import { openPostgresStore } from '../../src/service/store/store.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { runsStoreSuite } from './runs-store-suite.ts';
import { type StoreFixture, storeSuite } from './store-suite.ts';

let server: PostgresServer;
let url: string;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

const fixture = (): StoreFixture => ({
  open: async () => {
    url = await server.databases.create();
    return openPostgresStore(url);
  },
  reopen: () => openPostgresStore(url),
  clean: () => Promise.resolve(),
});

describe('files, projects and jobs', () => storeSuite(fixture));
describe('apps, tasks and charges', () => runsStoreSuite(fixture));

test('the ids of a page of a folder come from an index alone, already in order', async () => {
  const database = await server.databases.create();
  await (await openPostgresStore(database)).close();
  const client = new pg.Client(connectionConfig(database));
  await client.connect();
  try {
    await client.query(MANY_FILES);
    await client.query('vacuum analyze files');
    const compiler = {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    };
    const page = { offset: 9000, limit: 100 };
    const query = pageOfIds(new Kysely({ dialect: compiler }), { parentId: 'root' }, page).compile();
    const { rows } = await client.query(`explain (costs off) ${query.sql}`, [...query.parameters]);
    expect(rows.map((row) => row['QUERY PLAN'])).toEqual([
      'Limit',
      '  ->  Index Only Scan using files_listing on files',
      "        Index Cond: (parent_id = 'root'::text)",
    ]);
  } finally {
    await client.end();
  }
});

/** A folder of 10,000 files beside one as large; rows are as wide as those of uploaded files. */
const MANY_FILES = `
  insert into users (username, email, profile, created_on) values ('alice', 'a@x', '{}', '');
  insert into projects (id, owner, short_name, name, description, tags, settings, category, root_folder, created_by,
    created_on, modified_on) values ('p', 'alice', 'p', 'P', '', '[]', '{}', '', 'root', 'alice', '', '');
  insert into files (id, project_id, parent_id, kind, name, size, created_by, created_on, modified_on, blob_key, etag)
    select left(md5(n::text), 24), 'p', case when n <= 10000 then 'root' else 'other' end, 'file', 'sample-' || n, 1,
      'alice', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', md5(n::text), md5(n::text)
    from generate_series(1, 20000) n;
`;
