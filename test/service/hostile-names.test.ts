/** By no name is anything read or written but where it belongs. */
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceError } from '../../src/service/http/service-error.ts';
import { keyPath } from '../../src/service/storage/buckets/key-path.ts';
import { BucketError } from '../../src/service/storage/objects/bucket-error.ts';
import { volumeKey, volumeKeyPrefix } from '../../src/service/volumes/volume-key.ts';
import { TestService, type TestUser } from './test-service.ts';
import { ended, TestVolume } from './volume-world.ts';

const SENTINEL = 'kept out of reach';
const outside = dirSync({ prefix: 'svcfs-outside', unsafeCleanup: true });

let service: TestService;
let alice: TestUser;
let root: string;
let volume: TestVolume;
let count = 0;

beforeAll(async () => {
  const dataDir = join(outside.name, 'a', 'b', 'data');
  await mkdir(dataDir, { recursive: true });
  for (const path of ['secret.txt', 'a/secret.txt', 'a/b/secret.txt', 'a/b/data/secret.txt']) {
    await writeFile(join(outside.name, path), SENTINEL);
  }
  service = await TestService.start({ dataDir, workers: true });
  alice = await service.user('alice');
  root = (await alice.project('Hostile')).root_folder;
  const made = await TestVolume.make(service, alice, { name: 'volume' });
  volume = Object.assign(made, { directory: join(dataDir, 'buckets', 'volume') });
  await volume.lay('folder/object', 'content');
});
afterAll(async () => {
  await service.stop();
  outside.removeCallback();
});

/** Pieces that paths, URLs, shells and databases make something of. */
const piece = fc.constantFrom(
  '..',
  '.',
  '/',
  '//',
  '\\',
  '%2e%2e',
  '%2f',
  '%252f',
  '%00',
  '\0',
  '\n',
  ' ',
  '~',
  '$HOME',
  '..\\',
  '.svcfs',
  'secret.txt',
  'folder',
  'object',
  '\u202e',
  '\ud800',
  '．．',
  'é',
  'x'.repeat(256),
  '/etc/passwd',
  'file:///etc/passwd',
  "'; drop table files; --",
);
const hostile = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join('/')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

/** Every file there is, apart from those that make up the database. */
async function everyFile(): Promise<string[]> {
  const entries = await readdir(outside.name, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(outside.name, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !/^a\/b\/data\/service\.sqlite/.test(path));
}

/** Where the service may have files: keys, blobs and parts by their random names, and objects in their buckets. */
const ALLOWED = [
  /^a\/b\/data\/(signing-key|secret-key)$/,
  /^a\/b\/data\/storage\/uploads\/[0-9a-f]{24}\//,
  /^a\/b\/data\/storage\/blobs\/[0-9a-f]{2}\/[0-9a-f]{24}(\/|$)/,
  /^a\/b\/data\/buckets\/[A-Za-z0-9][A-Za-z0-9._-]*\//,
  /^(a\/)?(b\/)?(data\/)?secret\.txt$/,
];

async function expectNothingOutside(): Promise<void> {
  const strays = (await everyFile()).filter((path) => !ALLOWED.some((allowed) => allowed.test(path)));
  expect(strays).toEqual([]);
  for (const path of ['secret.txt', 'a/secret.txt', 'a/b/secret.txt', 'a/b/data/secret.txt']) {
    expect(await readFile(join(outside.name, path), 'utf8')).toBe(SENTINEL);
  }
}

const runs = { numRuns: 60 };

function inUrl(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

test('a key is a path below its bucket, or refused', () => {
  fc.assert(
    fc.property(hostile, hostile, (prefix, location) => {
      const bucket = '/data/buckets/b';
      try {
        const path = keyPath(bucket, volumeKey(prefix, location));
        expect(path.startsWith(`${bucket}/`)).toBe(true);
        expect(path.split('/')).not.toContain('..');
        expect(path.split('/')[4]).not.toBe('.svcfs');
      } catch (error) {
        expect(error instanceof BucketError || error instanceof ServiceError).toBe(true);
      }
    }),
    { numRuns: 5000 },
  );
});

test('what a listing looks for stays below the prefix of the volume', () => {
  fc.assert(
    fc.property(hostile, (location) => {
      try {
        const prefix = volumeKeyPrefix('shared/part', location);
        expect(prefix.startsWith('shared/part/')).toBe(true);
        expect(prefix.split('/').slice(0, -1)).not.toContain('..');
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    }),
    { numRuns: 5000 },
  );
});

test('files and folders may be called anything: it is no path', async () => {
  const check = async (name: string): Promise<void> => {
    count += 1;
    const parent = (await alice.folder(root, `folder ${count}`)).id;
    const answers = [
      await alice.post('/files', { name, type: 'folder', parent }),
      await alice.post('/upload/multipart', { name: `${name}.`, parent }),
      await alice.call('POST', `/upload/inline?parent=${parent}&name=${inUrl(name)}~`, {
        body: 'inline',
        headers: { 'Content-Type': 'application/octet-stream' },
      }),
    ];
    for (const { status } of answers) expect([200, 400, 409]).toContain(status);
    const { upload_id } = answers[1]?.body ?? {};
    if (upload_id !== undefined) {
      const part = await alice.putPart(upload_id, 1, 'content');
      const completed = await alice.post(`/upload/multipart/${upload_id}/complete`, { parts: [part] });
      expect(completed.body).toMatchObject({ name: `${name}.`, size: 7 });
      expect(await (await alice.download(completed.body.id)).text()).toBe('content');
    }
  };
  await fc.assert(fc.asyncProperty(hostile, check), runs);
  await expectNothingOutside();
}, 60_000);

test('locations on a volume lead to its objects and nowhere else', async () => {
  const { id: file } = await alice.upload(root, 'to export');
  const check = async (location: string): Promise<void> => {
    const query = inUrl(location);
    const url = `/storage/volumes/${volume.id}`;
    const found = await alice.get(`${url}/object?location=${query}`);
    const listed = await alice.get(`${url}/list?prefix=${query}`);
    const linked = await alice.get(`${url}/object/download_info?location=${query}`);
    for (const { status } of [found, listed, linked]) expect([200, 400, 404]).toContain(status);
    if (linked.status === 200) {
      expect(['content', 'to export']).toContain(await (await fetch(linked.body.url)).text());
    }
    count += 1;
    const exported = await alice.post('/storage/exports?copy_only=true', {
      source: { file },
      destination: { volume: volume.id, location },
      overwrite: true,
    });
    const imported = await alice.post('/storage/imports', {
      source: { volume: volume.id, location },
      destination: { parent: root, name: `import ${count}` },
    });
    for (const { status, body } of [exported, imported]) {
      expect([200, 400]).toContain(status);
      if (status === 200) expect((await ended(alice, body)).error?.code).not.toBe(90009);
    }
  };
  await fc.assert(fc.asyncProperty(hostile, check), runs);
  await expectNothingOutside();
}, 60_000);

test('buckets and prefixes of volumes do not leave the directory of buckets', async () => {
  const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
  const check = async (bucket: string, prefix: string): Promise<void> => {
    count += 1;
    const service_ = { type: 's3', bucket, prefix, credentials };
    const made = await alice.post('/storage/volumes', {
      name: `v${count}`,
      access_mode: 'RW',
      service: service_,
    });
    expect([200, 400, 403, 404]).toContain(made.status);
    if (made.status === 200)
      expect((await alice.get(`/storage/volumes/alice/v${count}/list`)).status).toBe(200);
  };
  await fc.assert(fc.asyncProperty(hostile, hostile, check), runs);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom('b', 'b.c', '..', '.', 'b..', '.svcfs'), hostile, check),
    runs,
  );
  await expectNothingOutside();
}, 60_000);

/** Asks for a path as it is: `fetch` would resolve dots first. */
async function rawGet(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const { hostname, port } = new URL(service.url);
  const headers = { 'X-SVC-Auth-Token': alice.token };
  const [answer] = (await once(get({ hostname, port, path, headers }), 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, text: Buffer.concat(await answer.toArray()).toString() };
}

test('ids and addresses that are made up lead nowhere', async () => {
  const check = async (id: string): Promise<void> => {
    const segment = inUrl(id).replaceAll('.', '%2E');
    for (const path of ['files', 'upload/multipart', 'storage/imports', 'tasks', 'billing/groups']) {
      expect([400, 404, 414]).toContain((await rawGet(`/v2/${path}/${segment}`)).status);
    }
    for (const path of ['blobs', 'parts', 'objects']) {
      const answer = await rawGet(`/storage/${path}/${segment}?expires=9999999999&signature=00`);
      expect([400, 403, 404, 405, 414]).toContain(answer.status);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      hostile.filter((id) => id !== ''),
      check,
    ),
    runs,
  );
  await expectNothingOutside();
}, 60_000);

test.each(['..%2fsecret.txt', '..%2f..%2fsecret.txt', '%2e%2e%2fsecret.txt', '..%2fsigning-key', '..'])(
  'even a signature does not make %s the key of a blob or upload',
  async (key) => {
    const { signer } = service.services;
    const read = await rawGet(signer.sign('GET', `/storage/blobs/${key}`, 60).url);
    expect(read.status).toBeGreaterThanOrEqual(400);
    expect(read.text).not.toContain(SENTINEL);
    const { origin } = new URL(service.url);
    const { url } = signer.sign('PUT', `/storage/parts/${key}/1`, 60);
    const written = await fetch(origin + url, { method: 'PUT', body: 'stray' });
    expect(written.status).toBeGreaterThanOrEqual(400);
    await expectNothingOutside();
  },
);
