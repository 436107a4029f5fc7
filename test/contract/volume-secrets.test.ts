/** A thief of the database, of either kind, finds no secret in it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceOptions } from '../../src/service/service-config.ts';
import { openPostgresStore, openSqliteStore, type Store } from '../../src/service/store/store.ts';
import { volumesIn } from '../../src/service/volumes/volume-table.ts';
import { TestService } from '../service/test-service.ts';
import { postgresBinaries } from '../support/postgres-databases.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { mustRun } from '../support/run.ts';

const SECRETS = ['first-secret-of-the-volume', 'second-secret-of-the-volume', 'third-secret-of-the-volume'];

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

interface Place {
  readonly options: Partial<ServiceOptions> & { readonly dataDir: string };
  readonly openStore: () => Promise<Store>;
  /** Every byte that is kept. */
  readonly dump: () => Promise<string>;
}

function dataDirectory(): string {
  const { name, removeCallback } = dirSync({ prefix: 'svcfs-secrets', unsafeCleanup: true });
  onTestFinished(() => removeCallback());
  return name;
}

async function sqlite(): Promise<Place> {
  const dataDir = dataDirectory();
  return {
    options: { dataDir, databaseUrl: undefined, secretKeys: undefined },
    openStore: () => openSqliteStore(join(dataDir, 'service.sqlite')),
    dump: async () => {
      const names = (await readdir(dataDir)).filter((name) => name.startsWith('service.sqlite'));
      return (await Promise.all(names.map((name) => readFile(join(dataDir, name), 'latin1')))).join('');
    },
  };
}

async function postgres(): Promise<Place> {
  const databaseUrl = await server.databases.create();
  const binaries = await postgresBinaries();
  return {
    options: { dataDir: dataDirectory(), databaseUrl },
    openStore: () => openPostgresStore(databaseUrl),
    dump: () => mustRun(join(binaries, 'pg_dump'), [databaseUrl], { cwd: '/' }),
  };
}

const volume = (name: string, secret_access_key: string) => ({
  name,
  access_mode: 'RW',
  service: { type: 's3', bucket: name, credentials: { access_key_id: 'shown-key-id', secret_access_key } },
});

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
])('on %s', (_, place) => {
  test('the database holds no secret of a volume that was made or edited', async () => {
    const { options, dump } = await place();
    const service = await TestService.start(options);
    const alice = await service.user('alice');
    await alice.post('/storage/volumes', volume('one', SECRETS[0] ?? ''));
    await alice.post('/storage/volumes', volume('two', SECRETS[1] ?? ''));
    const answers = [
      await alice.get('/storage/volumes?fields=_all'),
      await alice.get('/storage/volumes/alice/one?fields=_all'),
      await alice.call('PATCH', '/storage/volumes/alice/one', { body: { description: 'd' } }),
    ];
    const wrong = { service: { credentials: { secret_access_key: SECRETS[2] } } };
    expect((await alice.call('PATCH', '/storage/volumes/alice/one', { body: wrong })).body.code).toBe(9202);
    await service.services.auditTrail.written();
    const open = await dump();
    await service.stop();
    const closed = await dump();
    for (const kept of [open, closed]) {
      expect(kept).toContain('shown-key-id');
      expect(kept).toContain('aes-256-gcm:');
      for (const secret of SECRETS) expect(kept).not.toContain(secret);
    }
    for (const secret of SECRETS) expect(JSON.stringify(answers)).not.toContain(secret);
    expect(JSON.stringify(service.logger.lines)).not.toContain('secret-of-the-volume');
  });

  test('secrets kept in the clear by an earlier version are encrypted at the next start, and leave no trace', async () => {
    const { options, openStore, dump } = await place();
    const before = await TestService.start(options);
    const alice = await before.user('alice');
    await alice.post('/storage/volumes', volume('one', SECRETS[0] ?? ''));
    await before.stop();
    const store = await openStore();
    await volumesIn(store).update('alice/one', { secret: JSON.stringify({ secret_access_key: SECRETS[0] }) });
    await store.close();
    expect(await dump()).toContain(SECRETS[0]);
    const after = await TestService.start(options);
    expect(await dump()).not.toContain(SECRETS[0]);
    const row = await volumesIn(after.services.store).find('alice/one');
    expect(row && (await after.services.volumeSecrets.open(row))).toEqual({ secret_access_key: SECRETS[0] });
    await after.stop();
    expect(await dump()).not.toContain(SECRETS[0]);
  });
});

test('without a key a service on a shared database does not start, and says what it needs', async () => {
  const { options } = await postgres();
  const starting = TestService.start({ ...options, secretKeys: undefined });
  await expect(starting).rejects.toThrow('--secret-key-file, or SVCFS_SECRET_KEY');
});
