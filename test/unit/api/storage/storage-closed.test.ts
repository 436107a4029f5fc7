/** The client of a store is closed while ranges and parts are under way: each ends, and nothing is asked of the store any more. */
import type { Socket } from 'node:net';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { type RawRequest, rangeHead, startRawServer } from '../../../support/raw-http-server.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const object = Buffer.alloc(1000);
const closed = { name: 'StorageError', kind: 'failed', message: 'the client of the store was closed' };

let disposals: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of disposals) await each[Symbol.asyncDispose]();
  disposals = [];
});

/** `answer` is all that a request gets; time stands still. */
async function storeOf(answer: (request: RawRequest) => string, connections = 40) {
  const open = new Set<Socket>();
  const server = await startRawServer((socket, request) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.write(answer(request));
  });
  disposals.push(server);
  const storage = createStorageClient({ clock: new FakeClock(), limits: { connections } });
  onTestFinished(() => storage.close());
  const range = (offset = 0) => storage.getRange(server.url, { offset, into: Buffer.alloc(500) });
  return { storage, server, open, range };
}

it.each([
  ['that have no answer', () => ''],
  ['of which the rest is missing', (request: RawRequest) => rangeHead(request, object)],
  ['that wait to be tried again', () => 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'],
  [
    'that come in chunks',
    (request: RawRequest) =>
      rangeHead(request, object).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked'),
  ],
])('ends ranges %s', async (_, answer) => {
  const { storage, server, open, range } = await storeOf(answer);
  const ranges = [range(), range(500)].map((each) => expect(each).rejects.toMatchObject(closed));
  await waitUntil(() => server.requests.length >= 2);
  await storage.close();
  await Promise.all(ranges);
  await waitUntil(() => open.size === 0);
  const before = server.requests.length;
  await expect(range()).rejects.toMatchObject(closed);
  expect(server.requests).toHaveLength(before);
});

it('ends ranges that wait for a connection', async () => {
  const { storage, server, range } = await storeOf(() => '', 1);
  const ranges = [range(), range(500)].map((each) => expect(each).rejects.toMatchObject(closed));
  await waitUntil(() => server.requests.length === 1);
  await storage.close();
  await Promise.all(ranges);
});

it('ends parts', async () => {
  const { storage, server } = await storeOf(() => '');
  const target = { url: server.url, method: 'PUT', headers: {}, expiresMs: undefined } as const;
  const part = expect(storage.putPart(target, Buffer.alloc(10))).rejects.toMatchObject(closed);
  await waitUntil(() => server.requests.length === 1);
  await storage.close();
  await part;
});
