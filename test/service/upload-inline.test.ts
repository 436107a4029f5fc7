import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { INLINE_SIZE_MAX } from '../../src/contract/limits.ts';
import { type Answer, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let root: string;
let projectId: string;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  const project = await alice.project('Inline');
  root = project.root_folder;
  projectId = project.id;
});
afterAll(() => service.stop());

async function inline(
  query: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Pick<Answer, 'status' | 'body'>> {
  const answer = await fetch(`${service.url}/upload/inline?${query}`, {
    method: 'POST',
    headers: {
      'X-SVC-Auth-Token': alice.token,
      'X-SVC-Advance-Access': 'advance',
      'Content-Type': 'application/octet-stream',
      ...headers,
    },
    body: body as Uint8Array<ArrayBuffer>,
  });
  return { status: answer.status, body: await answer.json() };
}

const header = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

test('makes a file in one call', async () => {
  const { status, body } = await inline(`parent=${root}&name=a.txt`, 'hello');
  expect(status).toBe(200);
  expect(body).toMatchObject({ name: 'a.txt', size: 5, parent: root, project: projectId, type: 'file' });
  expect(await (await alice.download(body.id)).text()).toBe('hello');
});

test('takes a project, and no bytes at all', async () => {
  expect((await inline(`project=${projectId}&name=empty`, '')).body).toMatchObject({ size: 0, parent: root });
});

test('takes metadata and tags in headers', async () => {
  const { body } = await inline(`parent=${root}&name=meta.txt`, 'x', {
    'X-SVC-Metadata': header({ sample: 'é', none: null }),
    'X-SVC-Tags': header(['t']),
  });
  expect(body).toMatchObject({ metadata: { sample: 'é' }, tags: ['t'] });
});

test.each([
  [{ 'X-SVC-Metadata': header({ k: 'x'.repeat(301) }) }, 5006],
  [{ 'X-SVC-Metadata': header(['x']) }, 5006],
  [{ 'X-SVC-Metadata': 'nonsense' }, 90000],
  [{ 'X-SVC-Tags': header({}) }, 90000],
  [{ 'Content-MD5': 'nonsense' }, 90000],
])('refuses the headers %j with %i and makes nothing', async (headers, code) => {
  expect((await inline(`parent=${root}&name=refused`, 'x', headers)).body.code).toBe(code);
  expect((await alice.get(`/files?parent=${root}&name=refused`)).body.items).toEqual([]);
});

const md5 = (bytes: string): string => createHash('md5').update(bytes).digest('base64');

test('takes bytes of the MD5 that comes with them, and refuses and forgets others with 8016', async () => {
  const sent = { 'Content-MD5': md5('as sent') };
  expect((await inline(`parent=${root}&name=checked`, 'as sent', sent)).status).toBe(200);
  const { body } = await inline(`parent=${root}&name=damaged`, 'as senT', sent);
  expect(body).toMatchObject({ status: 400, code: 8016 });
  expect((await alice.get(`/files?parent=${root}&name=damaged`)).body.items).toEqual([]);
});

test('refuses a taken name unless it may overwrite', async () => {
  const old = await inline(`parent=${root}&name=taken`, 'old');
  expect((await inline(`parent=${root}&name=taken`, 'new')).body).toMatchObject({ status: 409, code: 8005 });
  const { body } = await inline(`parent=${root}&name=taken&overwrite=true`, 'new');
  expect(body.id).not.toBe(old.body.id);
  expect((await alice.get(`/files/${old.body.id}`)).status).toBe(404);
});

test('refuses more than 8 MiB, announced or not, and leaves nothing behind', async () => {
  const big = new Uint8Array(INLINE_SIZE_MAX + 1);
  expect((await inline(`parent=${root}&name=big`, big)).body).toMatchObject({ status: 413, code: 90000 });
  const stream = new ReadableStream({
    start: (controller) => {
      for (let n = 0; n < 9; n += 1) controller.enqueue(new Uint8Array(1024 * 1024));
      controller.close();
    },
  });
  const answer = await fetch(`${service.url}/upload/inline?parent=${root}&name=big`, {
    method: 'POST',
    headers: { 'X-SVC-Auth-Token': alice.token, 'Content-Type': 'application/octet-stream' },
    body: stream,
    duplex: 'half',
  } as RequestInit);
  expect(answer.status).toBe(413);
  await answer.text();
  expect((await alice.get(`/files?parent=${root}&name=big`)).body.items).toEqual([]);
});

test('takes exactly 8 MiB', async () => {
  const { body } = await inline(`parent=${root}&name=limit`, new Uint8Array(INLINE_SIZE_MAX));
  expect(body.size).toBe(INLINE_SIZE_MAX);
});

test.each([
  ['name=x', 5029],
  ['parent=none&name=x', 5026],
  ['project=nonsense&name=x', 8010],
])('refuses %s with %i', async (query, code) => {
  expect((await inline(query, 'x')).body.code).toBe(code);
});

test('refuses another content type', async () => {
  const headers = { 'Content-Type': 'text/plain' };
  expect((await inline(`parent=${root}&name=text`, 'x', headers)).body).toMatchObject({ code: 90008 });
});
