/** Connections to a store that are made before it is asked for anything. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { receivingConnections } from '../../../../src/api/storage/store-connections.ts';
import type { StorageClient } from '../../../../src/api/storage-client.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { type RawServer, rangeBytes, rangeHead, startRawServer } from '../../../support/raw-http-server.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const object = Buffer.from('0123456789');

function startStore(): Promise<RawServer> {
  return startRawServer((socket, request) => {
    socket.write(Buffer.concat([Buffer.from(rangeHead(request, object)), rangeBytes(request, object)]));
  });
}

async function withStorage(
  work: (storage: StorageClient) => Promise<void>,
  stallTimeoutMs = 1000,
): Promise<void> {
  const limits = { connections: 4, timeoutMs: 1000, stallTimeoutMs };
  const storage = createStorageClient({ clock: systemClock, limits });
  try {
    await work(storage);
  } finally {
    await storage.close();
  }
}

function originOf({ url }: RawServer): string {
  return new URL(url).origin;
}

async function connected(server: RawServer, connections: number): Promise<void> {
  await waitUntil(() => server.connections() === connections, { what: `${connections} connections` });
}

async function readThree(storage: StorageClient, url: string): Promise<string> {
  const pieces = [0, 1, 2].map(() => Buffer.alloc(3));
  await Promise.all(pieces.map((into, at) => storage.getRange(url, { offset: at * 3, into })));
  return Buffer.concat(pieces).toString();
}

it('carry the ranges that are asked for then', async () => {
  await using server = await startStore();
  await withStorage(async (storage) => {
    storage.connectAhead(originOf(server), 3);
    await connected(server, 3);
    expect(await readThree(storage, server.url)).toBe('012345678');
    expect(server.connections()).toBe(3);
  });
});

it('carry ranges that are asked for while they are on their way', async () => {
  await using server = await startStore();
  await withStorage(async (storage) => {
    storage.connectAhead(originOf(server), 3);
    expect(await readThree(storage, server.url)).toBe('012345678');
    expect(server.connections()).toBe(3);
  });
});

it('are no more than were asked for, nor than may be', async () => {
  await using server = await startStore();
  await withStorage(async (storage) => {
    storage.connectAhead(originOf(server), 2);
    storage.connectAhead(originOf(server), 2);
    await connected(server, 2);
    storage.connectAhead(originOf(server), 100);
    await connected(server, 4);
    expect(await readThree(storage, server.url)).toBe('012345678');
    expect(server.connections()).toBe(4);
  });
});

it('may be gone when they are needed', async () => {
  await using server = await startRawServer((socket, request, before) => {
    if (before < 3) socket.destroy();
    else socket.write(Buffer.concat([Buffer.from(rangeHead(request, object)), rangeBytes(request, object)]));
  });
  await withStorage(async (storage) => {
    storage.connectAhead(originOf(server), 3);
    await connected(server, 3);
    expect(await readThree(storage, server.url)).toBe('012345678');
  });
});

it('ask a store that never answers once in the time there is', async () => {
  await using server = await startRawServer(() => {});
  await withStorage(async (storage) => {
    storage.connectAhead(originOf(server), 3);
    await connected(server, 3);
    const reading = storage.getRange(server.url, { offset: 0, into: Buffer.alloc(3) });
    await expect(reading).rejects.toMatchObject({ kind: 'failed' });
    expect(server.requests).toHaveLength(1);
  });
});

it('are not all tried when the way to the store has lost them', async () => {
  const lost = new Set<Socket>();
  await using server = await startRawServer((socket, request) => {
    // The first three connections lead nowhere.
    if (lost.size < 3 && server.connections() === 3) lost.add(socket);
    if (lost.has(socket)) return;
    socket.write(Buffer.concat([Buffer.from(rangeHead(request, object)), rangeBytes(request, object)]));
  });
  await withStorage(async (storage) => {
    storage.connectAhead(originOf(server), 3);
    await connected(server, 3);
    const into = Buffer.alloc(3);
    await storage.getRange(server.url, { offset: 0, into });
    expect(into.toString()).toBe('012');
    expect(server.requests).toHaveLength(2);
  }, 200);
});

it('are not made to a store that only a whole HTTP client understands', async () => {
  await using server = await startStore();
  const url = new URL(server.url);
  const pool = receivingConnections({ connections: 4, connectTimeoutMs: 1000 });
  pool.retire(url);
  pool.connectAhead(url, 3);
  (await pool.take(url, { fresh: false })).request(
    'GET / HTTP/1.1\r\n\r\n',
    { room: () => undefined, onBytes: () => {}, onGone: () => {} },
    1000,
  );
  await waitUntil(() => server.requests.length === 1, { what: 'a request' });
  expect(server.connections()).toBe(1);
  pool.close();
});

it('that nobody accepts do no harm', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  await withStorage(async (storage) => {
    storage.connectAhead(`http://127.0.0.1:${port}`, 2);
    const reading = storage.getRange(`http://127.0.0.1:${port}/object`, { offset: 0, into: Buffer.alloc(3) });
    await expect(reading).rejects.toMatchObject({ kind: 'failed' });
  });
});
