/** A mount of a service and its storage over TLS, as they are in production. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { TestUser } from '../service/test-service.ts';
import { type Certificate, makeCertificate } from '../support/certificate.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import type { RunResult } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const MIB = 1024 * 1024;
const content = randomBytes(64 * MIB + 12_345);

let served: ServedMount;
let certificate: Certificate;
let proxy: RecordingProxy;
let file: string;

beforeAll(async () => {
  served = await ServedMount.start({ serveArgs: ['--trusted-proxy', '127.0.0.1'] });
  const user = new TestUser(served.endpoint, 'demo', served.token);
  file = served.path('projects', (await user.project('Tls')).id, 'reads.fastq');
  await served.unmount();
  certificate = await makeCertificate(served.sandbox.root);
  proxy = await RecordingProxy.start(served.endpoint, { certificate });
});
afterAll(async () => {
  await served?.clean();
  await proxy?.stop();
});

function mount(env: Readonly<Record<string, string>>): Promise<RunResult> {
  const { sandbox, token } = served;
  return sandbox.svcfs(['mount', sandbox.mountPoint], { env: { SVC_AUTH_TOKEN: token, ...env } });
}

async function mountTrusting(): Promise<void> {
  const trusting = { SVC_API_ENDPOINT: `${proxy.url}/v2`, NODE_EXTRA_CA_CERTS: certificate.path };
  expect(await mount(trusting)).toMatchObject({ code: 0, stderr: '' });
}

it('a file goes up and comes back, all of it over TLS', async () => {
  await mountTrusting();
  await writeFile(file, content);
  await served.unmount();

  await mountTrusting();
  const before = await served.counters();
  expect((await readFile(file)).equals(content)).toBe(true);
  const after = await served.counters();
  expect(after.storageGetBytes - before.storageGetBytes).toBe(content.length);
  const ranges = proxy.requests.filter(({ method, headers }) => method === 'GET' && headers.range);
  expect(ranges).toHaveLength(after.storageGets);
  await served.unmount();
});

it('a certificate that nobody vouches for is refused, with the remedy', async () => {
  const { code, stderr } = await mount({ SVC_API_ENDPOINT: `${proxy.url}/v2` });
  expect(code).toBe(EXIT_CODES.unreachable.code);
  expect(stderr).toMatch(
    /certificate of 127\.0\.0\.1 comes from no authority .*self-signed certificate.*--ca-file/,
  );
});

it('a service that does not speak TLS is named as such', async () => {
  const { code, stderr } = await mount({ SVC_API_ENDPOINT: served.endpoint.replace('http:', 'https:') });
  expect(code).toBe(EXIT_CODES.unreachable.code);
  expect(stderr).toMatch(/does not speak TLS; is its address one of http:\/\//);
});
