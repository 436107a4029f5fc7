import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  OBJECT_SIZE_MAX,
  PART_COUNT_MAX,
  PART_SIZE_DEFAULT,
  PART_SIZE_MIN,
} from '../../src/contract/limits.ts';
import { beforeNextSync } from '../support/before-next-sync.ts';
import { interrupted } from './interrupted.ts';
import { type Answer, md5, TestService, type TestUser } from './test-service.ts';

let service: TestService;

let alice: TestUser;

let root: string;

let projectId: string;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  const project = await alice.project('Uploads');
  root = project.root_folder;
  projectId = project.id;
});

afterAll(() => service.stop());

const begin = async (body: object, query = '') =>
  (await alice.post(`/upload/multipart${query}`, { parent: root, ...body })).body;

const complete = (id: string, body?: unknown) => alice.post(`/upload/multipart/${id}/complete`, body);

const content = async (id: string) => new Uint8Array(await (await alice.download(id)).arrayBuffer());

/** Bytes that differ everywhere. */
const bytes = (length: number, seed = 1) =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + seed + (at >> 8)) % 256);

describe('initialisation', () => {
  test('answers id, names and part size', async () => {
    const asked = { name: 'init.bam', size: 73_400_320, part_size: 16 * 1024 * 1024 };
    expect(await begin(asked)).toEqual({
      upload_id: expect.any(String),
      project: projectId,
      parent: root,
      ...asked,
      parallel_uploads: true,
    });
    expect(await begin({ name: 'default', part_size: 7 })).toMatchObject({ part_size: PART_SIZE_DEFAULT });
  });

  test.each([
    [{ name: undefined }, 400, 8013],
    [{ name: '' }, 400, 8013],
    [{ name: 'a/b' }, 400, 8013],
    [{ name: 'x'.repeat(256) }, 400, 8013],
    [{ name: 'x', project: 'alice/uploads' }, 400, 5031],
    [{ name: 'x', parent: null }, 400, 5029],
    [{ name: 'x', parent: null, project: 'nonsense' }, 400, 8010],
    [{ name: 'x', parent: null, project: 'alice/none' }, 404, 3002],
    [{ name: 'x', parent: 'none' }, 404, 5026],
    [{ name: 'x', size: -1 }, 400, 90000],
    [{ name: 'x', size: OBJECT_SIZE_MAX + 1 }, 400, 90000],
    [{ name: 'x', size: 2 ** 60 }, 400, 90000],
    [{ name: 'x', size: 1e300 }, 400, 90000],
    [{ name: 'x', md5: 'nonsense' }, 400, 90000],
  ])('of %j is refused with %i, %i', async (body, status, code) => {
    expect(await begin(body)).toMatchObject({ status, code });
  });

  test('of the largest file there may be gets parts that it fits into', async () => {
    const { part_size } = await begin({ name: 'largest', size: OBJECT_SIZE_MAX });
    expect(part_size * PART_COUNT_MAX).toBeGreaterThanOrEqual(OBJECT_SIZE_MAX);
  });

  test('refuses a taken name unless it may overwrite; a folder always', async () => {
    await alice.upload(root, 'taken');
    await alice.folder(root, 'taken-folder');
    expect(await begin({ name: 'taken' })).toMatchObject({ status: 409, code: 8005 });
    expect(await begin({ name: 'taken' }, '?overwrite=True')).toHaveProperty('upload_id');
    expect(await begin({ name: 'taken-folder' }, '?overwrite=true')).toMatchObject({ code: 8005 });
  });
});

describe('parts', () => {
  test('a part address says how to send it, and may be asked for again', async () => {
    const { upload_id } = await begin({ name: 'address' });
    const first = await alice.get(`/upload/multipart/${upload_id}/part/1`);
    expect(first.body).toEqual({
      method: 'PUT',
      url: expect.stringContaining('signature='),
      expires: expect.stringMatching(/Z$/),
      headers: {},
      report: { success_codes: [200], headers: ['ETag'] },
    });
    expect((await alice.get(`/upload/multipart/${upload_id}/part/1`)).status).toBe(200);
  });

  test.each(['0', '10001', 'x', '1.5', '-1'])('the part number %s is refused', async (number) => {
    const { upload_id } = await begin({ name: `number${number}` });
    expect((await alice.get(`/upload/multipart/${upload_id}/part/${number}`)).body.code).toBe(8012);
  });

  test('the PUT answers with the ETag, the MD5 of the bytes', async () => {
    const { upload_id } = await begin({ name: 'etag' });
    const report = await alice.putPart(upload_id, 1, 'hello');
    expect(report.response.headers.ETag).toBe(md5('hello'));
  });

  test('reported parts are listed, others are not', async () => {
    const { upload_id } = await begin({ name: 'reported' });
    const one = await alice.putPart(upload_id, 1, bytes(PART_SIZE_MIN));
    const two = await alice.putPart(upload_id, 2, 'two');
    expect((await alice.post(`/upload/multipart/${upload_id}/part`, one)).body).toEqual(one);
    const details = (query = '') => alice.get(`/upload/multipart/${upload_id}${query}`);
    expect((await details('?list_parts=True')).body).toMatchObject({ uploaded_parts_count: 1, parts: [one] });
    expect((await alice.post(`/upload/multipart/${upload_id}`, { parts: [one, two] })).body).toEqual({
      parts: [one, two],
    });
    expect((await details('?list_parts=true')).body.parts).toEqual([one, two]);
    expect((await details()).body).not.toHaveProperty('parts');
    expect((await details()).body.uploaded_parts_count).toBe(2);
  });

  test('a report unlike the stored part is refused, as is one that is malformed', async () => {
    const { upload_id } = await begin({ name: 'unlike' });
    const { response } = await alice.putPart(upload_id, 1, 'x');
    const report = (body: unknown) => alice.post(`/upload/multipart/${upload_id}/part`, body);
    const headers = { ETag: md5('other') };
    expect((await report({ part_number: 1, response: { headers } })).body).toMatchObject({ code: 8014 });
    expect((await report({ part_number: 2, response })).body).toMatchObject({ code: 8014 });
    expect((await report({ part_number: 1 })).body).toMatchObject({ status: 400, code: 8014 });
    expect((await report({ response })).body).toMatchObject({ status: 400, code: 8012 });
    const path = `/upload/multipart/${upload_id}`;
    expect((await alice.post(path, { parts: 'x' })).body).toMatchObject({ status: 400, code: 8015 });
    expect((await alice.post(path)).body).toMatchObject({ status: 400, code: 8015 });
  });

  test.each([
    ['object', (url: URL) => new URL(url.href.replace('/1?', '/2?'))],
    ['expiry', (url: URL) => new URL(url.href.replace(/expires=\d+/, 'expires=99999999999'))],
    ['signature', (url: URL) => new URL(url.href.replace(/signature=\w/, 'signature='))],
    ['no signature', (url: URL) => new URL(url.pathname, url)],
  ])('an address tampered with (%s) is 403', async (_what, tamper) => {
    const { upload_id } = await begin({ name: `tampered-${_what}` });
    const { body } = await alice.get(`/upload/multipart/${upload_id}/part/1`);
    const answer = await fetch(tamper(new URL(body.url)), { method: 'PUT', body: 'bytes' });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ status: 403 });
    expect((await alice.get(`/upload/multipart/${upload_id}`)).body.uploaded_parts_count).toBe(0);
  });
});

describe('completion', () => {
  test('makes the file of all parts, in their order, in whatever order they came', async () => {
    const [first, second, third] = [bytes(PART_SIZE_MIN, 1), bytes(PART_SIZE_MIN + 7, 2), bytes(100, 3)];
    const size = first.length + second.length + third.length;
    const { upload_id } = await begin({ name: 'three.bin', size });
    const reports = [
      await alice.putPart(upload_id, 3, third),
      await alice.putPart(upload_id, 1, first),
      await alice.putPart(upload_id, 2, second),
    ];
    const { status, body } = await complete(upload_id, { parts: reports });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'three.bin',
      size,
      parent: root,
      type: 'file',
      metadata: {},
      tags: [],
    });
    expect(md5(await content(body.id))).toBe(md5(Buffer.concat([first, second, third])));
  });

  test.each([undefined, null, {}])('takes the body %j when all parts were reported', async (body) => {
    const { upload_id } = await begin({ name: `body-${JSON.stringify(body)}` });
    await alice.post(`/upload/multipart/${upload_id}/part`, await alice.putPart(upload_id, 1, 'x'));
    expect((await complete(upload_id, body)).body.size).toBe(1);
  });

  test('unites reports made before with those in the body', async () => {
    const { upload_id } = await begin({ name: 'united' });
    const one = await alice.putPart(upload_id, 1, bytes(PART_SIZE_MIN));
    await alice.post(`/upload/multipart/${upload_id}/part`, one);
    const two = await alice.putPart(upload_id, 2, 'end');
    expect((await complete(upload_id, { parts: [two] })).body.size).toBe(PART_SIZE_MIN + 3);
  });

  test('an empty file is one empty part', async () => {
    const { upload_id } = await begin({ name: 'empty', size: 0 });
    const { body } = await complete(upload_id, { parts: [await alice.putPart(upload_id, 1, '')] });
    expect(body.size).toBe(0);
    expect(await content(body.id)).toHaveLength(0);
  });

  test('an overlong part and an empty last one, as the public client sends them', async () => {
    const { upload_id } = await begin({
      name: 'overlong',
      size: PART_SIZE_MIN + 1,
      part_size: PART_SIZE_MIN,
    });
    const data = bytes(PART_SIZE_MIN + 1);
    const parts = [await alice.putPart(upload_id, 1, data), await alice.putPart(upload_id, 2, '')];
    const { body } = await complete(upload_id, { parts });
    expect(md5(await content(body.id))).toBe(md5(data));
  });

  test('a part sent again replaces the one before', async () => {
    const { upload_id } = await begin({ name: 'again' });
    const old = await alice.putPart(upload_id, 1, 'old');
    await alice.post(`/upload/multipart/${upload_id}/part`, old);
    const report = await alice.putPart(upload_id, 1, 'new');
    expect((await complete(upload_id)).body).toMatchObject({ status: 409, code: 8007 });
    const { body } = await complete(upload_id, { parts: [report] });
    expect(Buffer.from(await content(body.id)).toString()).toBe('new');
  });

  test('a part sent again while the upload is completed voids its report, and the upload stays', async () => {
    const { upload_id } = await begin({ name: 'voided' });
    const sent = [
      await alice.putPart(upload_id, 1, bytes(PART_SIZE_MIN)),
      await alice.putPart(upload_id, 2, 'end'),
    ];
    const again = bytes(PART_SIZE_MIN, 2);
    const reports: object[] = [];
    await beforeNextSync(async () => {
      reports.push(await alice.putPart(upload_id, 1, again));
    });
    const { body } = await complete(upload_id, { parts: sent });
    expect(body).toMatchObject({ status: 409, code: 8007, message: expect.stringContaining('part 1') });
    const file = (await complete(upload_id, { parts: reports })).body;
    expect(md5(await content(file.id))).toBe(md5(Buffer.concat([again, Buffer.from('end')])));
  });

  test('with parts missing, or of another size than announced, is refused and can be mended', async () => {
    const { upload_id } = await begin({ name: 'mended', size: PART_SIZE_MIN + 1 });
    expect((await complete(upload_id)).body).toMatchObject({ status: 409, code: 8007 });
    const two = await alice.putPart(upload_id, 2, 'x');
    expect((await complete(upload_id, { parts: [two] })).body.message).toContain('Part 1');
    const short = await alice.putPart(upload_id, 1, 'short');
    expect((await complete(upload_id, { parts: [short, two] })).body.code).toBe(8007);
    const one = await alice.putPart(upload_id, 1, bytes(PART_SIZE_MIN));
    expect((await complete(upload_id, { parts: [one, two] })).body.size).toBe(PART_SIZE_MIN + 1);
  });

  test('takes parts of different sizes, but none under 5 MiB before the last', async () => {
    const { upload_id } = await begin({ name: 'sizes' });
    const [small, last] = [
      await alice.putPart(upload_id, 1, bytes(PART_SIZE_MIN - 1)),
      await alice.putPart(upload_id, 2, 'last'),
    ];
    expect((await complete(upload_id, { parts: [small, last] })).body).toMatchObject({
      status: 409,
      code: 8007,
    });
    const enough = await alice.putPart(upload_id, 1, bytes(PART_SIZE_MIN));
    expect((await complete(upload_id, { parts: [enough, last] })).body.size).toBe(PART_SIZE_MIN + 4);
  });

  test('ends the upload', async () => {
    const { upload_id } = await begin({ name: 'ended' });
    const part = await alice.putPart(upload_id, 1, 'x');
    const { body: target } = await alice.get(`/upload/multipart/${upload_id}/part/1`);
    await complete(upload_id, { parts: [part] });
    expect((await complete(upload_id, { parts: [part] })).body).toMatchObject({ status: 404, code: 8003 });
    expect((await alice.get(`/upload/multipart/${upload_id}`)).body.code).toBe(8003);
    expect((await fetch(target.url, { method: 'PUT', body: 'late' })).status).toBe(404);
  });

  test('at the same time from two sides makes one file', async () => {
    const { upload_id } = await begin({ name: 'both' });
    const parts = [await alice.putPart(upload_id, 1, 'x')];
    const answers = await Promise.all([complete(upload_id, { parts }), complete(upload_id, { parts })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const { id } = answers.find(({ status }) => status === 200)?.body ?? {};
    expect(await content(id)).toHaveLength(1);
  });

  test('by another call, whose file has the name then, is told as an upload that is gone', async () => {
    const { upload_id } = await begin({ name: 'twice' });
    const parts = [await alice.putPart(upload_id, 1, 'x')];
    const others: Answer[] = [];
    const answer = await interrupted(service.services.store, () => complete(upload_id, { parts }), {
      table: 'files',
      read: 'find',
      by: async () => others.push(await complete(upload_id, { parts })),
    });
    expect(others).toMatchObject([{ status: 200 }]);
    expect(answer).toMatchObject({ status: 404, body: { code: 8003 } });
  });
});

describe('overwriting', () => {
  test('the old file stays readable until completion; then its id is gone', async () => {
    const old = await alice.upload(root, 'replaced', 'old');
    const { upload_id } = await begin({ name: 'replaced' }, '?overwrite=true');
    const part = await alice.putPart(upload_id, 1, 'new');
    expect(Buffer.from(await content(old.id)).toString()).toBe('old');
    const { body } = await complete(upload_id, { parts: [part] });
    expect(body.id).not.toBe(old.id);
    expect((await alice.get(`/files/${old.id}`)).status).toBe(404);
    const { body: list } = await alice.get(`/files?parent=${root}&name=replaced`);
    expect(list.items.map((item: { id: string }) => item.id)).toEqual([body.id]);
  });

  test('a reader of the old content goes on', async () => {
    const old = await alice.upload(root, 'being-read', 'old');
    const { body: link } = await alice.get(`/files/${old.id}/download_info`);
    const { upload_id } = await begin({ name: 'being-read' }, '?overwrite=true');
    await complete(upload_id, { parts: [await alice.putPart(upload_id, 1, 'new')] });
    expect(await (await fetch(link.url)).text()).toBe('old');
  });

  test('a name taken meanwhile is refused; the upload stays and can be completed once it is free', async () => {
    const { upload_id } = await begin({ name: 'raced' });
    const parts = [await alice.putPart(upload_id, 1, 'slow')];
    const other = await alice.upload(root, 'raced', 'fast');
    expect((await complete(upload_id, { parts })).body).toMatchObject({ status: 409, code: 8005 });
    await alice.call('DELETE', `/files/${other.id}`);
    const { body } = await complete(upload_id, { parts });
    expect(Buffer.from(await content(body.id)).toString()).toBe('slow');
  });
});

test('the list shows one’s own active uploads', async () => {
  const carol = await service.user('carol');
  const { root_folder, id } = await carol.project('Own');
  const started = await carol.post('/upload/multipart', { parent: root_folder, name: 'mine' });
  const { body, headers } = await carol.get('/upload/multipart');
  expect(headers.get('x-total-matching-query')).toBe('1');
  expect(body.items).toEqual([
    {
      href: `${service.url}/upload/multipart/${started.body.upload_id}`,
      upload_id: started.body.upload_id,
      project: id,
      name: 'mine',
      initiated: expect.stringMatching(/Z$/),
    },
  ]);
  expect((await alice.get(`/upload/multipart/${started.body.upload_id}`)).body.code).toBe(8003);
});

test('the counters tell how many parts were in flight at once', async () => {
  service.services.stats.reset();
  const { upload_id } = await begin({ name: 'parallel' });
  const parts = await Promise.all(
    [1, 2, 3, 4].map((number) => alice.putPart(upload_id, number, bytes(PART_SIZE_MIN, number))),
  );
  expect((await complete(upload_id, { parts })).body.size).toBe(4 * PART_SIZE_MIN);
  expect(service.services.stats.storagePuts).toBe(4);
  expect(service.services.stats.storagePutBytes).toBe(4 * PART_SIZE_MIN);
  expect(service.services.stats.maxPartsInFlight).toBeGreaterThan(1);
});
