/** Networks that are not as usual: IPv6 alone, a sign-in page in place of the service, a clock that is wrong. */
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { TestUser } from '../service/test-service.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { ServedMount } from '../support/served-mount.ts';

const content = Buffer.alloc(20 * 1024 * 1024 + 123, 'svcfs');

let served: ServedMount;
let proxy: RecordingProxy;
let project: string;

beforeAll(async () => {
  served = await ServedMount.start({ serveArgs: ['--listen', '[::1]:0'] });
  expect(served.endpoint).toMatch(/^http:\/\/\[::1\]:\d+\/v2$/);
  proxy = await RecordingProxy.start(served.endpoint);
  project = (await new TestUser(served.endpoint, 'demo', served.token).project('Strange')).id;
});
afterAll(async () => {
  await served?.clean();
  await proxy?.stop();
});

async function mountBehindProxy(): Promise<void> {
  const { sandbox, token } = served;
  const env = { SVC_API_ENDPOINT: `${proxy.url}/v2`, SVC_AUTH_TOKEN: token };
  const args = ['mount', sandbox.mountPoint, '--metadata-ttl', '0'];
  expect(await sandbox.svcfs(args, { env })).toMatchObject({ code: 0, stderr: '' });
}

it('a mount of a service at an IPv6 address writes and reads', async () => {
  const file = served.path('projects', project, 'v6.bin');
  await writeFile(file, content);
  await served.unmount();
  await served.mount();
  const before = await served.counters();
  expect((await readFile(file)).equals(content)).toBe(true);
  expect((await served.counters()).storageGetBytes - before.storageGetBytes).toBe(content.length);
  await served.unmount();
});

it('a sign-in page that answers in a running mount is named', async () => {
  const portal = createServer((_, answer) => answer.end('<html><title>Hotel WiFi</title></html>'));
  portal.listen(0, '127.0.0.1');
  await once(portal, 'listening');
  onTestFinished(() => void portal.close());
  await mountBehindProxy();
  const service = proxy.target;
  proxy.target = new URL(`http://127.0.0.1:${(portal.address() as AddressInfo).port}`);
  const path = served.path('projects', project, 'nothing-yet');
  await expect(stat(path)).rejects.toMatchObject({ code: 'EIO' });
  const { stdout } = await served.sandbox.svcfs(['why', path]);
  const { host } = new URL(proxy.url);
  expect(stdout).toContain(
    `a page of ${host} answered instead of the platform ("Hotel WiFi"), with HTTP status 200`,
  );
  proxy.target = service;
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
  await served.unmount();
});

it('a clock that is off by more than a minute is told once by the log, and by the status', async () => {
  const warned = async (): Promise<number> =>
    (await served.sandbox.logs()).split('\n').filter((line) => line.includes('the clock of this machine is'))
      .length;
  await mountBehindProxy();
  const text = async (): Promise<string> => (await served.sandbox.svcfs(['status'])).stdout;
  const ahead = async (): Promise<number | null> => {
    const { stdout } = await served.sandbox.svcfs(['status', '--json']);
    const [mount] = JSON.parse(stdout);
    expect(mount.mountPoint).toBe(served.sandbox.mountPoint);
    return mount.statistics.api.clockAheadMs;
  };
  expect(await text()).not.toContain('clock:');
  expect(await ahead()).toBeNull();

  proxy.dateAheadMs = 20 * 60_000;
  for (const name of ['a', 'b']) await stat(served.path('projects', project, name)).catch(() => undefined);
  expect(await text()).toMatch(
    /clock: the clock of this machine is 20 min behind that of the service: set it right/,
  );
  expect(await ahead()).toBeGreaterThan(19 * 60_000);
  expect(await warned()).toBe(1);

  proxy.dateAheadMs = 0;
  await stat(served.path('projects', project, 'c')).catch(() => undefined);
  expect(await ahead()).toBeNull();
  await served.unmount();
});
