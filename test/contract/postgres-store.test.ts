import { afterAll, beforeAll, describe } from 'vitest';
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
