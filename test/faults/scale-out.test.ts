import { createHash } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import type { TestUser } from '../service/test-service.ts';
import type { BackgroundProcess } from '../support/background-process.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';
import { LEASE_SECONDS, ScaledService } from '../support/scaled-service.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
const PART_BYTES = 32 * MIB;
const EXPORTS = 8;

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.stop());

/** Two processes that answer calls and two that do jobs, with a person to call them. */
async function startFour(
  sandbox: Sandbox,
  rateLimit: string,
): Promise<{
  readonly users: readonly [TestUser, TestUser];
  readonly workers: readonly BackgroundProcess[];
  readonly service: ScaledService;
}> {
  const args = ['--rate-limit', rateLimit];
  const service = await ScaledService.make({ sandbox, database: server, args });
  const [[one, two], workers] = await Promise.all([service.startApis(2, 'alice'), service.startWorkers(2)]);
  if (one === undefined || two === undefined) throw new Error('two processes answer calls');
  return { users: [one, two], workers, service };
}

test('a worker killed in the middle of exports is taken over, and each of them happens once', async ({
  sandbox,
}) => {
  const { users, workers, service } = await startFour(sandbox, 'off');
  const [alice, elsewhere] = users;
  const content = Buffer.alloc(3 * PART_BYTES, 'some of the bytes ');
  const files = await uploadMany(alice, content);
  const volume = await makeVolume(alice);
  const jobs = await Promise.all(
    files.map(async (file, n) => {
      const destination = { volume, location: `out/${n}` };
      const at = n % 2 === 0 ? alice : elsewhere;
      return (await at.post('/storage/exports', { source: { file: file.id }, destination })).body
        .id as string;
    }),
  );
  const bucket = join(service.dataDir, 'buckets', 'bucket');
  const incoming = join(bucket, '.svcfs', 'incoming');
  const victim = await waitUntil(() => holderOf(workers, incoming), {
    what: 'an export at work',
    everyMs: 1,
  });
  victim.signal('SIGKILL');
  expect(await victim.exited()).toBe('SIGKILL');
  const leaseUntil = await service.query('select max(lease_until) from jobs');
  expect(Date.parse(leaseUntil.trim())).toBeLessThanOrEqual(Date.now() + LEASE_SECONDS * 1000);

  const ended = await Promise.all(jobs.map((job) => endOf(elsewhere, job)));
  expect(ended.map(({ state, error }) => error ?? state)).toEqual(Array(EXPORTS).fill('COMPLETED'));
  const takenOver = await service.query('select count(*) from jobs where attempts > 1');
  expect(Number(takenOver)).toBeGreaterThan(0);

  expect((await readdir(join(bucket, 'out'))).sort()).toEqual(files.map((_file, n) => `${n}`));
  for (const [n, file] of files.entries()) {
    expect(md5(await readFile(join(bucket, 'out', `${n}`)))).toBe(md5(content));
    const { body } = await elsewhere.get(`/files/${file.id}`);
    expect(body.storage).toMatchObject({ type: 'VOLUME', volume, location: `out/${n}` });
  }
  // The content that they all shared is let go of once, with the last of them.
  expect((await service.query('select count(*) from blob_garbage')).trim()).toBe('1');
});

test('the rate limit holds over all processes that answer', async ({ sandbox }) => {
  const { users } = await startFour(sandbox, '20/300');
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? users[0] : users[1]).get('/user')),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
});

/** Files that share one content, which is stored in parts: an export of it takes a while. */
async function uploadMany(user: TestUser, content: Buffer): Promise<FileResource[]> {
  const { root_folder: parent, id: project } = await user.project('P');
  const upload = { parent, name: 'file0', size: content.length, part_size: PART_BYTES };
  const { upload_id: id } = (await user.post('/upload/multipart', upload)).body;
  const parts = [];
  for (let n = 0; n * PART_BYTES < content.length; n += 1) {
    parts.push(await user.putPart(id, n + 1, content.subarray(n * PART_BYTES, (n + 1) * PART_BYTES)));
  }
  const first: FileResource = (await user.post(`/upload/multipart/${id}/complete`, { parts })).body;
  const files = [first];
  while (files.length < EXPORTS) {
    const copy = { project, name: `file${files.length}` };
    files.push((await user.post(`/files/${first.id}/actions/copy`, copy)).body);
  }
  return files;
}

async function makeVolume(user: TestUser): Promise<string> {
  const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
  const service = { type: 's3', bucket: 'bucket', credentials };
  return (await user.post('/storage/volumes', { name: 'volume', access_mode: 'RW', service })).body.id;
}

/** The process that has a file in the directory open. */
async function holderOf(
  processes: readonly BackgroundProcess[],
  directory: string,
): Promise<BackgroundProcess | undefined> {
  for (const each of processes) {
    const fds = await readdir(`/proc/${each.pid}/fd`);
    const paths = await Promise.all(fds.map((fd) => readlink(`/proc/${each.pid}/fd/${fd}`).catch(() => '')));
    if (paths.some((path) => path.startsWith(directory))) return each;
  }
  return undefined;
}

async function endOf(
  user: TestUser,
  job: string,
): Promise<{ readonly state: string; readonly error?: object }> {
  return waitUntil(
    async () => {
      const { body } = await user.get(`/storage/exports/${job}?wait=10`);
      return body.finished_on === undefined ? undefined : body;
    },
    { timeoutMs: 60_000 },
  );
}

function md5(content: Uint8Array): string {
  return createHash('md5').update(content).digest('hex');
}
