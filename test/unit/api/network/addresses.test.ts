/** Servers at IPv6 addresses, and at names that have addresses of both kinds: for calls, ranges over plain sockets, and parts. */
import dns, { type LookupAddress } from 'node:dns';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createApi } from '../../../../src/api/create-api.ts';
import { createStorageClient } from '../../../../src/api/create-storage-client.ts';
import { Network } from '../../../../src/api/network/network.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { parseProxy } from '../../../../src/lib/proxy-address.ts';
import { NO_PROXIES } from '../../../../src/lib/proxy-rules.ts';
import { type Certificate, makeCertificate } from '../../../support/certificate.ts';
import { ForwardProxy } from '../../../support/forward-proxy.ts';
import { type StubHandler, type StubServer, startStub } from '../../../support/stub-server.ts';

const NAME = 'both.example';
const object = Buffer.alloc(100_000, 'svcfs');
let certificate: Certificate;

beforeAll(async () => {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  certificate = await makeCertificate(name, { names: `DNS:${NAME},IP:127.0.0.1,IP:::1` });
  removeCallback();
});
afterAll(() => void vi.restoreAllMocks());

const handler: StubHandler = ({ method, url }, response) => {
  if (url.startsWith('/v2/')) return { username: 'alice' };
  if (method === 'PUT') return void response.writeHead(200, { etag: '"part"' }).end();
  const range = { 'content-range': `bytes 0-${object.length - 1}/${object.length}` };
  return void response.writeHead(206, { ...range, 'content-length': object.length }).end(object);
};

async function start(address: string, scheme: string): Promise<StubServer> {
  const server = await startStub(handler, { address, ...(scheme === 'https' && { certificate }) });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function expectAllOf(origin: string, proxy?: string): Promise<void> {
  const named = proxy === undefined ? undefined : { from: '--proxy', address: parseProxy(proxy) };
  const proxies = named ? { http: named, https: named, except: '', loopback: true } : NO_PROXIES;
  const network = new Network({ proxies, authorities: [certificate.cert.toString()] });
  const options = { clock: systemClock, network, limits: { timeoutMs: 3000 } };
  const api = createApi({ endpoint: `${origin}/v2`, token: 't', ...options });
  const storage = createStorageClient(options);
  onTestFinished(async () => void (await Promise.all([api.close(), storage.close()])));
  expect(await api.whoAmI()).toEqual({ username: 'alice' });
  const into = Buffer.alloc(object.length);
  await storage.getRange(`${origin}/object`, { offset: 0, into });
  expect(into.equals(object)).toBe(true);
  const part = { url: `${origin}/part`, method: 'PUT', headers: {}, expiresMs: undefined } as const;
  expect(await storage.putPart(part, object)).toMatchObject({ etag: 'part' });
}

/** No DNS has it: both addresses of this machine, in the order in which systems prefer them. */
function resolveBoth(): void {
  const addresses: readonly LookupAddress[] = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  const lookup = (_name: string, _options: object, done: (error: null, found: unknown) => void): void =>
    process.nextTick(done, null, addresses);
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup);
  onTestFinished(() => spy.mockRestore());
}

it.each(['http', 'https'])('an address of IPv6, over %s', async (scheme) => {
  const { origin } = await start('::1', scheme);
  expect(origin).toMatch(/:\/\/\[::1\]:\d+$/);
  await expectAllOf(origin);
});

it.each(['http', 'https'])('an address of IPv6 behind a proxy at one, over %s', async (scheme) => {
  const { origin } = await start('::1', scheme);
  const proxy = await ForwardProxy.start({ address: '::1' });
  onTestFinished(() => proxy.stop());
  await expectAllOf(origin, proxy.url);
  const targets = [
    ...proxy.tunnels,
    ...proxy.forwarded.map((line) => new URL(line.split(' ')[1] ?? '').host),
  ];
  expect(new Set(targets)).toEqual(new Set([new URL(origin).host]));
});

it.each([
  ['http', '127.0.0.1'],
  ['http', '::1'],
  ['https', '127.0.0.1'],
  ['https', '::1'],
])('a name with both kinds of addresses, of which one answers, over %s: %s', async (scheme, address) => {
  const { origin } = await start(address, scheme);
  resolveBoth();
  await expectAllOf(`${scheme}://${NAME}:${new URL(origin).port}`);
});
