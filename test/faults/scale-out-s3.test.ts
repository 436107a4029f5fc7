import { randomBytes } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { WRITER } from '../../src/service/storage/s3/object-headers.ts';
import { md5, type TestUser } from '../service/test-service.ts';
import { ended } from '../service/volume-world.ts';
import { Gate } from '../support/gate.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { RadosGateway, type StoreUser } from '../support/rados-gateway.ts';
import { type PassedRequest, RecordingProxy } from '../support/recording-proxy.ts';
import { test } from '../support/sandbox-test.ts';
import { ScaledService } from '../support/scaled-service.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
/** As many as two workers do at once. */
const EXPORTS = 8;
const EXPORTS_OF_A_WORKER = 4;

let database: PostgresServer;
let gateway: RadosGateway;
/** Stands before the store. */
let store: RecordingProxy;
let lab: StoreUser;
beforeAll(async () => {
  [database, gateway] = await Promise.all([PostgresServer.start(), RadosGateway.start()]);
  store = await RecordingProxy.start(gateway.endpoint);
  lab = await gateway.createUser('lab');
  await gateway.createBucket(lab, 'blobs');
  await gateway.createBucket(lab, 'results');
});
afterAll(async () => {
  await store?.stop();
  await gateway?.stop();
  await database?.stop();
});

test('on S3, without a shared file, a worker killed in the middle of exports is taken over, and each happens once', async ({
  sandbox,
}) => {
  const service = await ScaledService.make({
    sandbox,
    database,
    apart: true,
    args: [
      '--rate-limit',
      'off',
      '--blobs',
      's3://blobs/svcfs',
      '--s3-endpoint',
      store.url,
      '--allow-endpoint',
      '127.0.0.1',
    ],
    env: { AWS_ACCESS_KEY_ID: lab.accessKeyId, AWS_SECRET_ACCESS_KEY: lab.secretAccessKey },
  });
  const [[alice, elsewhere], [victim]] = await Promise.all([
    service.startApis(2, 'alice'),
    service.startWorkers(1),
  ]);
  if (alice === undefined || elsewhere === undefined || victim === undefined) throw new Error('not started');
  const content = randomBytes(11 * MIB);
  const files = await uploadMany([alice, elsewhere], content);
  const volume = await makeVolume(elsewhere);
  const copies = holdCopies();
  const jobs = await Promise.all(
    files.map((file, n) => submit(n % 2 === 0 ? alice : elsewhere, file, volume)),
  );
  await waitUntil(() => copies.held.length === EXPORTS_OF_A_WORKER, { what: 'copies of one worker' });
  await service.startWorkers(1);
  await waitUntil(() => copies.held.length === EXPORTS, { what: 'copies of both workers' });
  victim.signal('SIGKILL');
  expect(await victim.exited()).toBe('SIGKILL');
  // Of what the dead worker asked for the store does one half, and never heard of the other.
  copies.lose(copies.held.slice(0, EXPORTS_OF_A_WORKER / 2));
  copies.letPass();

  const done = await Promise.all(jobs.map((job) => ended(elsewhere, job)));
  expect(done.map(({ state, error }) => error ?? state)).toEqual(Array(EXPORTS).fill('COMPLETED'));
  const takenOver = Number(await service.query('select count(*) from jobs where attempts > 1'));
  expect(takenOver).toBe(EXPORTS_OF_A_WORKER);
  // Each was copied once, those that the store never heard of at the second attempt.
  expect(copies.held.length).toBe(EXPORTS + EXPORTS_OF_A_WORKER / 2);
  await expectObjects(jobs, content);
  for (const [n, file] of files.entries()) {
    const { body } = await alice.get(`/files/${file.id}`);
    expect(body.storage).toMatchObject({ type: 'VOLUME', volume, location: `out/${file.name}` });
    expect(done[n]?.result.id).toBe(file.id);
  }
  expect((await service.query('select count(*) from blob_garbage')).trim()).toBe('1');
  expect(bytesOfContents()).toBe(content.length);
});

/** Holds back the copies that the store is asked to make. */
function holdCopies() {
  const gate = new Gate();
  const held: PassedRequest[] = [];
  const lost = new Set<PassedRequest>();
  store.hold = async (request) => {
    if (request.headers['x-amz-copy-source'] === undefined) return;
    held.push(request);
    await gate.opened;
    if (lost.has(request)) throw new Error('lost');
  };
  return {
    held,
    lose: (requests: readonly PassedRequest[]) => {
      for (const request of requests) lost.add(request);
    },
    letPass: () => gate.open(),
  };
}

/** Files that share one content, sent in parts to the store through one process and the other. */
async function uploadMany(users: readonly TestUser[], content: Buffer): Promise<FileResource[]> {
  const [one, two = one] = users;
  if (one === undefined || two === undefined) throw new Error('nobody uploads');
  const { root_folder: parent, id: project } = await one.project('P');
  const { upload_id: id } = (await one.post('/upload/multipart', { parent, name: 'file0' })).body;
  const middle = 6 * MIB;
  const parts = [
    await one.putPart(id, 1, content.subarray(0, middle)),
    await two.putPart(id, 2, content.subarray(middle)),
  ];
  const first: FileResource = (await two.post(`/upload/multipart/${id}/complete`, { parts })).body;
  const files = [first];
  while (files.length < EXPORTS) {
    const copy = { project, name: `file${files.length}` };
    files.push((await one.post(`/files/${first.id}/actions/copy`, copy)).body);
  }
  return files;
}

async function makeVolume(user: TestUser): Promise<string> {
  const credentials = { access_key_id: lab.accessKeyId, secret_access_key: lab.secretAccessKey };
  const service = { type: 's3', bucket: 'results', endpoint: store.url, credentials };
  return (await user.post('/storage/volumes', { name: 'results', access_mode: 'RW', service })).body.id;
}

async function submit(user: TestUser, file: FileResource, volume: string) {
  const destination = { volume, location: `out/${file.name}` };
  return (await user.post('/storage/exports', { source: { file: file.id }, destination })).body;
}

/** In the bucket there is one object for each job, whole and the job's own. */
async function expectObjects(jobs: readonly { readonly id: string }[], content: Buffer): Promise<void> {
  const client = gateway.client(lab);
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: 'results' }));
  expect(Contents.map(({ Key }) => Key)).toEqual(jobs.map((_job, n) => `out/file${n}`));
  for (const [n, job] of jobs.entries()) {
    const at = { Bucket: 'results', Key: `out/file${n}` };
    expect((await client.send(new HeadObjectCommand(at))).Metadata).toMatchObject({ [WRITER]: job.id });
    const { Body } = await client.send(new GetObjectCommand(at));
    expect(md5((await Body?.transformToByteArray()) ?? '')).toBe(md5(content));
  }
}

/** The bytes that passed to and from the store, but for its own short answers. */
function bytesOfContents(): number {
  const bodies = store.requests.flatMap(({ sentBytes, receivedBytes }) => [sentBytes, receivedBytes]);
  return bodies.filter((bytes) => bytes > MIB).reduce((sum, bytes) => sum + bytes, 0);
}
