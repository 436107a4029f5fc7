import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore } from '../../src/service/store/store.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { storeSuite } from './store-suite.ts';

let server: PostgresServer;
let url: string;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

storeSuite(() => ({
  open: async () => {
    url = await server.databases.create();
    return openPostgresStore(url);
  },
  reopen: () => openPostgresStore(url),
  clean: () => Promise.resolve(),
}));
