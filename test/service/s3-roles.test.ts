import { randomBytes } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RadosGateway, type StoreUser } from '../support/rados-gateway.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { md5, TestService, TestUser } from './test-service.ts';
import { runToEnd } from './volume-world.ts';

let gateway: RadosGateway;
let store: RecordingProxy;
/** The store's user that the service acts as, and the owner of the buckets. */
let platform: StoreUser;
let lab: StoreUser;
let service: TestService;
let alice: TestUser;
let folder: string;
let made = 0;

beforeAll(async () => {
  gateway = await RadosGateway.start({ roles: true });
  store = await RecordingProxy.start(gateway.endpoint);
  platform = await gateway.createUser('platform');
  lab = await gateway.createUser('lab');
  vi.stubEnv('AWS_ACCESS_KEY_ID', platform.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', platform.secretAccessKey);
  service = await TestService.start({
    stsEndpoint: store.url,
    allowedEndpoints: ['127.0.0.1'],
    workers: true,
  });
  alice = await service.user('alice');
  folder = (await alice.project('P')).root_folder;
});
afterAll(async () => {
  await service?.stop();
  await store?.stop();
  await gateway?.stop();
  vi.unstubAllEnvs();
});

/** A bucket of the lab's, and a role for it that a user of the store may take on. */
async function labBucket(user: string): Promise<{ readonly bucket: string; readonly role: string }> {
  made += 1;
  const bucket = `lab-${made}`;
  await gateway.createBucket(lab, bucket);
  return { bucket, role: await gateway.createRole(`role-${made}`, { user, buckets: bucket }) };
}

function connect(bucket: string, credentials: object) {
  made += 1;
  return alice.post('/storage/volumes', {
    name: `v${made}`,
    access_mode: 'RW',
    service: { type: 's3', bucket, endpoint: store.url, credentials },
  });
}

describe('a volume whose owner gives a role', () => {
  it('shows the role, but not the external id', async () => {
    const { bucket, role } = await labBucket('platform');
    const { status, body } = await connect(bucket, { role_arn: role, external_id: 'lab-7' });
    expect({ status, credentials: body.service?.credentials }).toEqual({
      status: 200,
      credentials: { role_arn: role },
    });
    expect(JSON.stringify((await alice.get(`/storage/volumes/${body.id}`)).body)).not.toContain('lab-7');
  });

  it('is read and written under it, and never with the keys of the platform', async () => {
    const { bucket, role } = await labBucket('platform');
    const content = randomBytes(1024 * 1024);
    await gateway.client(lab).send(new PutObjectCommand({ Bucket: bucket, Key: 'in.bam', Body: content }));
    const { body: volume } = await connect(bucket, { role_arn: role });
    const imported = await runToEnd(alice, '/storage/imports', {
      source: { volume: volume.id, location: 'in.bam' },
      destination: { parent: folder },
    });
    const download = await alice.download(imported.result.id);
    expect(md5(Buffer.from(await download.arrayBuffer()))).toBe(md5(content));
    const file = await alice.upload(folder, 'out.bam', content);
    const exported = await runToEnd(alice, '/storage/exports', {
      source: { file: file.id },
      destination: { volume: volume.id, location: 'out.bam' },
    });
    expect(exported).toMatchObject({ state: 'COMPLETED' });
    const again = await alice.download(file.id);
    expect(md5(Buffer.from(await again.arrayBuffer()))).toBe(md5(content));
    const asked = store.requests.filter(({ path }) => path.startsWith(`/${bucket}`));
    expect(asked.length).toBeGreaterThan(5);
    const tokens = asked.map(
      ({ path, headers }) =>
        headers['x-amz-security-token'] ?? new URL(path, store.url).searchParams.get('X-Amz-Security-Token'),
    );
    expect(tokens).not.toContain(null);
  });

  it('reaches no other bucket', async () => {
    const { role } = await labBucket('platform');
    const other = await labBucket('platform');
    const { body } = await connect(other.bucket, { role_arn: role });
    expect(body).toMatchObject({ status: 403, code: 9204 });
  });

  it('says when it is made that the role does not trust the service, and what to do', async () => {
    const { bucket, role } = await labBucket('lab');
    const { body } = await connect(bucket, { role_arn: role });
    expect(body).toMatchObject({ status: 403, code: 9203 });
    expect(body.message).toContain('trust policy');
    expect((await connect(bucket, { role_arn: `${role}-gone` })).body).toMatchObject({
      status: 403,
      code: 9203,
    });
  });

  it('may give a pair of keys later, or a role in place of one', async () => {
    const { bucket, role } = await labBucket('platform');
    const { body: volume } = await connect(bucket, { role_arn: role, external_id: 'lab-7' });
    const keys = { access_key_id: lab.accessKeyId, secret_access_key: lab.secretAccessKey };
    const edit = (credentials: object) =>
      alice.call('PATCH', `/storage/volumes/${volume.id}`, { body: { service: { credentials } } });
    expect((await edit(keys)).body.service.credentials).toEqual({ access_key_id: lab.accessKeyId });
    expect((await edit({ role_arn: role })).body.service.credentials).toEqual({ role_arn: role });
    expect((await alice.get(`/storage/volumes/${volume.id}/list`)).status).toBe(200);
  });

  it('says when it is used that the role is gone', async () => {
    const { bucket, role } = await labBucket('platform');
    await gateway.client(lab).send(new PutObjectCommand({ Bucket: bucket, Key: 'in.txt', Body: 'x' }));
    const { body: volume } = await connect(bucket, { role_arn: role });
    const { result: file } = await runToEnd(alice, '/storage/imports', {
      source: { volume: volume.id, location: 'in.txt' },
      destination: { parent: folder },
    });
    await gateway.withdrawRole(role.slice(role.lastIndexOf('/') + 1));
    // Another process on the same data, which has no session yet.
    const other = await TestService.start({
      dataDir: service.dataDir,
      stsEndpoint: store.url,
      allowedEndpoints: ['127.0.0.1'],
    });
    const there = new TestUser(other.url, 'alice', await other.operator.issueToken('alice'));
    for (const path of [`/storage/volumes/${volume.id}/list`, `/files/${file.id}/download_info`]) {
      expect((await there.get(path)).body).toMatchObject({ status: 403, code: 9203 });
    }
    await other.stop();
  });
});
