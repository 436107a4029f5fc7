import { dirSync } from 'tmp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openPostgresStore } from '../../src/service/store/store.ts';
import { TestService, TestUser } from '../service/test-service.ts';
import { TestVolume } from '../service/volume-world.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { waitUntil } from '../support/wait-until.ts';

let server: PostgresServer;
const services: TestService[] = [];
const directories: (() => void)[] = [];

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  for (const remove of directories.splice(0)) remove();
});
afterAll(() => server.stop());

/** Services as separate processes would run them: on one database and one data directory, with nothing else in common. */
async function startTwo(
  options: readonly [Parameters<typeof TestService.start>[0], Parameters<typeof TestService.start>[0]],
): Promise<[TestService, TestService]> {
  const directory = dirSync({ prefix: 'svcfs-shared', unsafeCleanup: true });
  directories.push(() => directory.removeCallback());
  const shared = { databaseUrl: await server.databases.create(), dataDir: directory.name };
  // Both at once: each finds an empty database and wants to make the tables.
  const started = await Promise.all(options.map((own) => TestService.start({ ...shared, ...own })));
  services.push(...started);
  return started as [TestService, TestService];
}

test('a token revoked, or a user disabled, in one process is refused by all with the next call', async () => {
  const [one, other] = await startTwo([{}, {}]);
  const alice = await one.user('alice');
  const bob = await one.user('bob');
  for (const user of [alice, bob]) expect((await at(other, user).get('/user')).status).toBe(200);
  await one.operator.revokeToken(alice.token);
  await one.operator.setDisabled('bob', true);
  for (const user of [alice, bob]) {
    expect((await at(other, user).get('/user')).body).toMatchObject({ status: 401, code: 90001 });
  }
  await other.operator.setDisabled('bob', false);
  expect((await bob.get('/user')).status).toBe(200);
});

const at = (service: TestService, user: TestUser): TestUser =>
  new TestUser(service.url, user.username, user.token);

async function exportFile(service: TestService, user: TestUser): Promise<string> {
  const volume = await TestVolume.make(service, user, { name: 'volume' });
  const { root_folder } = await user.project('P');
  const file = await user.upload(root_folder, 'f');
  const { body } = await user.post('/storage/exports', {
    source: { file: file.id },
    destination: { volume: volume.id, location: 'f' },
  });
  return body.id;
}

test('a job submitted to one process starts in another, and who waits hears of its end, without polling', async () => {
  // Time stands still: no poll comes round.
  const clock = new FakeClock(Date.now());
  const [api, worker] = await startTwo([
    { workers: false, clock },
    { workers: true, clock },
  ]);
  const alice = await api.user('alice');
  const job = await exportFile(api, alice);
  const ended = async (): Promise<boolean> => {
    const { body } = await at(worker, alice).get(`/storage/exports/${job}`);
    return body.state === 'COMPLETED';
  };
  const waiting = alice.get(`/storage/exports/${job}?wait=30`);
  await waitUntil(ended);
  expect(['RUNNING', 'COMPLETED']).toContain((await waiting).body.state);
});

test('processes count requests together', async () => {
  const rateLimit = { requests: 10, seconds: 300 };
  const [one, two] = await startTwo([{ rateLimit }, { rateLimit }]);
  const alice = await one.user('alice');
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) => at(n % 2 === 0 ? one : two, alice).get('/user')),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array(10).fill(200), ...Array(6).fill(429)]);
  const remaining = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  expect(Math.min(...remaining)).toBe(0);
  expect(new Set(answers.map(({ headers }) => headers.get('x-ratelimit-reset'))).size).toBe(1);
});

test('a name is taken once, whichever processes are asked for it at the same time', async () => {
  const [one, two] = await startTwo([{}, {}]);
  const alice = await one.user('alice');
  const { root_folder } = await alice.project('P');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      at(n % 2 === 0 ? one : two, alice).post('/files', {
        name: 'same',
        type: 'folder',
        parent: root_folder,
      }),
    ),
  );
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
});

test('while the database is away calls are refused as "too busy"; when it is back all goes on', async () => {
  const own = await PostgresServer.start();
  const service = await TestService.start({ databaseUrl: await own.databases.create(), workers: true });
  try {
    const alice = await service.user('alice');
    await own.pause();
    const refused = await alice.get('/user');
    expect([refused.status, refused.body.code]).toEqual([503, 90005]);
    await own.resume();
    expect((await alice.get('/user')).status).toBe(200);
    const job = await exportFile(service, alice);
    await waitUntil(async () => (await alice.get(`/storage/exports/${job}`)).body.state === 'COMPLETED');
  } finally {
    await service.stop();
    await own.stop();
  }
});

test('a database that cannot hold every name is refused', async () => {
  await server.databases.query(
    'postgres',
    "create database latin encoding 'LATIN1' locale 'C' template template0",
  );
  await expect(openPostgresStore(server.databases.url('latin'))).rejects.toThrow('encoding UTF8, not LATIN1');
});

test('why the tables cannot be made is told', async () => {
  const url = new URL(await server.databases.create());
  await server.databases.query('postgres', 'create role stranger login');
  url.searchParams.set('user', 'stranger');
  await expect(openPostgresStore(url.href)).rejects.toThrow(
    'the database cannot be migrated: permission denied for schema public',
  );
});
