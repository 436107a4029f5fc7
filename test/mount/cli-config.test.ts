import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { startDemoService } from '../support/demo-service.ts';
import { test } from '../support/sandbox-test.ts';

test('svcfs mount takes options from -o and from a configuration file, and umount ends the mount', async ({
  sandbox,
}) => {
  const service = await startDemoService();
  onTestFinished(() => service.end());
  const folder = join(sandbox.home, '.config', 'svcfs');
  await mkdir(folder, { recursive: true });
  const tokenFile = join(sandbox.root, 'token');
  await writeFile(tokenFile, service.token, { mode: 0o600 });
  await writeFile(
    join(folder, 'config.toml'),
    `[mount]\nendpoint = "${service.endpoint}"\ntoken-file = "${tokenFile}"\nmetadata-ttl = 7\nmemory = "40M"\n` +
      `[mountpoint."${sandbox.mountPoint}".mount]\nmemory = "50M"\n`,
  );
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint, '-v', '-o', 'ro,noexec,metadata-ttl=9']);
  expect(mounted).toMatchObject({ code: 0, stderr: '' });
  expect(mounted.stdout).toMatch(/^read-only +on +command line$/m);
  expect(mounted.stdout).toMatch(/^memory +50M +\S+config\.toml \[mountpoint\./m);
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n');
  expect(mounts.find((line) => line.includes(` ${sandbox.mountPoint} `))).toMatch(/[ ,]noexec[ ,]/);
  const config: unknown = JSON.parse(await readFile(sandbox.path('.svcfs', 'config'), 'utf8'));
  expect(config).toMatchObject({
    readOnly: true,
    metadataTtl: 9000,
    memory: 50 * 2 ** 20,
    logLevel: 'debug',
  });
  expect(await sandbox.svcfs(['umount', sandbox.mountPoint])).toMatchObject({ code: 0 });
});

test('a mistake in a configuration file stops a mount with one line, and does not stop an unmount', async ({
  sandbox,
}) => {
  const file = join(sandbox.root, 'c.toml');
  await writeFile(file, '[mount]\nmetadata-tll = 3\n');
  const env = { SVCFS_CONFIG: file };
  expect(await sandbox.svcfs(['mount', sandbox.mountPoint], { env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `svcfs: ${file}: unknown key metadata-tll in [mount]: did you mean metadata-ttl?\n`,
  });
  expect(await sandbox.svcfs(['unmount', sandbox.mountPoint], { env })).toMatchObject({ code: 12 });
});

test('--dry-run mounts nothing, --quiet says nothing, and a mistake is told all the same', async ({
  sandbox,
}) => {
  const env = { SVC_API_ENDPOINT: 'http://127.0.0.1:9/v2', SVC_AUTH_TOKEN: 'token' };
  const tried = (...args: readonly string[]) =>
    sandbox.svcfs(['mount', sandbox.mountPoint, '--dry-run', ...args], { env });
  expect(await tried()).toMatchObject({
    code: 0,
    stdout: `would mount http://127.0.0.1:9/v2 on ${sandbox.mountPoint}\n`,
    stderr: '',
  });
  expect(await tried('--quiet')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  await writeFile(sandbox.path('file'), 'not empty');
  expect(await tried('--quiet')).toMatchObject({
    code: 7,
    stdout: '',
    stderr: expect.stringMatching(/is not empty/),
  });
});

test('svcfs alone tells of mounts, and of the commands that come next', async ({ sandbox }) => {
  const nothing = await sandbox.svcfs([]);
  expect(nothing).toMatchObject({ code: 0, stderr: '' });
  expect(nothing.stdout).toMatch(/^no mount of svcfs is running\n\nsvcfs login /);
  const service = await startDemoService();
  onTestFinished(() => service.end());
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint, '--quiet'], { env: service.credentials });
  expect(mounted).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const { stdout } = await sandbox.svcfs([]);
  expect(stdout).toMatch(new RegExp(`^mounted: ${sandbox.mountPoint}$`, 'm'));
  expect(stdout).toContain(`svcfs unmount ${sandbox.mountPoint}`);
});

test('help fits 80 columns where it goes to a pipe, with the options of mount below headings', async ({
  sandbox,
}) => {
  for (const command of ['mount', 'serve', 'unmount', 'recover', 'systemd', 'config']) {
    const { stdout } = await sandbox.svcfs(['help', command]);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
  expect((await sandbox.svcfs(['help', 'mount'])).stdout).toMatch(
    /^Where:\n[\s\S]*^Writing:\n[\s\S]*^Volumes:\n/m,
  );
});
