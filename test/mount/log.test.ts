/** The log of a mount: shown, followed, rotated and changed while it runs. One request id goes through both logs. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { type MountRecord, readRecord } from '../../src/cli/record.ts';
import { type MountDirectory, mountDirectory, stateDirectory } from '../../src/config/directories.ts';
import { TestUser } from '../service/test-service.ts';
import { run } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';

let served: ServedMount;
let directory: MountDirectory;
beforeAll(async () => {
  served = await ServedMount.start({ serveArgs: ['--log-level', 'info'] });
  const state = stateDirectory({ XDG_STATE_HOME: served.sandbox.env['XDG_STATE_HOME'] }, '');
  directory = mountDirectory(state, served.sandbox.mountPoint);
});
afterAll(() => served?.clean());

async function svcfs(...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await served.sandbox.svcfs(words);
  if (code !== 0) throw new Error(`svcfs ${words.join(' ')}: exit ${code}: ${stderr}`);
  return stdout;
}

const daemon = async (): Promise<number> =>
  (await readRecord<MountRecord>(directory.record))?.daemon.pid ?? 0;

it('is shown as text, or as it is', async () => {
  expect(await svcfs('log', served.sandbox.mountPoint)).toMatch(/^\S+Z info {2}mounted mountPoint=/m);
  const lines = (await svcfs('log', '--json', '-n', '1')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).pid)).toEqual([await daemon()]);
});

it('has more or fewer lines from a command on', async () => {
  const exchanges = async (): Promise<number> =>
    (await readFile(directory.log, 'utf8')).split('"msg":"exchange"').length - 1;
  expect(await svcfs('log', 'level')).toBe(`${served.sandbox.mountPoint}: info\n`);
  await stat(served.path('projects', 'demo', 'nothing-1')).catch(() => undefined);
  expect(await exchanges()).toBe(0);
  await svcfs('log', 'level', 'debug');
  await stat(served.path('projects', 'demo', 'nothing-2')).catch(() => undefined);
  const sent = await exchanges();
  expect(sent).toBeGreaterThan(0);
  expect(await svcfs('log', 'level', 'info')).toBe(`${served.sandbox.mountPoint}: info\n`);
  await stat(served.path('projects', 'demo', 'nothing-3')).catch(() => undefined);
  expect(await exchanges()).toBe(sent);
});

it('is rotated by SIGHUP, and followed over that', async () => {
  const follower = served.sandbox.start(['log', '-f', '-n', '1']);
  await follower.says(/level=|info|debug/);
  process.kill(await daemon(), 'SIGHUP');
  await waitUntil(async () => (await readdir(directory.root)).includes('mount.log.1'));
  await waitUntil(async () => (await stat(directory.log)).size === 0);
  await svcfs('log', 'level', 'debug');
  await stat(served.path('projects', 'demo', 'after-rotation')).catch(() => undefined);
  await follower.says(/debug exchange call="GET \/projects\/demo\/after-rotation"/);
  expect(await readFile(`${directory.log}.1`, 'utf8')).toContain('"msg":"mounted"');
  await svcfs('log', 'level', 'info');
});

it('has the request id of an error, and so has the log of the service', async () => {
  await svcfs('admin', 'users', 'add', 'bob', '--data', served.data);
  const token = (await svcfs('admin', 'tokens', 'create', 'bob', '--data', served.data))
    .trim()
    .split('\n')
    .at(-1);
  const bob = new TestUser(served.endpoint, 'bob', token ?? '');
  const { id, root_folder: root } = await bob.project('Shared');
  await bob.upload(root, 'theirs.txt');
  const permissions = { read: true, write: true };
  await bob.post(`/projects/${id}/members`, { username: 'demo', permissions });
  const path = served.path('projects', id, 'theirs.txt');
  const refused = await run('setfattr', ['-n', 'user.mine', '-v', 'x', path]);
  expect(refused.code).not.toBe(0);
  const [, request = ''] = /request ([\w-]+)/.exec(await svcfs('why', path)) ?? [];
  expect(request).not.toBe('');
  expect(await svcfs('log', '--request', request)).toContain(`requestId=${request}`);
  const lines = served.serviceLog.filter((line) => line.includes(request));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { requestId: request, user: 'demo', status: 403 },
  ]);
});

it('says so when it has no line of a request', async () => {
  const { code, stderr } = await served.sandbox.svcfs(['log', '--request', 'feedface']);
  expect(code).toBe(EXIT_CODES.failure.code);
  expect(stderr).toMatch(/no line of .* has the request feedface: svcfs log level debug/);
});

it('can be read when the mount is gone', async () => {
  await served.unmount();
  expect(await svcfs('log', '-n', '1')).toMatch(/ended mountPoint=/);
  expect(await svcfs('log', served.sandbox.mountPoint, '-n', '1')).toMatch(/ended mountPoint=/);
  const nowhere = await served.sandbox.svcfs(['log', served.sandbox.home]);
  expect(nowhere).toMatchObject({ code: EXIT_CODES.notMounted.code });
});
