import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PART_SIZE_MIN } from '../../src/contract/limits.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { waitUntil } from '../support/wait-until.ts';
import { md5, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let root: string;
const clock = new FakeClock(Date.UTC(2026, 0, 1));

beforeAll(async () => {
  service = await TestService.start({ clock });
  alice = await service.user('alice');
  root = (await alice.project('Downloads')).root_folder;
});
afterAll(() => service.stop());

async function link(name: string, content: string | Uint8Array): Promise<string> {
  const { id } = await alice.upload(root, name, content);
  return (await alice.get(`/files/${id}/download_info`)).body.url;
}

test('a plain GET without a token gives everything, with length and ETag', async () => {
  const answer = await fetch(await link('whole', 'hello world'));
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-length')).toBe('11');
  expect(answer.headers.get('accept-ranges')).toBe('bytes');
  expect(answer.headers.get('etag')).toMatch(/^".+"$/);
  expect(await answer.text()).toBe('hello world');
});

test('the link comes with the details of its file when asked for', async () => {
  const { id } = await alice.upload(root, 'told', 'hello');
  const { body } = await alice.get(`/files/${id}/download_info?file=true`);
  expect(body.file).toEqual((await alice.get(`/files/${id}`)).body);
  expect(await (await fetch(body.url)).text()).toBe('hello');
  expect((await alice.get(`/files/${id}/download_info`)).body.file).toBeUndefined();
});

test('HEAD tells the same and sends no bytes', async () => {
  const answer = await fetch(await link('head', 'hello'), { method: 'HEAD' });
  expect([answer.status, answer.headers.get('content-length')]).toEqual([200, '5']);
  expect(await answer.text()).toBe('');
});

test.each([
  ['bytes=0-4', 'bytes 0-4/11', 'hello'],
  ['bytes=6-', 'bytes 6-10/11', 'world'],
  ['bytes=6-9999', 'bytes 6-10/11', 'world'],
  ['bytes=-5', 'bytes 6-10/11', 'world'],
])('the range %s gives 206 and %s', async (range, contentRange, text) => {
  const answer = await fetch(await link(`range ${range}`, 'hello world'), { headers: { Range: range } });
  expect(answer.status).toBe(206);
  expect(answer.headers.get('content-range')).toBe(contentRange);
  expect(answer.headers.get('content-length')).toBe(String(text.length));
  expect(await answer.text()).toBe(text);
});

test('every byte is counted, also of an answer that waits for the one before it', async () => {
  const { stats } = service.services;
  const { host, hostname, port, pathname, search } = new URL(await link('counted', 'hello world'));
  const before = stats.storageGetBytes;
  const head = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n`;
  const socket = connect(Number(port), hostname);
  socket.write(`${head}Range: bytes=0-4\r\n\r\n${head}Connection: close\r\n\r\n`);
  const answers = Buffer.concat(await socket.toArray()).toString();
  expect(answers).toMatch(/helloHTTP.*hello world$/s);
  await waitUntil(() => stats.storageGetBytes - before >= 16);
  expect(stats.storageGetBytes - before).toBe(16);
});

test('a range past the end gives 416 and the size', async () => {
  const answer = await fetch(await link('past', 'hello'), { headers: { Range: 'bytes=5-' } });
  expect(answer.status).toBe(416);
  expect(answer.headers.get('content-range')).toBe('bytes */5');
  expect(await answer.json()).toMatchObject({ status: 416 });
});

test('If-Range with another ETag gives everything', async () => {
  const url = await link('if-range', 'hello');
  const { headers } = await fetch(url, { method: 'HEAD' });
  const get = (condition: string) =>
    fetch(url, { headers: { Range: 'bytes=0-0', 'If-Range': condition } }).then((answer) => answer.text());
  expect(await get(headers.get('etag') ?? '')).toBe('h');
  expect(await get('"other"')).toBe('hello');
});

test('ranges of a file of many parts cross their borders', async () => {
  const parts = [1, 2, 3].map((seed) => Buffer.alloc(PART_SIZE_MIN + seed, seed));
  const { upload_id } = (await alice.post('/upload/multipart', { parent: root, name: 'many' })).body;
  const reports = await Promise.all(parts.map((part, at) => alice.putPart(upload_id, at + 1, part)));
  const { id } = (await alice.post(`/upload/multipart/${upload_id}/complete`, { parts: reports })).body;
  const whole = Buffer.concat(parts);
  const get = async (first: number, last: number) =>
    Buffer.from(await (await alice.download(id, { Range: `bytes=${first}-${last}` })).arrayBuffer());
  const border = parts[0]?.length ?? 0;
  expect(await get(border - 2, border + 1)).toEqual(whole.subarray(border - 2, border + 2));
  expect(md5(await get(10, whole.length - 10))).toBe(md5(whole.subarray(10, whole.length - 9)));
  expect(await get(whole.length - 1, whole.length + 100)).toEqual(whole.subarray(-1));
});

test('a reader that leaves early breaks nothing', async () => {
  const url = await link('left', new Uint8Array(4 * 1024 * 1024));
  const leaving = new AbortController();
  const answer = await fetch(url, { signal: leaving.signal });
  leaving.abort();
  await expect(answer.text()).rejects.toThrow();
  expect((await fetch(url, { headers: { Range: 'bytes=0-0' } })).status).toBe(206);
});

test('the address expires, and does not before', async () => {
  const url = await link('expiring', 'x');
  await clock.advance(2 * 3600 * 1000 - 1000);
  expect((await fetch(url)).status).toBe(200);
  await clock.advance(1000);
  const late = await fetch(url);
  expect(late.status).toBe(403);
  expect(await late.json()).toMatchObject({ status: 403, code: 90002 });
});

test('the address of a part expires after an hour, and does not before', async () => {
  const { upload_id } = (await alice.post('/upload/multipart', { parent: root, name: 'late' })).body;
  const { body } = await alice.get(`/upload/multipart/${upload_id}/part/1`);
  expect(Date.parse(body.expires) - clock.now()).toBe(3600 * 1000);
  const put = () => fetch(body.url, { method: 'PUT', body: 'x' });
  await clock.advance(3600 * 1000 - 1000);
  expect((await put()).status).toBe(200);
  await clock.advance(1000);
  expect((await put()).status).toBe(403);
});

test('how long addresses hold is set by the operator', async () => {
  const quick = await TestService.start({ clock, partUrlSeconds: 20, downloadUrlSeconds: 10 });
  try {
    const carol = await quick.user('carol');
    const { root_folder } = await carol.project('Quick');
    const { id } = await carol.upload(root_folder, 'quick');
    const { upload_id } = (await carol.post('/upload/multipart', { parent: root_folder, name: 'part' })).body;
    const part = (await carol.get(`/upload/multipart/${upload_id}/part/1`)).body.url;
    const content = (await carol.get(`/files/${id}/download_info`)).body.url;
    const statuses = async () => [
      (await fetch(content)).status,
      (await fetch(part, { method: 'PUT', body: 'x' })).status,
    ];
    await clock.advance(9000);
    expect(await statuses()).toEqual([200, 200]);
    await clock.advance(1000);
    expect(await statuses()).toEqual([403, 200]);
    await clock.advance(10_000);
    expect(await statuses()).toEqual([403, 403]);
  } finally {
    await quick.stop();
  }
});

test('the address is for this method and object alone', async () => {
  const one = new URL(await link('one', '1'));
  const two = new URL(await link('two', '2'));
  expect((await fetch(new URL(one.search, two))).status).toBe(403);
  expect((await fetch(one, { method: 'PUT', body: 'x' })).status).not.toBe(200);
});

test('storage is no API call: no token, no rate headers', async () => {
  service.services.stats.reset();
  const { headers } = await fetch(await link('storage', 'x'));
  expect(headers.get('x-ratelimit-limit')).toBeNull();
  expect(service.services.stats.apiRequests).toBe(4);
  expect(service.services.stats.storageGets).toBe(1);
});
