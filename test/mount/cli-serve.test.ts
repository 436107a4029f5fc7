import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, onTestFinished } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { openSqliteStore } from '../../src/service/store/store.ts';
import { test } from '../support/sandbox-test.ts';

const get = (url: string, token: string): Promise<Response> =>
  fetch(url, { headers: { 'X-SVC-Auth-Token': token } });

describe('svcfs serve', () => {
  test('says where it listens, answers there, and ends cleanly on SIGTERM', async ({ sandbox }) => {
    const service = sandbox.start(['serve', '--listen', '127.0.0.1:0']);
    const [, url = ''] = await service.says(/^listening on (http:\/\/127\.0\.0\.1:\d+\/v2)\n$/);
    expect((await fetch(`${url}/user`)).status).toBe(401);
    service.signal('SIGTERM');
    expect(await service.exited()).toBe(0);
    expect(await readdir(join(sandbox.root, 'data', 'svcfs', 'service'))).not.toEqual([]);
  });

  test('--demo fills an empty directory and keeps the token to its owner', async ({ sandbox }) => {
    const data = join(sandbox.root, 'demo');
    const service = sandbox.start(['serve', '--demo', '--data', data, '--listen', '127.0.0.1:0']);
    const [, url = ''] = await service.says(/^listening on (\S+)$/m);
    const tokenFile = join(data, 'demo-token');
    expect((await stat(tokenFile)).mode & 0o777).toBe(0o600);
    const answer = await get(`${url}/projects`, (await readFile(tokenFile, 'utf8')).trim());
    expect(await answer.json()).toMatchObject({ items: [{}, {}] });
    expect(answer.headers.get('x-ratelimit-limit')).toBe('1000');
  });

  test('--rate-limit sets the limit, or takes it away', async ({ sandbox }) => {
    const data = join(sandbox.root, 'demo');
    const limitOf = async (rateLimit: string): Promise<string | null> => {
      const args = ['serve', '--demo', '--data', data, '--listen', '127.0.0.1:0', '--rate-limit', rateLimit];
      const service = sandbox.start(args);
      const [, url = ''] = await service.says(/^listening on (\S+)$/m);
      const answer = await get(`${url}/user`, (await readFile(join(data, 'demo-token'), 'utf8')).trim());
      await service.end();
      return answer.headers.get('x-ratelimit-limit');
    };
    expect(await limitOf('50/60')).toBe('50');
    expect(Number(await limitOf('off'))).toBeGreaterThan(1_000_000);
  });

  test('takes no empty text, as of a variable that is not set, for a directory', async ({ sandbox }) => {
    for (const args of [
      ['serve', '--data', '', '--listen', '127.0.0.1:0'],
      ['demo', '--data', '', join(sandbox.root, 'mnt')],
    ]) {
      const { code, stderr } = await sandbox.svcfs(args, { timeoutMs: 20_000 });
      expect({ args, code }).toEqual({ args, code: EXIT_CODES.usage.code });
      expect(stderr).toContain('Expected a directory.');
    }
  });

  test('refuses a data directory that another process serves, until that has ended', async ({ sandbox }) => {
    const data = join(sandbox.root, 'shared');
    const args = ['serve', '--data', data, '--listen', '127.0.0.1:0'];
    const first = sandbox.start(args);
    await first.says(/^listening on/m);
    const { code, stdout, stderr } = await sandbox.svcfs(args, { timeoutMs: 20_000 });
    expect({ code, stdout }).toEqual({ code: EXIT_CODES.serviceFailed.code, stdout: '' });
    expect(stderr).toMatch(/^svcfs: .*another svcfs serve works on it.*--database.*\n$/);
    expect(stderr).toContain(data);
    first.signal('SIGKILL');
    await first.exited();
    const second = sandbox.start(args);
    await second.says(/^listening on/m);
    second.signal('SIGTERM');
    expect(await second.exited()).toBe(0);
  });

  test('ends, and says what to do, where no directory can be made', async ({ sandbox }) => {
    const serve = ['serve', '--listen', '127.0.0.1:0'];
    const { mountPoint } = sandbox;
    const astray = join(sandbox.root, 'astray');
    await symlink('nowhere', astray);
    for (const [args, exit, says] of [
      [[...serve, '--data', '/proc/a'], 'serviceFailed', '/proc/a: no directory .*; .*--data'],
      [[...serve, '--data', '/proc/a/b'], 'serviceFailed', '/proc/a/b: no directory .*; .*--data'],
      [[...serve, '--data', join(astray, 'a')], 'serviceFailed', `${astray} is there .*; .*--data`],
      [['demo', '--data', '/proc/a', mountPoint], 'serviceFailed', '/proc/a: no directory .*; .*--data'],
      [['demo', '/proc/a'], 'mountPointMissing', '/proc/a does not exist: create it with mkdir'],
    ] as const) {
      const { code, stdout, stderr } = await sandbox.svcfs(args, { timeoutMs: 20_000 });
      expect({ args, code, stdout }).toEqual({ args, code: EXIT_CODES[exit].code, stdout: '' });
      expect(stderr).toMatch(new RegExp(`^svcfs: .*${says}\n$`));
    }
    expect(await readdir(mountPoint)).toEqual([]);
  });

  test('refuses a database of a newer svcfs, and says so; so does svcfs admin', async ({ sandbox }) => {
    const data = join(sandbox.root, 'newer');
    await mkdir(data);
    const file = join(data, 'service.sqlite');
    await (await openSqliteStore(file)).close();
    const database = new DatabaseSync(file);
    database.exec("insert into kysely_migration (name, timestamp) values ('099-later', '2030')");
    database.close();
    for (const [command, exit] of [
      [['serve', '--listen', '127.0.0.1:0'], EXIT_CODES.serviceFailed],
      [['admin', 'users', 'list'], EXIT_CODES.noService],
    ] as const) {
      const { code, stderr } = await sandbox.svcfs([...command, '--data', data]);
      expect({ command, code }).toEqual({ command, code: exit.code });
      expect(stderr).toMatch(
        /^svcfs: .*the database is of a newer svcfs, which made the migration 099-later\n$/,
      );
    }
  });

  test('says in one line why it cannot start', async ({ sandbox }) => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const address = `127.0.0.1:${(taken.address() as AddressInfo).port}`;
    const file = join(sandbox.root, 'file');
    await writeFile(file, '');
    const used = join(sandbox.root, 'used');
    await mkdir(join(used, 'demo-work'), { recursive: true });
    await writeFile(join(used, 'demo-unfinished'), '');
    for (const [args, says] of [
      [['--listen', address], `${address} is in use; give another with --listen, or port 0`],
      [['--data', join(file, 'below')], `cannot use ${join(file, 'below')}`],
      [['--demo', '--data', used, '--listen', '127.0.0.1:0'], `remove the directory and start again`],
    ] as const) {
      const { code, stdout, stderr } = await sandbox.svcfs(['serve', ...args]);
      expect({ code, stdout }).toEqual({ code: EXIT_CODES.serviceFailed.code, stdout: '' });
      expect(stderr).toMatch(/^svcfs: .*\n$/);
      expect(stderr).toContain(says);
    }
  });
});
