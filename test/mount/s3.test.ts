/** A mount of a service that keeps everything on S3: bytes go between the mount and the store. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { TestUser } from '../service/test-service.ts';
import { RadosGateway, type StoreUser } from '../support/rados-gateway.ts';
import { mustRun, shell } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';

const MIB = 1024 * 1024;

let gateway: RadosGateway;
let lab: StoreUser;
let sandbox: Sandbox;
let user: TestUser;
let credentials: Record<string, string>;

beforeAll(async () => {
  [gateway, sandbox] = await Promise.all([RadosGateway.start(), Sandbox.create()]);
  lab = await gateway.createUser('lab');
  credentials = { AWS_ACCESS_KEY_ID: lab.accessKeyId, AWS_SECRET_ACCESS_KEY: lab.secretAccessKey };
  await gateway.createBucket(lab, 'blobs');
  await gateway.createBucket(lab, 'results');
  const data = join(sandbox.root, 'service');
  const args = ['--demo', '--data', data, '--listen', '127.0.0.1:0', '--rate-limit', 'off'];
  args.push('--allow-endpoint', '127.0.0.1');
  const service = sandbox.start(['serve', ...args, ...blobsIn('blobs')], credentials);
  const [, url = ''] = await service.says(/^listening on (\S+)$/m);
  const token = (await readFile(join(data, 'demo-token'), 'utf8')).trim();
  user = new TestUser(url, 'demo', token);
  const keys = { access_key_id: lab.accessKeyId, secret_access_key: lab.secretAccessKey };
  const s3 = { type: 's3', bucket: 'results', endpoint: gateway.endpoint, credentials: keys };
  const volume = await user.post('/storage/volumes', { name: 's3', access_mode: 'RW', service: s3 });
  expect(volume.status).toBe(200);
  const env = { SVC_API_ENDPOINT: url, SVC_AUTH_TOKEN: token };
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint], { env });
  expect(mounted).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await sandbox?.clean();
  await gateway?.stop();
});

function blobsIn(bucket: string): string[] {
  return ['--blobs', `s3://${bucket}/svcfs`, '--s3-endpoint', gateway.endpoint];
}

const project = (...names: string[]): string => sandbox.path('projects', 'demo', 'rna-seq-study', ...names);
const volume = (...names: string[]): string => sandbox.path('volumes', 'demo', 's3', ...names);
const sum = async (path: string): Promise<string> => (await mustRun('md5sum', [path])).slice(0, 32);

test('demo content that lies on S3 reads as it should', async () => {
  const bams = (await mustRun('find', [project(), '-name', '*.bam'])).trim().split('\n');
  expect(bams.length).toBeGreaterThan(0);
  for (const bam of bams.slice(0, 2)) await mustRun('samtools', ['quickcheck', bam]);
});

test.each([
  ['nothing', 0],
  ['one part', 100_000],
  ['several parts', 40 * MIB + 1],
])('a file of %s comes back as it was written, also by a range', async (name, length) => {
  const local = join(sandbox.root, 'local');
  await writeFile(local, randomBytes(length));
  const remote = project(`${name}.bin`);
  await mustRun('cp', [local, remote]);
  expect(await sum(remote)).toBe(await sum(local));
  const tail = (path: string): Promise<string> =>
    shell('tail -c 1000 "$FILE" | md5sum', { env: { FILE: path } });
  expect(await tail(remote)).toBe(await tail(local));
});

test('a file moved to a volume is an object there, and is read from it by either name', async () => {
  const content = randomBytes(3 * MIB);
  await writeFile(project('moved.bin'), content);
  const before = await sum(project('moved.bin'));
  await mustRun('mv', [project('moved.bin'), volume('moved.bin')]);
  expect(await sum(volume('moved.bin'))).toBe(before);
  expect(await sum(project('moved.bin'))).toBe(before);
  const { Body } = await gateway
    .client(lab)
    .send(new GetObjectCommand({ Bucket: 'results', Key: 'moved.bin' }));
  expect(Buffer.from((await Body?.transformToByteArray()) ?? []).equals(content)).toBe(true);
});

test('an object of a volume is imported by a move', async () => {
  await mustRun('mv', [volume('moved.bin'), project('imported.bin')]);
  expect(await sum(project('imported.bin'))).toBe(await sum(volume('moved.bin')));
});

test('the service says in one line why it cannot start on a store', async () => {
  const dead = ['--blobs', 's3://blobs', '--s3-endpoint', 'http://127.0.0.1:1'];
  for (const [args, keys, reason] of [
    [blobsIn('nowhere'), credentials, 'bucket nowhere: there is no such bucket'],
    [blobsIn('blobs'), { ...credentials, AWS_SECRET_ACCESS_KEY: 'wrong' }, 'the secret key is not the one'],
    [dead, credentials, 'the store cannot be reached'],
  ] as const) {
    const data = join(sandbox.root, 'other');
    const { code, stderr } = await sandbox.svcfs(['serve', '--data', data, ...args], { env: keys });
    expect(stderr).toMatch(/^svcfs: .*\n$/);
    expect(stderr).toContain(reason);
    expect(code).toBe(EXIT_CODES.serviceFailed.code);
  }
});
