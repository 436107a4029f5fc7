import { afterEach, expect, it } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { TransferCounts } from '../../../../src/observe/transfer-counts.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';
import { rangeBytes, rangeHead, startRawServer } from '../../../support/raw-http-server.ts';
import { startStub } from '../../../support/stub-server.ts';

const object = Buffer.alloc(100_000, 'x');

const open: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each[Symbol.asyncDispose]()));
});

function countedStorage() {
  const counts = new TransferCounts();
  const storage = createStorageClient({
    clock: new HastyClock(),
    limits: { stallTimeoutMs: 300 },
    onTransfer: counts.add,
    onRetry: counts.addRetry,
  });
  open.push({ [Symbol.asyncDispose]: () => storage.close() });
  return { storage, counts };
}

it('ranges are counted with their bytes and the time until the store answered, and what was made anew', async () => {
  const { storage, counts } = countedStorage();
  const server = await startRawServer((socket, request, before) => {
    if (before === 0) return void socket.destroy();
    socket.write(rangeHead(request, object));
    socket.write(rangeBytes(request, object));
  });
  open.push(server);
  await storage.getRange(server.url, { offset: 0, into: Buffer.alloc(60_000) });
  await storage.getRange(server.url, { offset: 60_000, into: Buffer.alloc(40_000) });
  const { range, firstByte, retries } = counts.snapshot();
  expect(range).toMatchObject({ bytes: 100_000, ends: { done: 2, failed: 0, given_up: 0 } });
  expect(range.durations.count).toBe(2);
  expect(firstByte.count).toBe(2);
  expect(retries).toBe(1);
});

it('a range that nobody wants any more is no failure', async () => {
  const { storage, counts } = countedStorage();
  const asked = new AbortController();
  const server = await startRawServer(() => asked.abort());
  open.push(server);
  const range = storage.getRange(server.url, { offset: 0, into: Buffer.alloc(10) }, asked.signal);
  await expect(range).rejects.toThrow();
  expect(counts.snapshot().range).toMatchObject({ bytes: 0, ends: { done: 0, failed: 0, given_up: 1 } });
});

it('parts are counted with the bytes that were taken', async () => {
  const { storage, counts } = countedStorage();
  const stub = await startStub(({ url }, response) =>
    url === '/refused' ? response.writeHead(403).end() : response.setHeader('etag', '"e"').end(),
  );
  open.push(stub);
  const put = (path: string) =>
    storage.putPart(
      { url: `${stub.origin}${path}`, method: 'PUT', headers: {}, expiresMs: undefined },
      object,
    );
  await put('/taken');
  await expect(put('/refused')).rejects.toThrow();
  expect(counts.snapshot().part).toMatchObject({ bytes: 100_000, ends: { done: 1, failed: 1, given_up: 0 } });
});
