import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { dirSync } from 'tmp';
import { describe, expect, test } from 'vitest';
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
  const plan = database
    .prepare(
      'explain query plan select id from files where parent_id = ? order by name, id limit 100 offset 50000',
    )
    .all('root')
    .map((row) => (row as { detail: string }).detail);
  database.close();
  await store.close();
  expect(plan).toEqual([expect.stringContaining('USING COVERING INDEX files_listing')]);
});
