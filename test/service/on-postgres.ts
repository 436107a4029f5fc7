/**
 * Runs the tests of the service on PostgreSQL: one server for all of them, a database of its own for each service. A
 * database is a copy of one in which the tables are made already.
 */
import type { TestProject } from 'vitest/node';
import { openPostgresStore } from '../../src/service/store/store.ts';
import { PostgresServer } from '../support/postgres-server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the server's socket is. */
    readonly postgres: string;
  }
}

export const TEMPLATE = 'service';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await PostgresServer.start();
  const { databases } = server;
  await databases.query('postgres', `create database ${TEMPLATE}`);
  await (await openPostgresStore(databases.url(TEMPLATE))).close();
  project.provide('postgres', databases.socketDirectory);
  return () => server.stop();
}
