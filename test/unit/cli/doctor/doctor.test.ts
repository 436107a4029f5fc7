/**
 * `svcfs doctor` on set-ups that are broken, each with a real fault: it finds the fault and names a remedy. The remedy is then
 * carried out, and the fault is gone.
 */
import { once } from 'node:events';
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EXIT_CODES } from '../../../../src/cli/exit-codes.ts';
import { createProgram } from '../../../../src/cli/program.ts';
import { mountDirectory } from '../../../../src/config/directories.ts';
import { exists } from '../../../../src/lib/exists.ts';
import { lockFile } from '../../../../src/lib/lock-file.ts';
import { TestService, type TestUser } from '../../../service/test-service.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { FaultProxy } from '../../../support/fault-proxy.ts';
import { ForwardProxy } from '../../../support/forward-proxy.ts';
import { RecordingProxy } from '../../../support/recording-proxy.ts';
import { shell } from '../../../support/run.ts';
import { MAY_MOUNT, SmallDisk } from '../../../support/small-disk.ts';

interface Found {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly remedy: string | null;
}

let service: TestService;
let user: TestUser;
let proxy: FaultProxy;
let place: { readonly name: string; removeCallback(): void };
let state: string;
let mountPoint: string;

beforeAll(async () => {
  service = await TestService.start();
  user = await service.user('ada');
  await user.project('First');
  proxy = await FaultProxy.start(new URL(service.url).origin);
});
afterAll(async () => {
  await proxy?.close();
  await service?.stop();
});

beforeEach(async () => {
  place = dirSync({ prefix: 'svcfs-doctor', unsafeCleanup: true });
  state = join(place.name, 'state', 'svcfs');
  mountPoint = join(place.name, 'mnt');
  await mkdir(state, { recursive: true });
  for (const name of [
    'SVCFS_CONFIG',
    'SVC_AUTH_TOKEN',
    'SVC_API_ENDPOINT',
    'SB_API_ENDPOINT',
    'SB_AUTH_TOKEN',
  ])
    vi.stubEnv(name, undefined);
  vi.stubEnv('HOME', place.name);
  vi.stubEnv('XDG_STATE_HOME', join(place.name, 'state'));
  vi.stubEnv('XDG_CONFIG_HOME', place.name);
});
afterEach(() => {
  proxy.heal();
  vi.unstubAllEnvs();
  place.removeCallback();
});

async function svcfs(words: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  try {
    await createProgram().parseAsync(words, { from: 'user' });
  } finally {
    log.mockRestore();
  }
  return lines.join('\n');
}

/** What the doctor finds about one thing, and how it would exit. */
async function examined(check: string, args: readonly string[] = []): Promise<Found & { exit: number }> {
  const { findings } = JSON.parse(await svcfs(['doctor', mountPoint, '--json', ...args]));
  const exit = Number(process.exitCode ?? 0);
  process.exitCode = undefined;
  const found = (findings as readonly Found[]).find((each) => each.check === check);
  if (found === undefined) throw new Error(`nothing about ${check}: ${JSON.stringify(findings, null, 2)}`);
  return { ...found, exit };
}

async function expectFault(check: string, found: RegExp, remedy: RegExp): Promise<string> {
  const finding = await examined(check);
  expect(finding).toMatchObject({ state: 'fault', exit: EXIT_CODES.faulty.code });
  expect(finding.found).toMatch(found);
  expect(finding.remedy).toMatch(remedy);
  return finding.remedy ?? '';
}

/** The variables that a remedy sets in the shell that it is pasted into; placeholders of it get these values. */
async function paste(remedy: string, values: Readonly<Record<string, string>> = {}): Promise<void> {
  const line = Object.entries(values).reduce((text, [from, to]) => text.replaceAll(from, to), remedy);
  const [, name = 'HOME'] = /^export (\w+)=/.exec(line) ?? [];
  vi.stubEnv(name, (await shell(`${line}\nprintenv ${name}`)).trim());
}

function signIn(endpoint = `${proxy.origin}/v2`, token = user.token): void {
  vi.stubEnv('SVC_API_ENDPOINT', endpoint);
  vi.stubEnv('SVC_AUTH_TOKEN', token);
}

async function login(remedy: string, endpoint: string): Promise<void> {
  const file = join(place.name, 'token');
  await writeFile(file, user.token, { mode: 0o600 });
  vi.stubEnv('SVC_AUTH_TOKEN', undefined);
  vi.stubEnv('SVC_API_ENDPOINT', undefined);
  await svcfs([
    ...remedy.split(' ').slice(1),
    ...(remedy.includes('--endpoint') ? [] : ['--endpoint', endpoint]),
    '--token-file',
    file,
  ]);
}

describe('a set-up where all is well', () => {
  it('has no fault, and costs two requests and one for each of up to three projects', async () => {
    signIn();
    proxy.requests.length = 0;
    expect(await examined('token')).toMatchObject({ state: 'ok', exit: 0 });
    expect(proxy.requests.map(({ method, path }) => `${method} ${path.split('?', 1)[0]}`)).toEqual([
      'GET /v2/user',
      'GET /v2/projects',
      'GET /v2/projects/ada/first',
    ]);
  });

  it('shows no token', async () => {
    signIn();
    expect(await svcfs(['doctor', mountPoint])).not.toContain(user.token);
    expect(await svcfs(['doctor', mountPoint, '--json'])).not.toContain(user.token);
    process.exitCode = undefined;
  });
});

describe('the doctor finds, with a remedy that works,', () => {
  it('that nobody has signed in', async () => {
    const remedy = await expectFault('credentials', /^no API endpoint/, /^svcfs login$/);
    await login(remedy, `${proxy.origin}/v2`);
    expect(await examined('token')).toMatchObject({ state: 'ok', exit: 0 });
  });

  it('a file with tokens that others may read', async () => {
    await login('svcfs login', `${proxy.origin}/v2`);
    const file = join(place.name, '.svcfs', 'credentials');
    await chmod(file, 0o644);
    await paste(await expectFault('credentials', /others may read it/, /^chmod 600 /));
    expect(await examined('credentials')).toMatchObject({ state: 'ok' });
    await chmod(file, 0o644);
    expect(await examined('credentials', ['--fix'])).toMatchObject({ state: 'ok', exit: 0 });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('a host that there is not', async () => {
    signIn('http://nowhere.invalid/v2');
    await expectFault('name', /no host nowhere\.invalid/, /svcfs login --endpoint URL$/);
    expect(await examined('endpoint, token, clock, projects, request limit')).toMatchObject({
      state: 'unknown',
    });
    signIn();
    expect(await examined('endpoint')).toMatchObject({ state: 'ok' });
  });

  it('a port where nobody listens', async () => {
    signIn();
    await proxy.down();
    await expectFault('connection', /^nobody listens at 127\.0\.0\.1/, /start the service/);
    await proxy.up();
    expect(await examined('connection')).toMatchObject({ state: 'ok' });
  });

  it('an endpoint without its path', async () => {
    signIn(proxy.origin);
    const remedy = await expectFault('endpoint', /^no API at /, /^svcfs login --endpoint \S+\/v2$/);
    await login(remedy, '');
    expect(await examined('endpoint')).toMatchObject({ state: 'ok', exit: 0 });
  });

  it('the sign-in page of a network', async () => {
    const portal = createServer((_, answer) => answer.end('<html><title>Hotel WiFi</title></html>'));
    portal.listen(0, '127.0.0.1');
    await once(portal, 'listening');
    onTestFinished(() => void portal.close());
    const way = await RecordingProxy.start(`http://127.0.0.1:${(portal.address() as AddressInfo).port}`);
    onTestFinished(() => way.stop());
    signIn(`${way.url}/v2`);
    await expectFault('endpoint', /answered instead of the platform \("Hotel WiFi"\)/, /^xdg-open /);
    way.target = new URL(service.url);
    expect(await examined('endpoint')).toMatchObject({ state: 'ok' });
  });

  it('a certificate of an authority that nobody trusts here', async () => {
    const certificate = await makeCertificate(place.name);
    const way = await RecordingProxy.start(service.url, { certificate });
    onTestFinished(() => way.stop());
    signIn(`${way.url}/v2`);
    const remedy = await expectFault('certificate', /no authority that is trusted/, /^export SVCFS_CA_FILE=/);
    await paste(remedy, { '/path/to/authority.pem': certificate.path });
    const trusted = await examined('certificate');
    // It is made for two days.
    expect(trusted).toMatchObject({ state: 'warning', exit: 0 });
    expect(trusted.found).toMatch(/ends soon$/);
  });

  it('a proxy that refuses the host', async () => {
    const refusing = await ForwardProxy.start();
    onTestFinished(() => refusing.stop());
    refusing.refusal = 403;
    const certificate = await makeCertificate(place.name);
    const way = await RecordingProxy.start(service.url, { certificate });
    onTestFinished(() => way.stop());
    signIn(`${way.url}/v2`);
    vi.stubEnv('SVCFS_CA_FILE', certificate.path);
    vi.stubEnv('SVCFS_PROXY', refusing.url);
    await paste(
      await expectFault('proxy', /refuses connections to 127/, /^export SVCFS_NO_PROXY=127\.0\.0\.1 /),
    );
    expect(await examined('token')).toMatchObject({ state: 'ok', exit: 0 });
  });

  it('a token that has ended', async () => {
    const ended = await service.operator.issueToken('ada', { expiresMs: Date.now() - 1000 });
    signIn(`${proxy.origin}/v2`, ended);
    await login(await expectFault('token', /refuses it/, /^svcfs login$/), `${proxy.origin}/v2`);
    expect(await examined('token')).toMatchObject({ state: 'ok' });
  });

  it('a token that is about to end', async () => {
    const ending = await service.operator.issueToken('ada', { expiresMs: Date.now() + 3_600_000 });
    signIn(`${proxy.origin}/v2`, ending);
    expect(await examined('token')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/ends soon$/),
      remedy: 'svcfs login',
    });
  });

  it('a clock that is not that of the service', async () => {
    const way = await RecordingProxy.start(service.url);
    onTestFinished(() => way.stop());
    signIn(`${way.url}/v2`);
    way.dateAheadMs = 20 * 60_000;
    await expectFault('clock', /20 min behind that of the service$/, /^timedatectl set-ntp true/);
    way.dateAheadMs = 0;
    expect(await examined('clock')).toMatchObject({ state: 'ok' });
  });

  it('a request limit that is used up', async () => {
    signIn();
    const reset = String(Math.ceil(Date.now() / 1000) + 100);
    const headers = { 'X-RateLimit-Limit': '1000', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset };
    proxy.inject({ kind: 'answer', status: 429, headers });
    await expectFault('request limit', /^used up until /, /^sleep \d+/);
    proxy.heal();
    expect(await examined('request limit')).toMatchObject({ state: 'ok' });
  });

  it('a staging project in which the user may not write', async () => {
    const eve = await service.user('eve');
    const { id } = await eve.project('Staging');
    signIn();
    vi.stubEnv('SVCFS_STAGING_PROJECT', id);
    await expectFault('projects', /eve\/staging is not there, or ada is no member/, /^# have an admin /);
    const member = { username: 'ada', permissions: { read: true, write: false } };
    await eve.post(`/projects/${id}/members`, member);
    await expectFault('projects', /ada may not write in eve\/staging/, /the right to write$/);
    await eve.call('PATCH', `/projects/${id}/members/ada/permissions`, { body: { write: true } });
    expect(await examined('projects')).toMatchObject({ state: 'ok' });
  });

  it.skipIf(!MAY_MOUNT)('a full disk', async () => {
    const disk = await SmallDisk.mount(128 * 1024 * 1024);
    onTestFinished(() => disk.unmount());
    vi.stubEnv('XDG_STATE_HOME', disk.path);
    await disk.fill();
    await expectFault('state', /^0 B free in /, /^df -h /);
    await disk.empty();
    expect(await examined('state')).toMatchObject({ state: 'warning' });
  });

  it('a state directory that others may write to', async () => {
    await chmod(state, 0o777);
    await paste(await expectFault('state', /can be written by others$/, /^chmod go-w /));
    expect((await examined('state')).found).toMatch(/ free in /);
    await chmod(state, 0o777);
    await examined('state', ['--fix']);
    expect((await stat(state)).mode & 0o777).toBe(0o755);
  });

  it('state that a process elsewhere uses', async () => {
    const { root } = mountDirectory(state, mountPoint);
    await mkdir(root);
    const lock = await lockFile(join(root, 'lock'), 0);
    onTestFinished(() => lock?.close());
    const remedy = await expectFault(
      'other mounts',
      /another machine or container/,
      /^export XDG_STATE_HOME=/,
    );
    await paste(remedy, { '/a/directory/of/this/machine': join(place.name, 'own') });
    expect(await examined('leftovers')).toMatchObject({ state: 'ok', found: 'none' });
  });

  it('a mount that was killed and is gone', async () => {
    const { root, record } = mountDirectory(state, mountPoint);
    await mkdir(root);
    const daemon = { pid: 2 ** 22 + 1, startTicks: '1' };
    await writeFile(record, JSON.stringify({ mountPoint, endpoint: 'http://a/v2', daemon }));
    expect(await examined('leftovers')).toMatchObject({
      state: 'warning',
      found: expect.stringMatching(/ended without unmounting$/),
    });
    expect(await examined('leftovers', ['--fix'])).toMatchObject({ state: 'ok' });
    expect(await exists(record)).toBe(false);
  });

  it('a file of options that says something wrong', async () => {
    await mkdir(join(place.name, 'svcfs'));
    const file = join(place.name, 'svcfs', 'config.toml');
    await writeFile(file, '[mount]\nmetadata-tttl = 3\n');
    await expectFault('configuration', /metadata-tttl/, /^svcfs config show/);
    await writeFile(file, `[mount]\nendpoint = "${proxy.origin}/v2"\n`);
    vi.stubEnv('SVC_AUTH_TOKEN', user.token);
    expect(await examined('endpoint')).toMatchObject({ state: 'ok' });
  });
});
