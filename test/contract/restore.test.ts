/** Backups as PRODUCTION.md says: the database first, then the files, while callers are at work. */
import { execFile } from 'node:child_process';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { dirSync } from 'tmp';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServiceOptions } from '../../src/service/service-config.ts';
import { TestService, TestUser } from '../service/test-service.ts';
import { runToEnd, TestVolume } from '../service/volume-world.ts';
import { postgresBinaries } from '../support/postgres-databases.ts';
import { PostgresServer } from '../support/postgres-server.ts';

const run = promisify(execFile);
const PAGE = readFile(new URL('../../src/service/PRODUCTION.md', import.meta.url), 'utf8');
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function directory(): string {
  const made = dirSync({ prefix: 'svcfs-restore', unsafeCleanup: true });
  cleanups.push(() => made.removeCallback());
  return join(made.name, 'data');
}

/** The options of a command of the page. */
async function optionsOf(command: string): Promise<string[]> {
  const [, options = ''] = new RegExp(`${command} (-.*?) (/var/lib|backup)`).exec(await PAGE) ?? [];
  return options.replaceAll("'", '').split(' ');
}

async function start(options: Partial<ServiceOptions>): Promise<TestService> {
  const service = await TestService.start({ workers: true, ...options });
  cleanups.push(() => service.stop());
  return service;
}

interface Backup {
  dump(): Promise<void>;
  /** Options for a service on what was restored in that data directory. */
  restore(dataDir: string): Promise<Partial<ServiceOptions>>;
}

/** The restore has everything that was in the service when the backup began, whatever callers do meanwhile. */
async function backUpAndRestore(options: Partial<ServiceOptions>, backup: Backup): Promise<void> {
  const dataDir = options.dataDir ?? '';
  const restored = directory();
  const service = await start(options);
  const alice = await service.user('alice');
  const volume = await TestVolume.make(service, alice, { name: 'lab' });
  const { root_folder } = await alice.project('Kept');
  const kept = await alice.upload(root_folder, 'kept.txt', 'kept content');
  await alice.call('PATCH', `/files/${kept.id}`, { body: { metadata: { sample: 's1' }, tags: ['t'] } });
  const deleted = await alice.upload(root_folder, 'deleted.txt', 'deleted meanwhile');
  const exported = await alice.upload(root_folder, 'exported.txt', 'exported content');
  // Called as a file of the service's own is.
  const destination = { volume: volume.id, location: 'service.sqlite.txt' };
  await runToEnd(alice, '/storage/exports', { source: { file: exported.id }, destination });

  await backup.dump();
  await alice.call('DELETE', `/files/${deleted.id}`);
  const later = await alice.upload(root_folder, 'later.txt', 'after the dump');
  await run('rsync', [...(await optionsOf('rsync')), `${dataDir}/`, `${restored}/`]);
  await service.stop();
  cleanups.pop();
  await rm(dataDir, { recursive: true });

  const again = await start({ ...(await backup.restore(restored)), dataDir: restored });
  const same = new TestUser(again.url, 'alice', alice.token);
  expect((await same.get(`/files/${kept.id}`)).body).toMatchObject({
    metadata: { sample: 's1' },
    tags: ['t'],
  });
  for (const [file, content] of [
    [kept, 'kept content'],
    [deleted, 'deleted meanwhile'],
    [exported, 'exported content'],
  ] as const) {
    expect(await (await same.download(file.id)).text()).toBe(content);
  }
  expect((await same.get(`/files/${later.id}`)).status).toBe(404);
  const next = { source: { file: kept.id }, destination: { volume: volume.id, location: 'kept.txt' } };
  expect((await runToEnd(same, '/storage/exports', next)).state).toBe('COMPLETED');
}

describe('a backup taken while callers are at work', () => {
  test('of SQLite and a directory is restored whole', async () => {
    const dataDir = directory();
    const copy = `${dataDir}-backup.sqlite`;
    await backUpAndRestore(
      { dataDir },
      {
        dump: async () => {
          const database = new DatabaseSync(join(dataDir, 'service.sqlite'));
          database.exec(`vacuum into '${copy}'`);
          database.close();
        },
        restore: async (restored) => {
          await cp(copy, join(restored, 'service.sqlite'));
          return {};
        },
      },
    );
  });

  test('of PostgreSQL by pg_dump is restored whole', async () => {
    const server = await PostgresServer.start();
    cleanups.push(() => server.stop());
    const { databases } = server;
    await databases.query('postgres', 'create role svcfs login');
    // The service's account owns its database and nothing else.
    const create = async (): Promise<{ readonly name: string; readonly url: string }> => {
      const url = new URL(await databases.create());
      const name = url.pathname.slice(1);
      await databases.query('postgres', `alter database ${name} owner to svcfs`);
      url.searchParams.set('user', 'svcfs');
      return { name, url: url.href };
    };
    const { name, url: databaseUrl } = await create();
    const binaries = await postgresBinaries();
    const dataDir = directory();
    const dump = `${dataDir}.dump`;
    const secretKeys = { text: 'a1'.repeat(32), source: 'the test' };
    await backUpAndRestore(
      { dataDir, databaseUrl, secretKeys },
      {
        dump: async () => {
          await run(join(binaries, 'pg_dump'), ['-Fc', '-f', dump, databases.url(name)]);
        },
        restore: async () => {
          const empty = await create();
          const [d = '', , ...options] = await optionsOf('pg_restore');
          await run(join(binaries, 'pg_restore'), [d, databases.url(empty.name), ...options, dump]);
          return { databaseUrl: empty.url, secretKeys };
        },
      },
    );
  });
});
