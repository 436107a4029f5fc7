import { once } from 'node:events';
import { chmod, chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { EXIT_CODES, type ExitName } from '../../src/cli/exit-codes.ts';
import { mountDirectory, stateDirectory } from '../../src/config/directories.ts';
import { lockFile } from '../../src/lib/lock-file.ts';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import type { RunOptions } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

/** Mounting fails that way, says why in one line, and leaves nothing behind. */
async function expectFailure(
  sandbox: Sandbox,
  expected: { readonly exit: ExitName; readonly says: RegExp },
  options: { readonly path?: string; readonly args?: readonly string[]; readonly run?: RunOptions } = {},
): Promise<void> {
  const { path = sandbox.mountPoint, args = [], run = {} } = options;
  const env = { ...service.credentials, ...run.env };
  const result = await sandbox.svcfs(['mount', path, ...args], { ...run, env });
  expect(result).toMatchObject({ code: EXIT_CODES[expected.exit].code, stdout: '' });
  expect(result.stderr).toMatch(expected.says);
  expect(result.stderr.trimEnd()).not.toContain('\n');
  expect(await sandbox.processes()).toEqual([]);
}

describe('svcfs mount fails with an exit code of its own for', () => {
  test('a token that the service refuses', async ({ sandbox }) => {
    const tokenFile = join(sandbox.root, 'token');
    await writeFile(tokenFile, 'feedfacefeedfacefeedface', { mode: 0o600 });
    const expected = { exit: 'tokenRefused', says: /refused the token/ } as const;
    await expectFailure(sandbox, expected, { args: ['--token-file', tokenFile] });
    expect(await sandbox.logs()).not.toContain('feedface');
  });

  test('an endpoint where nobody listens', async ({ sandbox }) => {
    const expected = { exit: 'unreachable', says: /no service at http:\/\/127\.0\.0\.1:1\/v2/ } as const;
    await expectFailure(sandbox, expected, { args: ['--endpoint', 'http://127.0.0.1:1/v2'] });
  });

  test('an endpoint whose path is not that of the API', async ({ sandbox }) => {
    const { origin } = new URL(service.credentials.SVC_API_ENDPOINT);
    const says = new RegExp(`^svcfs: no API at ${origin}: .*such as ${origin}/v2\\?$`, 'm');
    await expectFailure(sandbox, { exit: 'unreachable', says }, { args: ['--endpoint', origin] });
  });

  test('an endpoint that is something else', async ({ sandbox }) => {
    const server = createServer((_, response) => response.end('<html>Welcome</html>'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
    await expectFailure(
      sandbox,
      { exit: 'unreachable', says: /no service at/ },
      { args: ['--endpoint', endpoint] },
    );
  });

  test('a --retry-timeout that leaves no time for an answer', async ({ sandbox }) => {
    const args = ['mount', sandbox.mountPoint, '--retry-timeout', '0'];
    expect(await sandbox.svcfs(args, { env: service.credentials })).toMatchObject({
      code: EXIT_CODES.usage.code,
      stderr: expect.stringContaining('at least 1 s'),
    });
  });

  test('a token file that is a directory', async ({ sandbox }) => {
    const says = /^svcfs: cannot read the token file \/tmp: illegal operation on a directory$/m;
    await expectFailure(sandbox, { exit: 'credentials', says }, { args: ['--token-file', '/tmp'] });
  });

  test('a size of a disk cache that has no directory, but not one of the environment', async ({
    sandbox,
  }) => {
    const expected = { exit: 'usage', says: /--cache-size needs --cache-dir/ } as const;
    await expectFailure(sandbox, expected, { args: ['--cache-size', '1G'] });
    const env = { ...service.credentials, SVCFS_CACHE_SIZE: '1G' };
    expect(await sandbox.svcfs(['mount', sandbox.mountPoint], { env })).toMatchObject({ code: 0 });
  });

  test('uploads that follow a close where nothing can be written, whoever asks for them', async ({
    sandbox,
  }) => {
    const says = /^svcfs: --read-only and --write-back .*: leave out one of them$/m;
    await expectFailure(sandbox, { exit: 'usage', says }, { args: ['--read-only', '--write-back'] });
    const run = { env: { SVCFS_WRITE_BACK: '1' } };
    const saysWhere =
      /^svcfs: --read-only and --write-back .*: leave out --read-only, or unset SVCFS_WRITE_BACK$/m;
    await expectFailure(sandbox, { exit: 'usage', says: saysWhere }, { args: ['--read-only'], run });
  });

  test('a mount point that does not exist', async ({ sandbox }) => {
    const path = join(sandbox.root, 'nowhere');
    await expectFailure(sandbox, { exit: 'mountPointMissing', says: /nowhere does not exist/ }, { path });
  });

  test('a mount point that is a file', async ({ sandbox }) => {
    const path = join(sandbox.root, 'file');
    await writeFile(path, '');
    await expectFailure(sandbox, { exit: 'mountPointMissing', says: /not a directory/ }, { path });
  });

  test('a mount point that is not empty', async ({ sandbox }) => {
    await writeFile(sandbox.path('precious'), '');
    await expectFailure(sandbox, { exit: 'mountPointNotEmpty', says: /not empty/ });
    expect(await readdir(sandbox.mountPoint)).toEqual(['precious']);
  });

  test('a mount point that is a mount already', async ({ sandbox }) => {
    const env = service.credentials;
    expect(await sandbox.svcfs(['mount', sandbox.mountPoint], { env })).toMatchObject({ code: 0 });
    const again = await sandbox.svcfs(['mount', sandbox.mountPoint], { env });
    expect(again).toMatchObject({ code: EXIT_CODES.alreadyMounted.code, stdout: '' });
    expect(again.stderr).toMatch(/already a mount point/);
    expect(await readdir(sandbox.mountPoint)).toContain('projects');
  });

  test('a mount point that a machine serves with which its state is shared', async ({ sandbox }) => {
    const state = stateDirectory({ XDG_STATE_HOME: join(sandbox.root, 'state') }, sandbox.home);
    const { root } = mountDirectory(state, sandbox.mountPoint);
    await mkdir(root, { recursive: true });
    const lock = await lockFile(join(root, 'lock'), 0);
    onTestFinished(() => lock?.close());
    await expectFailure(sandbox, {
      exit: 'alreadyMounted',
      says: /here or on a machine that shares .*: unmount it there, or set XDG_STATE_HOME/,
    });
    await lock?.close();
    const env = service.credentials;
    expect(await sandbox.svcfs(['mount', sandbox.mountPoint], { env })).toMatchObject({ code: 0 });
  });

  test('a mount point that holds files of svcfs itself', async ({ sandbox }) => {
    for (const name of ['XDG_STATE_HOME', 'TMPDIR']) {
      const run = { env: { [name]: sandbox.path('below') } };
      await expectFailure(sandbox, { exit: 'mountPointUnfit', says: /holds svcfs's own/ }, { run });
    }
    expect(await readdir(sandbox.mountPoint)).toEqual([]);
  });

  test('no credentials at all', async ({ sandbox }) => {
    const run = { env: { SVC_API_ENDPOINT: undefined, SVC_AUTH_TOKEN: undefined } };
    await expectFailure(sandbox, { exit: 'credentials', says: /no API endpoint: give --endpoint/ }, { run });
  });

  test('a profile that is not there', async ({ sandbox }) => {
    await mkdir(join(sandbox.home, '.svcfs'));
    await writeFile(join(sandbox.home, '.svcfs', 'credentials'), '[lab]\n', { mode: 0o600 });
    const expected = {
      exit: 'credentials',
      says: /no profile west in .*credentials \(profiles there: lab\)/,
    } as const;
    await expectFailure(sandbox, expected, { args: ['--profile', 'west'] });
  });

  test('wrong usage', async ({ sandbox }) => {
    const wrong: readonly (readonly [command: string, ...args: string[]])[] = [
      ['svcfs mount', 'mount'],
      ['svcfs mount', 'mount', 'a', 'b'],
      ['svcfs mount', 'mount', '--frobnicate', 'a'],
      ['svcfs jobs wait', 'jobs', 'wait', '--frobnicate'],
      ['svcfs jobs', 'help', 'jobs', 'frobnicate'],
      ['svcfs', 'frobnicate'],
    ];
    for (const [command, ...args] of wrong) {
      const { code, stderr } = await sandbox.svcfs(args);
      expect(code).toBe(EXIT_CODES.usage.code);
      expect(stderr).toMatch(/^svcfs: .*\n/);
      expect(stderr).toContain(`\n(${command} --help shows what there is)\n`);
    }
  });

  test('no permission on /dev/fuse', async ({ sandbox, skip }) => {
    const { mode } = await stat('/dev/fuse');
    if (process.getuid?.() !== 0 || (mode & 0o006) !== 0)
      skip('needs root, and a /dev/fuse closed to others');
    const nobody = 65_534;
    await chmod(sandbox.root, 0o755);
    const { root, home, mountPoint, env } = sandbox;
    for (const path of [root, home, mountPoint, env['TMPDIR'] ?? '', env['XDG_STATE_HOME'] ?? ''])
      await chown(path, nobody, nobody);
    const run = { uid: nobody, gid: nobody, cwd: '/' };
    await expectFailure(sandbox, { exit: 'noFuse', says: /\/dev\/fuse/ }, { run });
  });
});
