/** The service and a store behind proxies: calls by undici, ranges over plain sockets and by undici, parts. */
import { randomBytes } from 'node:crypto';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type ApiClient, createApi } from '../../../../src/api/create-api.ts';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { Network } from '../../../../src/api/network/network.ts';
import type { StorageClient } from '../../../../src/api/storage-client.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { parseProxy } from '../../../../src/lib/proxy-address.ts';
import { type Certificate, makeCertificate } from '../../../support/certificate.ts';
import { ForwardProxy } from '../../../support/forward-proxy.ts';
import { type StubHandler, type StubServer, sendJson, startStub } from '../../../support/stub-server.ts';

const object = randomBytes(3 * 1024 * 1024);
let certificate: Certificate;
let plain: StubServer;
let secure: StubServer;

const handler: StubHandler = ({ method, url, headers }, response) => {
  if (url.startsWith('/v2/')) return { username: 'alice' };
  if (method === 'PUT') return void response.writeHead(200, { etag: '"part"' }).end();
  const [, first, last] = (/bytes=(\d+)-(\d+)/.exec(headers.range ?? '') ?? []).map(Number);
  const body = object.subarray(first, (last ?? 0) + 1);
  const range = { 'content-range': `bytes ${first}-${last}/${object.length}`, etag: '"v1"' };
  const chunked = url.startsWith('/chunked');
  response.writeHead(206, { ...range, ...(!chunked && { 'content-length': body.length }) });
  return void response.end(body);
};

beforeAll(async () => {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  certificate = await makeCertificate(name);
  removeCallback();
  [plain, secure] = await Promise.all([startStub(handler), startStub(handler, { certificate })]);
});
afterAll(async () => {
  await plain[Symbol.asyncDispose]();
  await secure[Symbol.asyncDispose]();
});

async function startProxy(options: Parameters<typeof ForwardProxy.start>[0] = {}): Promise<ForwardProxy> {
  const proxy = await ForwardProxy.start(options);
  onTestFinished(() => proxy.stop());
  return proxy;
}

interface Clients {
  readonly api: ApiClient;
  readonly storage: StorageClient;
}

function clientsOf(server: StubServer, proxy: string, timeoutMs = 5000): Clients {
  const named = { from: '--proxy', address: parseProxy(proxy) };
  const network = new Network({
    proxies: { http: named, https: named, except: '', loopback: true },
    authorities: [certificate.cert.toString()],
  });
  const options = { clock: systemClock, network, limits: { timeoutMs } };
  const api = createApi({ endpoint: `${server.origin}/v2`, token: 't', ...options });
  const storage = createStorageClient(options);
  onTestFinished(async () => void (await Promise.all([api.close(), storage.close()])));
  return { api, storage };
}

async function rangeOf(storage: StorageClient, url: string, offset: number): Promise<Buffer> {
  const into = Buffer.alloc(1024 * 1024);
  await storage.getRange(url, { offset, into });
  return into;
}

async function useAll({ api, storage }: Clients, { origin }: StubServer): Promise<void> {
  expect(await api.whoAmI()).toEqual({ username: 'alice' });
  for (const path of ['plain', 'chunked', 'plain']) {
    const range = await rangeOf(storage, `${origin}/${path}?a=b`, 4096);
    expect(range.equals(object.subarray(4096, 4096 + 1024 * 1024)), path).toBe(true);
  }
  const part = {
    url: `${origin}/part`,
    method: 'PUT',
    headers: {},
    expiresMs: Number.POSITIVE_INFINITY,
  } as const;
  expect(await storage.putPart(part, object)).toMatchObject({ etag: 'part' });
}

describe.each(['http', 'https'] as const)('a proxy of %s', (scheme) => {
  const proxyOf = async () =>
    startProxy({
      credentials: 'alice:secret',
      ...(scheme === 'https' && { certificate }),
    });

  it('opens tunnels to https servers, one for each connection', async () => {
    const proxy = await proxyOf();
    const before = secure.connections();
    await useAll(clientsOf(secure, proxy.url), secure);
    const { host } = new URL(secure.origin);
    const connections = secure.connections() - before;
    expect(proxy.tunnels).toEqual(Array.from({ length: connections }, () => host));
    // Calls, ranges over sockets, and what undici does beside them.
    expect(connections).toBeGreaterThanOrEqual(3);
    expect(proxy.forwarded).toEqual([]);
  });

  it('is asked for the whole addresses of http servers', async () => {
    const proxy = await proxyOf();
    await useAll(clientsOf(plain, proxy.url), plain);
    const { origin } = plain;
    expect(proxy.forwarded).toEqual([
      `GET ${origin}/v2/user`,
      `GET ${origin}/plain?a=b`,
      `GET ${origin}/chunked?a=b`,
      `GET ${origin}/chunked?a=b`,
      `GET ${origin}/plain?a=b`,
      `PUT ${origin}/part`,
    ]);
    expect(proxy.tunnels).toEqual([]);
  });
});

describe('a proxy that lets nothing through is named, and what to do:', () => {
  const both = [
    ['https', () => secure],
    ['http', () => plain],
  ] as const;

  it.each(both)('it asks for a password (%s)', async (_, server) => {
    const proxy = await startProxy({ credentials: 'alice:secret' });
    const { api, storage } = clientsOf(server(), `http://${proxy.place}`, 60_000);
    const says = `the proxy ${proxy.place} asks for a user and a password (HTTP status 407): set SVCFS_PROXY`;
    await expect(api.whoAmI()).rejects.toThrow(says);
    await expect(rangeOf(storage, `${server().origin}/plain`, 0)).rejects.toThrow(says);
    const part = {
      url: `${server().origin}/part`,
      method: 'PUT',
      headers: {},
      expiresMs: Number.POSITIVE_INFINITY,
    } as const;
    await expect(storage.putPart(part, object)).rejects.toThrow(says);
    expect(proxy.tunnels.length + proxy.forwarded.length).toBe(3);
  });

  it.each(both)('it refuses the password, which no message holds (%s)', async (_, server) => {
    const proxy = await startProxy({ credentials: 'alice:secret' });
    const { api } = clientsOf(server(), `http://alice:wrong-one@${proxy.place}`, 60_000);
    const error = await api.whoAmI().catch((reason: Error) => reason);
    expect(error).toMatchObject({
      message: expect.stringContaining(`the proxy ${proxy.place} refuses the user or the password`),
      mayHaveArrived: false,
    });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('wrong-one');
  });

  it('it refuses the server', async () => {
    const proxy = await startProxy();
    proxy.refusal = 403;
    const { api, storage } = clientsOf(secure, proxy.url, 60_000);
    const { host } = new URL(secure.origin);
    const says = `the proxy ${proxy.place} refuses connections to ${host} (HTTP status 403): have its operator allow them, or pass it by with --no-proxy 127.0.0.1`;
    await expect(api.whoAmI()).rejects.toThrow(says);
    await expect(rangeOf(storage, `${secure.origin}/plain`, 0)).rejects.toThrow(says);
    expect(proxy.tunnels).toEqual([host, host]);
  });

  it.each(both)('it is not there (%s)', async (_, server) => {
    const proxy = await startProxy();
    const clients = clientsOf(server(), 'http://127.0.0.1:1', 300);
    const says =
      'the proxy 127.0.0.1:1 cannot be reached (connect ECONNREFUSED 127.0.0.1:1): check --proxy and HTTPS_PROXY';
    await expect(clients.api.whoAmI()).rejects.toThrow(says);
    await expect(rangeOf(clients.storage, `${server().origin}/plain`, 0)).rejects.toThrow(says);
    expect(proxy.tunnels).toEqual([]);
  });

  it('it does not reach the server, which may pass', async () => {
    const proxy = await startProxy();
    proxy.refusal = 503;
    const { api, storage } = clientsOf(secure, proxy.url, 20_000);
    const calls = [api.whoAmI(), rangeOf(storage, `${secure.origin}/plain`, 0)];
    await expect.poll(() => proxy.tunnels.length).toBeGreaterThanOrEqual(4);
    proxy.refusal = undefined;
    await Promise.all(calls);
  });

  it('it is a socks proxy', async () => {
    const { api, storage } = clientsOf(secure, 'socks5://alice:secret@127.0.0.1:1080', 60_000);
    const says = 'the proxy of --proxy cannot be used: it is a socks5 proxy';
    await expect(api.whoAmI()).rejects.toThrow(says);
    await expect(rangeOf(storage, `${secure.origin}/plain`, 0)).rejects.toThrow(says);
  });
});

it('connections that are made ahead are tunnels that the next ranges use', async () => {
  const proxy = await startProxy();
  const { storage } = clientsOf(secure, proxy.url);
  storage.connectAhead(secure.origin, 2);
  await expect.poll(() => proxy.tunnels.length).toBe(2);
  await Promise.all([0, 4096].map((offset) => rangeOf(storage, `${secure.origin}/plain`, offset)));
  expect(proxy.tunnels).toHaveLength(2);
});

it('a range that is given up while its tunnel opens leaves nothing open', async () => {
  const proxy = await startProxy();
  const { storage } = clientsOf(secure, proxy.url);
  const controller = new AbortController();
  const range = storage.getRange(
    `${secure.origin}/plain`,
    { offset: 0, into: Buffer.alloc(10) },
    controller.signal,
  );
  controller.abort(new Error('given up'));
  await expect(range).rejects.toThrow('given up');
  expect(await rangeOf(storage, `${secure.origin}/plain`, 0)).toHaveLength(1024 * 1024);
});

it('the answers of a server are those of the server', async () => {
  const server = await startStub((_, response) => sendJson(response, 404, { code: 5002, message: 'gone' }), {
    certificate,
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const proxy = await startProxy();
  await expect(clientsOf(server, proxy.url).api.whoAmI()).rejects.toMatchObject({
    name: 'ApiError',
    code: 5002,
  });
});

it.each([
  ['over plain sockets', { 'content-length': '13' }],
  ['by undici', {}],
])('a page that answers instead of a store is named (%s)', async (_, headers) => {
  const server = await startStub((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end('<html></html>');
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const storage = createStorageClient({ clock: systemClock });
  onTestFinished(() => storage.close());
  const range = storage.getRange(`${server.origin}/a?signature=secret`, {
    offset: 5,
    into: Buffer.alloc(10),
  });
  const { host } = new URL(server.origin);
  await expect(range).rejects.toThrow(
    `a page of ${host} answered instead of the store: a proxy or the sign-in page`,
  );
});
