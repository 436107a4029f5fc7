import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync, setGracefulCleanup } from 'tmp';
import { sqliteFile } from '../../src/service/open-store.ts';
import { openSqliteStore } from '../../src/service/store/store.ts';

let template: Promise<string> | undefined;

/** Lays a database of SQLite in which the tables are made already: to make them takes longer than most tests. */
export async function layMigratedDatabase(dataDir: string): Promise<void> {
  template ??= makeTemplate();
  await copyFile(await template, sqliteFile(dataDir));
}

async function makeTemplate(): Promise<string> {
  setGracefulCleanup();
  const file = join(dirSync({ prefix: 'svcfs-template', unsafeCleanup: true }).name, 'template.sqlite');
  await (await openSqliteStore(file)).close();
  return file;
}
