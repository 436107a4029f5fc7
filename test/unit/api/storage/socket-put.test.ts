/** Parts over sockets of our own: what a store over TLS may do to them. */
import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { dirSync } from 'tmp';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { Network } from '../../../../src/api/network/network.ts';
import type { StorageClient, StoredPart } from '../../../../src/api/storage-client.ts';
import { NO_PROXIES } from '../../../../src/lib/proxy-rules.ts';
import { sharedAbortController } from '../../../../src/lib/shared-signals.ts';
import { type Certificate, makeCertificate } from '../../../support/certificate.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';

const MIB = 1024 * 1024;
const place = dirSync({ unsafeCleanup: true });
const certificate = await makeCertificate(place.name);
const authorities = [certificate.cert.toString()];
const STORED = 'HTTP/1.1 200 OK\r\nETag: "x"\r\nContent-Length: 0\r\n\r\n';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});
afterAll(() => place.removeCallback());

interface Store {
  readonly storage: StorageClient;
  readonly connections: () => number;
  readonly bodies: Buffer[];
  /** To connections that are made from now on. */
  present(certificate: Certificate): void;
  put(
    body: Uint8Array,
    options?: { signal?: AbortSignal; headers?: Record<string, string> },
  ): Promise<StoredPart>;
}

interface Behaviour {
  /** Called with all of the body, and how many came before. */
  readonly onPut?: (socket: TLSSocket, before: number) => void;
  /** Called at the first byte of a head. */
  readonly onHead?: (socket: TLSSocket, before: number) => void;
  readonly onSecure?: (socket: TLSSocket) => void;
  readonly tls?: TlsOptions;
}

/** A store that writes bytes as a test says. */
async function startStore(behaviour: Behaviour): Promise<Store> {
  const { onPut, onHead, onSecure, tls } = behaviour;
  const bodies: Buffer[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ ...certificate, ...tls }, (socket) => {
    onSecure?.(socket);
    let heads = 0;
    let got = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk]);
      const end = got.indexOf('\r\n\r\n');
      if (end < 0) return;
      heads += 1;
      if (heads === 1) onHead?.(socket, bodies.length);
      const length = Number(/content-length: (\d+)/i.exec(got.toString('latin1', 0, end))?.[1]);
      if (got.length < end + 4 + length) return;
      bodies.push(got.subarray(end + 4, end + 4 + length));
      got = got.subarray(end + 4 + length);
      heads = 0;
      onPut?.(socket, bodies.length - 1);
    });
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const network = new Network({ proxies: NO_PROXIES, authorities });
  const limits = { timeoutMs: 300, stallTimeoutMs: 300, connectTimeoutMs: 300 };
  const storage = createStorageClient({ clock: new HastyClock(), network, limits });
  ends.push(
    () => storage.close(),
    () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  );
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/part?sig=1`;
  return {
    storage,
    connections: () => connections,
    bodies,
    present: ({ key, cert }) => server.setSecureContext({ key, cert }),
    put: (body, { signal, headers = {} } = {}) =>
      storage.putPart({ url, method: 'PUT', headers, expiresMs: undefined }, body, { signal }),
  };
}

const store = (socket: TLSSocket): void => void socket.write(STORED);

it('sends parts one after another over one connection, whole', async () => {
  const { put, bodies, connections } = await startStore({ onPut: store });
  const parts = [3 * MIB + 5, MIB, 0, 1].map((length, at) => Buffer.alloc(length, at + 1));
  for (const part of parts) expect(await put(part)).toEqual({ etag: 'x', md5: undefined });
  expect(bodies.map((body, at) => body.equals(parts[at] ?? Buffer.from('none')))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(connections()).toBe(1);
});

it('speaks TLS 1.2 with a store that knows no later one', async () => {
  let protocol: string | null = null;
  const onPut = (socket: TLSSocket): void => {
    protocol = socket.getProtocol();
    store(socket);
  };
  const { put } = await startStore({ onPut, tls: { maxVersion: 'TLSv1.2' } });
  expect((await put(Buffer.alloc(2 * MIB))).etag).toBe('x');
  expect(protocol).toBe('TLSv1.2');
});

it('refuses a store that speaks TLS 1.0 alone', async () => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' } as const;
  const { put, bodies } = await startStore({ onPut: store, tls: old });
  await expect(put(Buffer.alloc(MIB))).rejects.toThrow(/127\.0\.0\.1 speaks no TLS 1\.2 or 1\.3/);
  expect(bodies).toEqual([]);
});

it('passes over interim answers, in pieces of any size', async () => {
  const answer = `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${STORED}`;
  const onPut = async (socket: TLSSocket): Promise<void> => {
    for (const byte of answer) await new Promise((resolve) => socket.write(byte, resolve));
  };
  const { put } = await startStore({ onPut: (socket) => void onPut(socket) });
  expect((await put(Buffer.alloc(10))).etag).toBe('x');
});

it('takes an answer that comes before all was sent, and sends no more over that connection', async () => {
  const onHead = (socket: TLSSocket): void => {
    socket.pause();
    socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  };
  const { put, bodies, connections } = await startStore({ onHead });
  await expect(put(Buffer.alloc(32 * MIB))).rejects.toMatchObject({ kind: 'refused', status: 403 });
  await expect(put(Buffer.alloc(32 * MIB))).rejects.toMatchObject({ kind: 'refused', status: 403 });
  expect([bodies.length, connections()]).toEqual([0, 2]);
});

it('sends over a new connection, at once and once, what met the end of an idle one', async () => {
  const onPut = (socket: TLSSocket, before: number): void => {
    if (before === 1) socket.destroy();
    else store(socket);
  };
  const { put, bodies, connections } = await startStore({ onPut });
  for (const byte of [1, 2]) await put(Buffer.alloc(MIB, byte));
  expect(bodies.map(([first]) => first)).toEqual([1, 2, 2]);
  expect(connections()).toBe(2);
});

it.each([
  ['asks for a close', 'HTTP/1.1 200 OK\r\nETag: "x"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
  ['has a body to come', 'HTTP/1.1 200 OK\r\nETag: "x"\r\nContent-Length: 5\r\n\r\nab'],
  ['comes in chunks', 'HTTP/1.1 200 OK\r\nETag: "x"\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['is HTTP/1.0', 'HTTP/1.0 200 OK\r\nETag: "x"\r\nContent-Length: 0\r\n\r\n'],
])('uses no connection again whose answer %s', async (_, answer) => {
  const { put, connections } = await startStore({ onPut: (socket) => void socket.write(answer) });
  for (let parts = 0; parts < 2; parts += 1) expect((await put(Buffer.alloc(10))).etag).toBe('x');
  expect(connections()).toBe(2);
});

it('sends nothing more once it is given up, and leaves other parts alone', async () => {
  const given = sharedAbortController();
  const onHead = (socket: TLSSocket, before: number): void => {
    if (before > 0) return;
    socket.pause();
    given.abort(new Error('not wanted any more'));
  };
  const { put, bodies } = await startStore({ onHead, onPut: store });
  await expect(put(Buffer.alloc(32 * MIB), { signal: given.signal })).rejects.toThrow('not wanted any more');
  await expect(put(Buffer.alloc(MIB), { signal: given.signal })).rejects.toThrow('not wanted any more');
  expect(bodies).toEqual([]);
});

const GONE = /closed the connection|ECONNRESET|EPIPE/;

it.each<[string, Behaviour, RegExp, number?]>([
  ['closes after the handshake', { onSecure: (socket) => void socket.end() }, GONE],
  ['answers what is no HTTP', { onPut: (socket) => void socket.write('SSH-2.0-x\r\n\r\n') }, /no HTTP/],
  ['has a head without an end', { onPut: (socket) => void socket.write('x'.repeat(20_000)) }, /has no end/],
  ['takes nothing', { onHead: (socket) => void socket.pause() }, /took none of what was sent/, 32 * MIB],
  ['never answers', {}, /did not answer for too long/],
  ['half-closes the connection before it answers', { onHead: (socket) => void socket.end() }, GONE],
])('tells that a store %s', async (_, behaviour, says, sizeBytes = 1000) => {
  const { put } = await startStore(behaviour);
  await expect(put(Buffer.alloc(sizeBytes))).rejects.toThrow(says);
});

it('waits no longer for the handshake than for a connection', async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => void sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const storage = createStorageClient({
    clock: new HastyClock(),
    limits: { timeoutMs: 100, connectTimeoutMs: 100, answerTimeoutMs: 60_000 },
  });
  ends.push(
    () => storage.close(),
    () => server.close(),
    () => sockets.forEach((socket) => void socket.destroy()),
  );
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const put = storage.putPart({ url, method: 'PUT', headers: {}, expiresMs: undefined }, Buffer.alloc(10));
  await expect(put).rejects.toThrow('sent nothing for too long');
});

it('asks for no header that would end the head, or belongs to the connection', async () => {
  const { put, connections } = await startStore({ onPut: store });
  for (const headers of [{ 'x-a': '1\r\nx-b: 2' }, { 'x\n': '1' }, { 'Transfer-Encoding': 'chunked' }])
    await expect(put(Buffer.alloc(10), { headers })).rejects.toThrow(/header that cannot be sent/);
  expect(connections()).toBe(0);
});

it('trusts no other certificate that the store has later', async () => {
  const closing = STORED.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
  const { put, bodies, present } = await startStore({ onPut: (socket) => void socket.write(closing) });
  await put(Buffer.alloc(10));
  present(await makeCertificate(place.name));
  await expect(put(Buffer.alloc(10))).rejects.toThrow(
    /the certificate of 127\.0\.0\.1 comes from no authority/,
  );
  expect(bodies).toHaveLength(1);
});
