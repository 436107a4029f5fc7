import { randomBytes } from 'node:crypto';
import {
  GetObjectAclCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { uploadsIn } from '../../src/service/uploads/upload-table.ts';
import { KMS_KEY, RARE_STORAGE_CLASS, RadosGateway, type StoreUser } from '../support/rados-gateway.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { md5, TestService, type TestUser } from './test-service.ts';
import { runToEnd } from './volume-world.ts';

const MIB = 1024 * 1024;

let gateway: RadosGateway;
/** Stands before the store, and sees all that the service and the clients ask of it. */
let store: RecordingProxy;
/** The store's users: the owner of the blobs, the owner of the volumes, and one that owns nothing. */
let platform: StoreUser;
let lab: StoreUser;
let labClient: S3Client;
let service: TestService;
let alice: TestUser;
let folder: string;
let made = 0;

beforeAll(async () => {
  gateway = await RadosGateway.start();
  store = await RecordingProxy.start(gateway.endpoint);
  platform = await gateway.createUser('platform');
  lab = await gateway.createUser('lab');
  labClient = gateway.client(lab);
  await gateway.createBucket(platform, 'blobs');
  vi.stubEnv('AWS_ACCESS_KEY_ID', platform.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', platform.secretAccessKey);
  service = await TestService.start({
    blobs: { bucket: 'blobs', prefix: 'svcfs', endpoint: store.url },
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
beforeEach(() => {
  store.requests.length = 0;
});

/** A bucket of the lab's, and what a volume says of it. */
async function labBucket(policy?: readonly object[]): Promise<string> {
  made += 1;
  const name = `lab-${made}`;
  await gateway.createBucket(lab, name);
  if (policy !== undefined) await putPolicy(name, policy);
  return name;
}

async function putPolicy(bucket: string, policy: readonly object[]): Promise<void> {
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement: policy });
  await labClient.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }));
}

/** Lets an account do some things in all buckets that the policy is on. */
function grant(user: string, ...actions: string[]): object {
  return {
    Effect: 'Allow',
    Principal: { AWS: [`arn:aws:iam:::user/${user}`] },
    Action: actions.map((action) => `s3:${action}`),
    Resource: ['arn:aws:s3:::*'],
  };
}

async function connect(bucket: string, over: object = {}, keys: StoreUser = lab) {
  made += 1;
  const credentials = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey };
  return alice.post('/storage/volumes', {
    name: `v${made}`,
    access_mode: 'RW',
    service: { type: 's3', bucket, endpoint: store.url, credentials, ...over },
  });
}

async function volumeOn(bucket: string, over: object = {}, keys: StoreUser = lab): Promise<string> {
  const { status, body } = await connect(bucket, over, keys);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

function exportTo(volume: string, file: FileResource, over: object = {}) {
  const destination = { volume, location: 'out/run.bam' };
  return runToEnd(alice, '/storage/exports', { source: { file: file.id }, destination, ...over });
}

async function objectOf(bucket: string, key = 'out/run.bam'): Promise<Buffer> {
  const { Body } = await labClient.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
}

/** Bytes of contents that the store and the service exchanged; answers of the API of the store are small. */
function bytesMoved(): number {
  return store.requests.reduce((sum, { sentBytes, receivedBytes }) => sum + sentBytes + receivedBytes, 0);
}

describe('uploads to S3', () => {
  it('go to the store by addresses of its own, and no byte through the service', async () => {
    service.services.stats.reset();
    const content = randomBytes(6 * MIB);
    const { body: upload } = await alice.post('/upload/multipart', { parent: folder, name: 'two-parts' });
    const parts = [
      await alice.putPart(upload.upload_id, 1, content.subarray(0, 5 * MIB)),
      await alice.putPart(upload.upload_id, 2, content.subarray(5 * MIB)),
    ];
    const { body: address } = await alice.get(`/upload/multipart/${upload.upload_id}/part/1`);
    expect(address.url).toMatch(new RegExp(`^${store.url}/blobs/svcfs/.*X-Amz-Signature=`));
    expect(address.url).not.toMatch(/checksum/i);
    const { body: file } = await alice.post(`/upload/multipart/${upload.upload_id}/complete`, { parts });
    expect(file).toMatchObject({ name: 'two-parts', size: content.length });
    const download = await alice.download(file.id);
    expect(download.url.startsWith(store.url)).toBe(true);
    expect(md5(Buffer.from(await download.arrayBuffer()))).toBe(md5(content));
    const range = await alice.download(file.id, { Range: `bytes=${5 * MIB - 2}-${5 * MIB + 1}` });
    expect(range.status).toBe(206);
    expect(Buffer.from(await range.arrayBuffer())).toEqual(content.subarray(5 * MIB - 2, 5 * MIB + 2));
    expect(service.services.stats).toMatchObject({ storagePutBytes: 0, storageGetBytes: 0 });
  });

  it('take a last part that is empty', async () => {
    const { body: upload } = await alice.post('/upload/multipart', { parent: folder, name: 'odd' });
    const parts = [
      await alice.putPart(upload.upload_id, 1, Buffer.alloc(5 * MIB + 1, 'x')),
      await alice.putPart(upload.upload_id, 2, ''),
    ];
    const { body } = await alice.post(`/upload/multipart/${upload.upload_id}/complete`, { parts });
    expect(body).toMatchObject({ size: 5 * MIB + 1 });
  });

  it('refuse the report of a part that was not sent, and list those reported', async () => {
    const { body: upload } = await alice.post('/upload/multipart', { parent: folder, name: 'reports' });
    const part = await alice.putPart(upload.upload_id, 1, 'one');
    const path = `/upload/multipart/${upload.upload_id}`;
    const wrong = { part_number: 1, response: { headers: { ETag: md5('another') } } };
    expect((await alice.post(`${path}/part`, wrong)).body).toMatchObject({ status: 400, code: 8014 });
    expect((await alice.get(`${path}?list_parts=true`)).body.parts).toEqual([]);
    await alice.post(`${path}/part`, part);
    expect((await alice.get(`${path}?list_parts=true`)).body.parts).toEqual([part]);
  });

  it('leave nothing in the store when they are aborted', async () => {
    const { body: upload } = await alice.post('/upload/multipart', { parent: folder, name: 'aborted' });
    await alice.putPart(upload.upload_id, 1, 'one');
    await alice.call('DELETE', `/upload/multipart/${upload.upload_id}`);
    const { Uploads = [] } = await gateway
      .client(platform)
      .send(new ListMultipartUploadsCommand({ Bucket: 'blobs' }));
    const target = await uploadsIn(service.services.store).targets();
    expect(Uploads.map(({ UploadId }) => UploadId).sort()).toEqual(
      target.map((each) => JSON.parse(each).multipartId).sort(),
    );
  });

  it('are refused by the store once their address has expired, and for another part or method', async () => {
    const { body: upload } = await alice.post('/upload/multipart', { parent: folder, name: 'signed' });
    const { body } = await alice.get(`/upload/multipart/${upload.upload_id}/part/1`);
    const changed = [
      body.url.replace('partNumber=1', 'partNumber=2'),
      body.url.replace('X-Amz-Expires=3600', 'X-Amz-Expires=7200'),
      body.url.replace(/X-Amz-Date=\d{8}/, 'X-Amz-Date=20200101'),
    ];
    for (const url of changed) {
      expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403);
    }
    expect((await fetch(body.url)).status).toBe(403);
  });

  it('in one call go to the store from here', async () => {
    const { status, body } = await alice.call('POST', `/upload/inline?parent=${folder}&name=small`, {
      body: 'a small file',
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    expect({ status, size: body.size }).toEqual({ status: 200, size: 12 });
    expect(await (await alice.download(body.id)).text()).toBe('a small file');
  });
});

describe('an export within one store', () => {
  it('is a copy by the store when the volume may read the blobs', async () => {
    const bucket = await labBucket();
    await gateway.client(platform).send(
      new PutBucketPolicyCommand({
        Bucket: 'blobs',
        Policy: JSON.stringify({ Version: '2012-10-17', Statement: [grant('lab', 'GetObject')] }),
      }),
    );
    const content = randomBytes(3 * MIB);
    const file = await alice.upload(folder, 'copied', content);
    const volume = await volumeOn(bucket);
    store.requests.length = 0;
    const job = await exportTo(volume, file);
    expect(job).toMatchObject({ state: 'COMPLETED', result: { storage: { type: 'VOLUME', volume } } });
    expect(bytesMoved()).toBeLessThan(100_000);
    expect(md5(await objectOf(bucket))).toBe(md5(content));
    await gateway.client(platform).send(
      new PutBucketPolicyCommand({
        Bucket: 'blobs',
        Policy: JSON.stringify({ Version: '2012-10-17', Statement: [grant('platform', 'GetObject')] }),
      }),
    );
  });

  it('is a copy by the store when the volume lets the platform put', async () => {
    const bucket = await labBucket([grant('platform', 'PutObject')]);
    const content = randomBytes(3 * MIB);
    const file = await alice.upload(folder, 'put-by-platform', content);
    const volume = await volumeOn(bucket);
    store.requests.length = 0;
    expect(await exportTo(volume, file)).toMatchObject({ state: 'COMPLETED' });
    expect(bytesMoved()).toBeLessThan(100_000);
    expect(md5(await objectOf(bucket))).toBe(md5(content));
  });

  it('passes the bytes on when neither may, and leaves no unfinished upload behind', async () => {
    const bucket = await labBucket();
    const content = randomBytes(3 * MIB);
    const file = await alice.upload(folder, 'streamed', content);
    const volume = await volumeOn(bucket);
    expect(await exportTo(volume, file)).toMatchObject({ state: 'COMPLETED' });
    expect(md5(await objectOf(bucket))).toBe(md5(content));
    const left = await labClient.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    expect(left.Uploads ?? []).toEqual([]);
  });

  it('leaves an alias that is read from the volume, and lets go of the content', async () => {
    const bucket = await labBucket();
    const file = await alice.upload(folder, 'alias', 'content of an alias');
    await exportTo(await volumeOn(bucket), file);
    const download = await alice.download(file.id);
    expect(download.url).toContain(`/${bucket}/out/run.bam?`);
    expect(await download.text()).toBe('content of an alias');
  });
});

describe('what an object is stored with', () => {
  const properties = {
    sse_algorithm: 'cloud:kms',
    sse_cloud_kms_key_id: KMS_KEY,
    cloud_canned_acl: 'public-read',
    cloud_storage_class: RARE_STORAGE_CLASS,
  };

  it.each([
    ['of an export', {}, properties],
    ['of its volume', properties, {}],
  ])('is the encryption, key, ACL and storage class %s', async (_of, ofVolume, ofExport) => {
    const bucket = await labBucket();
    const volume = await volumeOn(bucket, { properties: ofVolume });
    const file = await alice.upload(folder, `stored-with-${made}`, 'content');
    expect(await exportTo(volume, file, { properties: ofExport })).toMatchObject({ state: 'COMPLETED' });
    const at = { Bucket: bucket, Key: 'out/run.bam' };
    expect(await labClient.send(new HeadObjectCommand(at))).toMatchObject({
      ServerSideEncryption: 'aws:kms',
      SSEKMSKeyId: KMS_KEY,
      StorageClass: RARE_STORAGE_CLASS,
    });
    const { Grants = [] } = await labClient.send(new GetObjectAclCommand(at));
    expect(Grants.map(({ Permission }) => Permission)).toContain('READ');
    const { body } = await alice.get(`/storage/volumes/${volume}/list?prefix=out/&fields=_all`);
    expect(body.items[0].metadata).toMatchObject({
      size: 7,
      storageClass: RARE_STORAGE_CLASS,
      contentType: 'application/octet-stream',
      bucket,
      name: 'out/run.bam',
    });
  });

  it('is AES256 when nobody says anything', async () => {
    const bucket = await labBucket();
    const volume = await volumeOn(bucket);
    const file = await alice.upload(folder, 'default-encryption', 'content');
    store.requests.length = 0;
    await exportTo(volume, file);
    const asked = store.requests.map(({ headers }) => headers['x-amz-server-side-encryption']);
    expect(asked.filter((algorithm) => algorithm !== undefined)).toContain('AES256');
  });

  it('is not encrypted when null is asked for', async () => {
    const bucket = await labBucket();
    const volume = await volumeOn(bucket);
    const file = await alice.upload(folder, 'no-encryption', 'content');
    store.requests.length = 0;
    await exportTo(volume, file, { properties: { sse_algorithm: null } });
    const asked = store.requests.map(({ headers }) => headers['x-amz-server-side-encryption']);
    expect(asked.filter((algorithm) => algorithm !== undefined)).toEqual([]);
  });
});

describe('an import from S3', () => {
  it('makes an alias, and moves no content', async () => {
    const bucket = await labBucket();
    const content = randomBytes(MIB);
    await labClient.send(new PutObjectCommand({ Bucket: bucket, Key: 'in/ä b.txt', Body: content }));
    const volume = await volumeOn(bucket, { prefix: 'in' });
    store.requests.length = 0;
    const job = await runToEnd(alice, '/storage/imports', {
      source: { volume, location: 'ä b.txt' },
      destination: { parent: folder },
    });
    expect(job.result).toMatchObject({
      name: 'ä b.txt',
      size: MIB,
      storage: { volume, location: 'ä b.txt' },
    });
    expect(bytesMoved()).toBeLessThan(10_000);
    const download = await alice.download(job.result.id);
    expect(md5(Buffer.from(await download.arrayBuffer()))).toBe(md5(content));
  });
});

describe('a volume on S3 that cannot be used says why', () => {
  it('when it is made', async () => {
    const bucket = await labBucket();
    const foreign = await gateway.createUser('foreign');
    const code = async (answer: ReturnType<typeof connect>) => {
      const { status, body } = await answer;
      return [status, body.code];
    };
    expect(await code(connect('no-such-bucket'))).toEqual([404, 9200]);
    expect(await code(connect(bucket, {}, { ...lab, accessKeyId: 'NOBODY' }))).toEqual([403, 9201]);
    expect(await code(connect(bucket, {}, { ...lab, secretAccessKey: 'wrong' }))).toEqual([403, 9202]);
    expect(await code(connect(bucket, {}, foreign))).toEqual([403, 9204]);
    const role = { credentials: { role_arn: 'arn:aws:iam::1:role/r' } };
    expect(await code(connect(bucket, role))).toEqual([403, 9203]);
    expect(await code(connect(bucket, { endpoint: 'http://169.254.169.254' }))).toEqual([403, 9209]);
    expect(await code(connect(bucket, { endpoint: 'http://127.0.0.1:1' }))).toEqual([503, 9100]);
    expect(await code(connect(bucket))).toEqual([200, undefined]);
  });

  it('when it is used: no right to read, or to write', async () => {
    const guest = await gateway.createUser('guest');
    const writing = ['PutObject', 'AbortMultipartUpload'];
    const bucket = await labBucket([grant('guest', 'ListBucket', ...writing)]);
    await labClient.send(new PutObjectCommand({ Bucket: bucket, Key: 'secret.txt', Body: 'x' }));
    const volume = await volumeOn(bucket, {}, guest);
    const { body } = await alice.get(`/storage/volumes/${volume}/object?location=secret.txt`);
    expect(body).toMatchObject({ status: 403, code: 9205 });
    const readable = [grant('guest', 'ListBucket', 'GetObject')];
    const other = await labBucket(readable);
    const { status, body: refused } = await connect(other, {}, guest);
    expect([status, refused.code]).toEqual([403, 9206]);
    await putPolicy(other, [grant('guest', 'ListBucket', 'GetObject', ...writing)]);
    const writable = await volumeOn(other, {}, guest);
    await putPolicy(other, readable);
    const file = await alice.upload(folder, 'not-writable', 'x');
    const job = await exportTo(writable, file);
    expect(job).toMatchObject({ state: 'FAILED', error: { status: 403, code: 9206 } });
  });

  it('when it cannot store an object as asked', async () => {
    const volume = await volumeOn(await labBucket());
    const file = await alice.upload(folder, 'stored-badly', 'x');
    const codeWith = async (properties: object) => (await exportTo(volume, file, { properties })).error?.code;
    expect(await codeWith({ cloud_storage_class: 'GLACIER' })).toBe(9024);
    expect(await codeWith({ sse_algorithm: 'cloud:kms', sse_cloud_kms_key_id: 'no-such-key' })).toBe(9023);
    expect((await exportTo(volume, file, {})).state).toBe('COMPLETED');
    const other = await alice.upload(folder, 'stored-there', 'y');
    expect((await exportTo(volume, other)).error).toMatchObject({ status: 409, code: 9107 });
  });
});

it('tells no log a secret or a signed address', async () => {
  const bucket = await labBucket();
  const file = await alice.upload(folder, 'logged', 'content');
  await exportTo(await volumeOn(bucket), file);
  await alice.download(file.id);
  const text = JSON.stringify(service.logger.lines);
  expect(text).not.toMatch(/X-Amz-Signature/i);
  for (const { secretAccessKey } of [lab, platform]) expect(text).not.toContain(secretAccessKey);
});

it('keeps blobs under the prefix alone', async () => {
  const { Contents = [] } = await gateway
    .client(platform)
    .send(new ListObjectsV2Command({ Bucket: 'blobs' }));
  expect(Contents.length).toBeGreaterThan(0);
  expect(Contents.filter(({ Key }) => !Key?.startsWith('svcfs/'))).toEqual([]);
});

it('answers 503 while the store of the blobs is away, and goes on when it is back', async () => {
  const away = await RecordingProxy.start('http://127.0.0.1:1');
  const passing = await RecordingProxy.start(gateway.endpoint);
  const other = await TestService.start({
    blobs: { bucket: 'blobs', prefix: 'other', endpoint: passing.url },
  });
  const bob = await other.user('bob');
  const { root_folder: parent } = await bob.project('P');
  passing.target = new URL(away.url);
  const { status, body } = await bob.post('/upload/multipart', { parent, name: 'f' });
  expect({ status, code: body.code }).toEqual({ status: 503, code: 8000 });
  passing.target = new URL(gateway.endpoint);
  expect((await bob.upload(parent, 'f', 'content')).size).toBe(7);
  await other.stop();
  await Promise.all([passing.stop(), away.stop()]);
});

it('does not start where blobs cannot be kept', async () => {
  const blobs = { bucket: 'no-such-bucket', prefix: '', endpoint: gateway.endpoint };
  await expect(TestService.start({ blobs })).rejects.toThrow('there is no such bucket');
});
