/** A mount behind proxies: its calls, its reads and its writes go through them, and what they refuse is named. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { TestUser } from '../service/test-service.ts';
import { type Certificate, makeCertificate } from '../support/certificate.ts';
import { ForwardProxy } from '../support/forward-proxy.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { type RunResult, run } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const MIB = 1024 * 1024;
const content = randomBytes(40 * MIB + 12_345);
const NAME = 'svc.example';

let served: ServedMount;
let certificate: Certificate;
/** The service over TLS, by a name that only proxies know. */
let secure: RecordingProxy;
let proxy: ForwardProxy;
let file: string;

beforeAll(async () => {
  served = await ServedMount.start({ serveArgs: ['--trusted-proxy', '127.0.0.1'] });
  const user = new TestUser(served.endpoint, 'demo', served.token);
  file = served.path('projects', (await user.project('Proxies')).id, 'reads.fastq');
  await served.unmount();
  certificate = await makeCertificate(served.sandbox.root, { names: `DNS:${NAME}` });
  secure = await RecordingProxy.start(served.endpoint, { certificate });
  const place = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });
  proxy = await ForwardProxy.start({
    credentials: 'alice:pr0xy-secret',
    names: { [`${NAME}:443`]: place(secure.url), [`${NAME}:80`]: place(served.endpoint) },
  });
});
afterAll(async () => {
  await served?.clean();
  await secure?.stop();
  await proxy?.stop();
});

function mount(env: Readonly<Record<string, string>>, args: readonly string[] = []): Promise<RunResult> {
  const { sandbox, token } = served;
  return sandbox.svcfs(['mount', sandbox.mountPoint, ...args], { env: { SVC_AUTH_TOKEN: token, ...env } });
}

/** Writes a file, and reads it in another mount: nothing of it is in memory then. */
async function writeAndRead(env: Readonly<Record<string, string>>, args: readonly string[]): Promise<void> {
  expect(await mount(env, args)).toMatchObject({ code: 0, stderr: '' });
  await writeFile(file, content);
  await served.unmount();
  expect(await mount(env, args)).toMatchObject({ code: 0, stderr: '' });
  expect((await readFile(file)).equals(content)).toBe(true);
}

describe('a file goes up and comes back by way of a proxy', () => {
  it('over https, through tunnels alone', async () => {
    const env = { SVC_API_ENDPOINT: `https://${NAME}/v2`, HTTPS_PROXY: proxy.url };
    const before = await served.counters();
    const args = ['--ca-file', certificate.path];
    await writeAndRead(env, args);
    const after = await served.counters();
    expect(after.storageGetBytes - before.storageGetBytes).toBe(content.length);
    expect(secure.requests.length).toBe(
      after.apiRequests -
        before.apiRequests +
        after.storageGets -
        before.storageGets +
        after.storagePuts -
        before.storagePuts,
    );
    expect(new Set(proxy.tunnels)).toEqual(new Set([`${NAME}:443`]));
    expect(proxy.forwarded).toEqual([]);

    const config = JSON.parse(await readFile(served.path('.svcfs', 'config'), 'utf8'));
    expect(config).toMatchObject({ proxy: proxy.place, caFile: certificate.path });
    await expectNoPassword();
    await served.unmount();
  });

  it('over http, as whole addresses', async () => {
    const tunnels = proxy.tunnels.length;
    const env = { SVC_API_ENDPOINT: `http://${NAME}/v2`, http_proxy: proxy.url };
    const before = await served.counters();
    await writeAndRead(env, []);
    const after = await served.counters();
    expect(proxy.forwarded.every((line) => line.includes(`http://${NAME}/`))).toBe(true);
    expect(proxy.forwarded.length).toBe(
      after.apiRequests -
        before.apiRequests +
        after.storageGets -
        before.storageGets +
        after.storagePuts -
        before.storagePuts,
    );
    expect(proxy.tunnels.length).toBe(tunnels);
    await served.unmount();
  });
});

/** Neither in what ps shows of all processes, nor in logs, files of the mount, nor answers of commands. */
async function expectNoPassword(): Promise<void> {
  const { sandbox } = served;
  const shown = ['config', 'stats', 'errors', 'metrics', 'version'].map((name) =>
    served.path('.svcfs', name),
  );
  const commands = [sandbox.svcfs(['status']), run('ps', ['axww', '-o', 'args'])];
  const texts = [
    ...(await Promise.all(shown.map((path) => readFile(path, 'utf8')))),
    ...(await Promise.all(commands)).map(({ stdout, stderr }) => stdout + stderr),
    await sandbox.logs(),
  ];
  // `ps e`: the environment of the mount's processes, which is shown to their user and to root.
  for (const { pid } of await sandbox.processes()) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    if (!environment.includes('--internal-stats')) texts.push(environment);
  }
  for (const text of texts) expect(text.includes('pr0xy-secret')).toBe(false);
}

describe('the variables and options', () => {
  it('leave this machine alone, unless --proxy asks for it, and --no-proxy excepts it again', async () => {
    const env = { SVC_API_ENDPOINT: served.endpoint, HTTP_PROXY: 'http://127.0.0.1:1', SVCFS_PROXY: '' };
    expect(await mount(env)).toMatchObject({ code: 0, stderr: '' });
    await served.unmount();

    const before = proxy.forwarded.length;
    const asked = { ...env, SVCFS_PROXY: proxy.url };
    expect(await mount(asked)).toMatchObject({ code: 0, stderr: '' });
    expect(proxy.forwarded.length).toBeGreaterThan(before);
    await served.unmount();

    const requests = proxy.forwarded.length;
    expect(await mount(asked, ['--no-proxy', '127.0.0.0/8'])).toMatchObject({ code: 0, stderr: '' });
    await served.unmount();
    expect(proxy.forwarded.length).toBe(requests);
  });
});

it('svcfs whoami goes by way of the proxy too', async () => {
  const env = {
    SVC_API_ENDPOINT: `https://${NAME}/v2`,
    SVC_AUTH_TOKEN: served.token,
    HTTPS_PROXY: proxy.url,
  };
  const before = proxy.tunnels.length;
  const result = await served.sandbox.svcfs(['whoami', '--ca-file', certificate.path], { env });
  expect(result).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('you are demo') });
  expect(proxy.tunnels.length).toBe(before + 1);
});

it('svcfs config show hides the password, wherever the address comes from', async () => {
  const { sandbox } = served;
  const shown = await sandbox.svcfs(['config', 'show', 'mount'], { env: { SVCFS_PROXY: proxy.url } });
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toContain(`http://[hidden]@${proxy.place}`);
  expect(shown.stdout).not.toContain('pr0xy-secret');
});

describe('svcfs mount fails in one line, and starts nothing, for', () => {
  async function expectFailure(
    exit: keyof typeof EXIT_CODES,
    says: RegExp,
    env: Readonly<Record<string, string>>,
    args: readonly string[] = [],
  ): Promise<void> {
    const result = await mount({ SVC_API_ENDPOINT: `https://${NAME}/v2`, ...env }, args);
    expect(result).toMatchObject({ code: EXIT_CODES[exit].code, stdout: '' });
    expect(result.stderr).toMatch(says);
    expect(result.stderr.trimEnd()).not.toContain('\n');
    expect(result.stderr).not.toContain('pr0xy-secret');
  }

  it('a proxy that refuses the password', async () => {
    const wrong = proxy.url.replace('alice', 'bob');
    await expectFailure(
      'unreachable',
      new RegExp(`the proxy ${proxy.place} refuses the user or the password`),
      {
        HTTPS_PROXY: wrong,
      },
    );
  });

  it('a proxy that refuses the service', async () => {
    proxy.refusal = 403;
    const says = new RegExp(
      `the proxy ${proxy.place} refuses connections to ${NAME}:443 .*--no-proxy ${NAME}`,
    );
    await expectFailure('unreachable', says, { HTTPS_PROXY: proxy.url });
    proxy.refusal = undefined;
  });

  it('a proxy of a kind that is not spoken', async () => {
    const says = /^svcfs: the proxy of ALL_PROXY cannot be used: it is a socks5h proxy.*--no-proxy/;
    await expectFailure('usage', says, { ALL_PROXY: 'socks5h://alice:pr0xy-secret@127.0.0.1:1' });
  });

  it.each(['login', 'whoami'])(
    'a password on the command line, which ps would show, of svcfs %s too',
    async (name) => {
      const result = await served.sandbox.svcfs([name, '--proxy', proxy.url]);
      expect(result).toMatchObject({ code: EXIT_CODES.usage.code, stdout: '' });
      expect(result.stderr).toMatch(/--proxy takes no user and password/);
    },
  );

  it('a password on the command line, which ps would show', async () => {
    await expectFailure('usage', /--proxy takes no user and password.*SVCFS_PROXY$/m, {}, [
      '--proxy',
      proxy.url,
    ]);
  });

  it.each([
    ['is missing', '/nowhere/ca.pem', /\/nowhere\/ca\.pem: no such file or directory; give .*--ca-file/],
    ['is a directory', '/tmp', /\/tmp: illegal operation on a directory; give .*--ca-file/],
    ['holds none', '/etc/hostname', /\/etc\/hostname: no certificate is in it; give .*--ca-file/],
  ])('a file of certificates that %s', async (_, path, says) => {
    await expectFailure('usage', says, {}, ['--ca-file', path]);
  });

  it('a file of certificates that is damaged', async () => {
    const path = join(served.sandbox.root, 'damaged.pem');
    const whole = certificate.cert.toString();
    await writeFile(path, whole + whole.replace(/\n[A-Za-z0-9+/]{20}/, '\nAAAA'));
    await expectFailure('usage', /damaged\.pem: its certificate 2 is damaged; give/, { SVCFS_CA_FILE: path });
  });

  it('a certificate of an authority that nobody named', async () => {
    const says = new RegExp(
      `the certificate of ${NAME} comes from no authority that is trusted here .*--ca-file`,
    );
    await expectFailure('unreachable', says, { HTTPS_PROXY: proxy.url });
  });
});
