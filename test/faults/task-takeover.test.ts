import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Operator } from '../../src/service/operator/operator.ts';
import { openServices } from '../../src/service/start-service.ts';
import { TaskWorld } from '../service/task-world.ts';
import { LinesLogger, SECRET_KEY, TestUser } from '../service/test-service.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import { freePort } from '../support/free-port.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { waitUntil } from '../support/wait-until.ts';
import { WesServer } from '../support/wes-server.ts';

/** One process that answers calls and one that runs tasks, as an operator starts them, which lose the latter. */
const MAIN = new URL('../../dist/cli/main.js', import.meta.url).pathname;
const WES_TOKEN = 'token';

let server: PostgresServer;
let wes: WesServer;
let dataDir: string;
let databaseUrl: string;
let world: TaskWorld;
let port: number;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  server = await PostgresServer.start();
  wes = await WesServer.start(WES_TOKEN);
});
afterAll(async () => {
  await wes.stop();
  await server.stop();
});

beforeEach(async () => {
  const directory = dirSync({ prefix: 'svcfs-takeover', unsafeCleanup: true });
  cleanups.push(async () => directory.removeCallback());
  dataDir = directory.name;
  databaseUrl = await server.databases.create();
  port = await freePort();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function serve(role: string, executor: readonly string[]): BackgroundProcess {
  const args = [
    '--role',
    role,
    '--data',
    dataDir,
    '--job-lease',
    '3',
    '--listen',
    `127.0.0.1:${port}`,
    '--executor',
    ...executor,
  ];
  const environment = {
    SVCFS_DATABASE: databaseUrl,
    SVCFS_SECRET_KEY: SECRET_KEY,
    SVCFS_WES_TOKEN: WES_TOKEN,
  };
  const process = new BackgroundProcess('node', [MAIN, 'serve', ...args], environment);
  cleanups.push(() => process.end());
  return process;
}

async function begin(executor: readonly string[]): Promise<BackgroundProcess> {
  const secretKeys = { text: SECRET_KEY, source: 'the test' };
  const services = await openServices({
    dataDir,
    databaseUrl,
    secretKeys,
    rateLimit: 'off',
    logger: new LinesLogger(),
  });
  const operator = new Operator(services);
  await operator.createUser('alice');
  const token = await operator.issueToken('alice');
  const group = await operator.createBillingGroup('alice', 'Funds');
  await services.store.close();
  const api = serve('api', executor);
  const [, url = ''] = await api.says(/listening on (\S+)/);
  const alice = new TestUser(url, 'alice', token);
  world = await TaskWorld.make(alice);
  await alice.call('PATCH', `/projects/${world.project}`, { body: { billing_group: group } });
  return worker(executor);
}

async function worker(executor: readonly string[]): Promise<BackgroundProcess> {
  const process = serve('worker', executor);
  await process.says(/working/);
  return process;
}

/** A tool that can be told among the processes of the machine while it runs. */
async function runSleeper(seconds: string): Promise<string> {
  const output = { id: 'made', type: 'File', outputBinding: { glob: 'made' } };
  const app = await world.script(`echo run > made; sleep ${seconds}`, { outputs: [output] });
  const id = await world.run(app);
  await waitUntil(async () => (await sleepers(seconds)) > 0, { timeoutMs: 30_000 });
  return id;
}

async function sleepers(seconds: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.filter((command) => command === `sleep\0${seconds}\0`).length;
}

async function completedOnce(id: string): Promise<void> {
  const task = await world.ended(id);
  expect([task.status, task.errors]).toEqual(['COMPLETED', []]);
  expect((await world.names()).sort()).toEqual(['__logs', 'made']);
  const [group] = (await world.user.get('/billing/groups')).body.items;
  const { body } = await world.user.get(`/billing/groups/${group.id}/breakdown`);
  expect(body.project_breakdown[0].task_breakdown).toHaveLength(1);
  expect(task.price).toMatchObject(body.total_spending);
  await waitUntil(async () => (await readdir(join(dataDir, 'tasks'))).length === 0);
}

test('a worker killed in the middle takes its tools along; another runs the task, which ends once', async () => {
  const seconds = `4.${Date.now()}`;
  const first = await begin(['cwltool']);
  const id = await runSleeper(seconds);
  first.signal('SIGKILL');
  await waitUntil(async () => (await sleepers(seconds)) === 0);
  await worker(['cwltool']);
  await completedOnce(id);
});

test('a worker that is told to end gives the task to the next one at once', async () => {
  const seconds = `3.${Date.now()}`;
  const first = await begin(['cwltool']);
  const id = await runSleeper(seconds);
  await first.end();
  expect(await sleepers(seconds)).toBe(0);
  expect((await world.task(id)).status).toBe('RUNNING');
  await worker(['cwltool']);
  await completedOnce(id);
});

test('a run on a cluster goes on while its worker is gone, and is found again', async () => {
  const seconds = `6.${Date.now()}`;
  const executor = ['wes', '--wes-url', wes.url, '--public-url', `http://127.0.0.1:${port}`];
  const first = await begin(executor);
  const id = await runSleeper(seconds);
  first.signal('SIGKILL');
  await worker(executor);
  await completedOnce(id);
  expect(wes.runs.size).toBe(1);
});
