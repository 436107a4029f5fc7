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
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint, '-v', '-o', 'ro,metadata-ttl=9']);
  expect(mounted).toMatchObject({ code: 0, stderr: '' });
  expect(mounted.stdout).toMatch(/^read-only +on +command line$/m);
  expect(mounted.stdout).toMatch(/^memory +50M +\S+config\.toml \[mountpoint\./m);
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
