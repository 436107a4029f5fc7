/** Stores that do not prove who they are, or end what was begun: a read fails, and `user.svc.error` names the host and why. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { TestUser } from '../service/test-service.ts';
import { type CertificateOptions, makeCertificate } from '../support/certificate.ts';
import { attempt, errorOf } from '../support/fault-world.ts';
import { ForwardProxy } from '../support/forward-proxy.ts';
import { freePort } from '../support/free-port.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { ServedMount } from '../support/served-mount.ts';

const OVER = { from: '20200101000000Z', until: '20210101000000Z' };
/** All but the last are named by `--ca-file`. */
const CERTIFICATES: Readonly<Record<string, CertificateOptions>> = {
  good: { names: 'DNS:localhost' },
  elsewhere: { names: 'DNS:store.example' },
  expired: { names: 'DNS:localhost', ...OVER },
  selfSigned: { names: 'DNS:localhost' },
};
const MOST_FILES = 10;

let served: ServedMount;
/** The service, over http. Its links lead to `store`, which is another server over TLS in each test. */
let service: RecordingProxy;
let store: AsyncDisposable | undefined;
let storePort: number;
let storeRequests: number;
let certificates: Readonly<Record<string, TlsOptions>>;
let caFile: string;
let folder: string;
let filesRead = 0;

beforeAll(async () => {
  served = await ServedMount.start({ serveArgs: ['--trusted-proxy', '127.0.0.1'] });
  const user = new TestUser(served.endpoint, 'demo', served.token);
  folder = served.path('projects', (await user.project('Stores')).id);
  for (let file = 0; file < MOST_FILES; file += 1) await writeFile(`${folder}/${file}`, Buffer.alloc(65_536));
  await served.unmount();
  await makeCertificates(served.sandbox.root);
  storePort = await freePort();
  service = await RecordingProxy.start(served.endpoint, { linksTo: `https://localhost:${storePort}` });
  await mount();
});
afterEach(async () => {
  await store?.[Symbol.asyncDispose]();
  store = undefined;
});
afterAll(async () => {
  await served?.clean();
  await service?.stop();
});

async function makeCertificates(directory: string): Promise<void> {
  const made = Object.entries(CERTIFICATES).map(
    async ([name, options]) => [name, await makeCertificate(directory, options)] as const,
  );
  const { selfSigned, ...named } = Object.fromEntries(await Promise.all(made));
  caFile = join(directory, 'authorities.pem');
  await writeFile(caFile, Buffer.concat(Object.values(named).map(({ cert }) => cert)));
  certificates = { ...named, selfSigned: selfSigned ?? {} };
}

async function mount(args: readonly string[] = []): Promise<void> {
  const { sandbox, token } = served;
  const usual = ['--retry-timeout', '1', '--ca-file', caFile];
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint, ...usual, ...args], {
    env: { SVC_API_ENDPOINT: `${service.url}/v2`, SVC_AUTH_TOKEN: token },
  });
  expect(mounted).toMatchObject({ code: 0, stderr: '' });
}

/** A store at the address that links lead to. */
async function startStore(
  options: TlsOptions | undefined,
  onSecure: (socket: TLSSocket) => void = () => undefined,
): Promise<void> {
  const server = createServer(options ?? {});
  const sockets = new Set<Socket>();
  storeRequests = 0;
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  server.on('tlsClientError', () => undefined);
  server.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      storeRequests += 1;
    });
    onSecure(socket);
  });
  server.listen(storePort, '127.0.0.1');
  await once(server, 'listening');
  store = {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Of the `user.svc.error` of a file that nobody has read yet, and nobody can read now. */
async function errorOfReading(): Promise<string> {
  const file = `${folder}/${filesRead}`;
  filesRead += 1;
  const { code, stderr } = await attempt('cat', [file]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Input/output error') });
  return errorOf(file);
}

it.each([
  [
    'is for another host',
    'elsewhere',
    /certificate of localhost is one of another host \(DNS:store\.example\)/,
  ],
  ['has expired', 'expired', /certificate of localhost has expired/],
  ['signed itself', 'selfSigned', /certificate of localhost comes from no authority that is trusted here/],
])('refuses a store whose certificate %s', async (_, name, says) => {
  await startStore(certificates[name]);
  expect(await errorOfReading()).toMatch(says);
  expect(storeRequests).toBe(0);
});

it('refuses a store that speaks TLS 1.0 alone', async () => {
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' } as const;
  await startStore({ ...certificates['good'], ...old });
  expect(await errorOfReading()).toMatch(/localhost speaks no TLS 1\.2 or 1\.3/);
  expect(storeRequests).toBe(0);
});

it.each<[string, (socket: TLSSocket) => void, RegExp]>([
  ['closes', (socket) => void socket.end(), /the store localhost: .*(closed the connection|ECONNRESET)/],
  ['resets', (socket) => void socket.destroy(), /the store localhost: .*(closed the connection|ECONNRESET)/],
  ['is silent', () => undefined, /the store localhost: the store sent nothing for too long/],
])('tells that a store %s after the handshake', async (_, onSecure, says) => {
  await startStore(certificates['good'], onSecure);
  expect(await errorOfReading()).toMatch(says);
});

it('tells that a proxy asks for a password, of a store that is behind it', async () => {
  await served.unmount();
  const proxy = await ForwardProxy.start({ credentials: 'alice:secret' });
  await mount(['--proxy', `http://${proxy.place}`, '--no-proxy', '127.0.0.1']);
  expect(await errorOfReading()).toContain(
    `the proxy ${proxy.place} asks for a user and a password (HTTP status 407)`,
  );
  expect(proxy.tunnels).toContain(`localhost:${storePort}`);
  await proxy.stop();
});
