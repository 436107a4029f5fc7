/** The site of nginx as src/service/operations/production has it, but for ports, paths and certificate. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PART_SIZE_MIN } from '../../src/contract/limits.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import { makeCertificate } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { mustRun } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';
import { TestService, type TestUser } from './test-service.ts';

const SITE = fileURLToPath(new URL('../../src/service/operations/production/nginx.conf', import.meta.url));

const directory = dirSync({ unsafeCleanup: true });
let service: TestService;
let nginx: BackgroundProcess;
let alice: TestUser;
let origin: string;
let ca: string;

beforeAll(async () => {
  service = await TestService.start({ trustedProxies: ['127.0.0.1'], accelRedirect: '/contents/' });
  alice = await service.user('alice');
  const port = await freePort();
  origin = `https://127.0.0.1:${port}`;
  const certificate = await makeCertificate(directory.name);
  ca = certificate.path;
  const site = (await readFile(SITE, 'utf8'))
    .replace(/ {4}server 127\.0\.0\.1:808\d;\n/g, '')
    .replace('least_conn;', `server ${new URL(service.url).host};`)
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace(/ {4}listen \[::\].*\n/, '')
    .replace('/etc/ssl/svcfs/fullchain.pem', certificate.path)
    .replace('/etc/ssl/svcfs/privkey.pem', certificate.keyPath)
    .replace('/var/lib/svcfs/', `${service.dataDir}/`);
  await mkdir(join(directory.name, 'temporary'));
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = join(directory.name, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; user root; pid ${join(directory.name, 'pid')}; events {}
    http { access_log off;
    ${kinds.map((kind) => `${kind}_temp_path ${join(directory.name, 'temporary', kind)};`).join('\n')}
    ${site} }`,
  );
  nginx = new BackgroundProcess('nginx', ['-c', file, '-e', join(directory.name, 'error.log')]);
  await waitUntil(
    () =>
      get('/').then(
        ({ status }) => status === 404,
        () => false,
      ),
    { what: 'nginx' },
  );
});
afterAll(async () => {
  await nginx?.end();
  await service?.stop();
  directory.removeCallback();
});

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** By curl: fetch takes no certificate. */
async function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Got> {
  const head = join(directory.name, 'head');
  const body = join(directory.name, 'body');
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  await mustRun('curl', ['-s', '--cacert', ca, '-D', head, '-o', body, ...given, `${origin}${path}`]);
  const [status = '', ...lines] = (await readFile(head, 'utf8')).trim().split('\r\n');
  const pairs = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
  return {
    status: Number(status.split(' ')[1]),
    headers: new Headers(pairs),
    body: await readFile(body).catch(() => Buffer.alloc(0)),
  };
}

const PIECES = [1, 2].map((seed) => Buffer.alloc(PART_SIZE_MIN + seed, seed));
const WHOLE = Buffer.concat(PIECES);

async function uploadedInParts(name: string): Promise<string> {
  const { root_folder } = await alice.project(name);
  const { upload_id } = (await alice.post('/upload/multipart', { parent: root_folder, name })).body;
  const parts = [];
  for (const [at, piece] of PIECES.entries()) parts.push(await alice.putPart(upload_id, at + 1, piece));
  const { id } = (await alice.post(`/upload/multipart/${upload_id}/complete`, { parts })).body;
  const { url } = (await alice.get(`/files/${id}/download_info`)).body;
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

async function joinParts(): Promise<void> {
  for await (const parted of service.services.blobs.parted?.(0) ?? []) {
    await parted.join(new AbortController().signal);
  }
}

test('what was sent in parts comes from the service until it is one file, and then from nginx, as the same', async () => {
  const path = await uploadedInParts('Both');
  const { stats } = service.services;
  stats.reset();
  const before = await get(path);
  expect(before.body.equals(WHOLE)).toBe(true);
  expect(stats.storageGetBytes).toBe(WHOLE.length);
  await joinParts();
  const after = await get(path);
  expect(after.body.equals(WHOLE)).toBe(true);
  expect(stats.storageGetBytes).toBe(WHOLE.length);
  expect(stats.storageGets).toBe(2);
  for (const name of ['etag', 'content-length', 'accept-ranges', 'content-type', 'cache-control']) {
    expect(after.headers.get(name), name).toBe(before.headers.get(name));
  }
  expect(after.headers.get('x-request-id')).toBeTruthy();
  const etag = before.headers.get('etag') ?? '';
  const range = { Range: `bytes=5-${PART_SIZE_MIN + 9}` };
  const part = await get(path, { ...range, 'If-Range': etag });
  expect([part.status, part.headers.get('content-range')]).toEqual([
    206,
    `bytes 5-${PART_SIZE_MIN + 9}/${WHOLE.length}`,
  ]);
  expect(part.body.equals(WHOLE.subarray(5, PART_SIZE_MIN + 10))).toBe(true);
  expect((await get(path, { ...range, 'If-Range': '"other"' })).status).toBe(200);
  expect(stats.storageGetBytes).toBe(WHOLE.length);
});

test('nginx gives nothing without the signature', async () => {
  const path = await uploadedInParts('Signed');
  await joinParts();
  const [plain = ''] = path.split('?');
  expect((await get(plain)).status).toBe(403);
  const key = plain.split('/').at(-1) ?? '';
  expect((await get(`/contents/${key.slice(0, 2)}/${key}`)).status).toBe(404);
});

test('a caller that comes past nginx gets the bytes from the service', async () => {
  const path = await uploadedInParts('Direct');
  await joinParts();
  const answer = await fetch(new URL(path, service.url));
  expect(Buffer.from(await answer.arrayBuffer()).equals(WHOLE)).toBe(true);
});
