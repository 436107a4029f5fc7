import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { TestUser } from '../service/test-service.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';

/** A service on an empty directory, and its operator. */
async function world(sandbox: Sandbox) {
  const data = join(sandbox.root, 'service');
  const service = sandbox.start(['serve', '--data', data, '--listen', '127.0.0.1:0']);
  const [, url = ''] = await service.says(/^listening on (\S+)$/m);
  const admin = (...args: string[]) => sandbox.svcfs(['admin', ...args, '--data', data]);
  const json = async (...args: string[]) => JSON.parse((await admin(...args, '--json')).stdout);
  const user = async (name: string): Promise<TestUser> => {
    await admin('users', 'add', name);
    return new TestUser(url, name, (await admin('tokens', 'create', name)).stdout.trim());
  };
  return { data, url, admin, json, user, service };
}

const { refused, noService, usage } = EXIT_CODES;

describe('svcfs admin', () => {
  test('adds a user and a token, which works at once; only its hash is kept', async ({ sandbox }) => {
    const { data, admin, json, user } = await world(sandbox);
    const alice = await user('alice');
    expect((await alice.get('/user')).body).toMatchObject({ username: 'alice', email: 'alice@example.org' });
    const [token] = await json('tokens', 'list');
    expect(token).toMatchObject({ username: 'alice', expires_on: null, revoked_on: null });
    expect(token.last_used_on).not.toBeNull();
    expect((await admin('tokens', 'list')).stdout).toMatch(/^ID +USER +CREATED/);
    for (const file of ['service.sqlite', 'service.sqlite-wal']) {
      const bytes = await readFile(join(data, file));
      expect(bytes.includes(alice.token)).toBe(false);
    }
  });

  test('takes a name that is an address for the address too', async ({ sandbox }) => {
    const { user } = await world(sandbox);
    const bob = await user('bob@lab.example');
    expect((await bob.get('/user')).body).toMatchObject({ email: 'bob@lab.example' });
  });

  test('revokes a token for the next call, by its id or with all of a user', async ({ sandbox }) => {
    const { admin, json, user } = await world(sandbox);
    const alice = await user('alice');
    const { token } = await json('tokens', 'create', 'alice', '--note', 'laptop');
    const other = new TestUser(alice.url, 'alice', token);
    const { id } = (await json('tokens', 'list')).find(({ note }: { note: string }) => note === 'laptop');
    expect((await other.get('/user')).status).toBe(200);
    expect((await admin('tokens', 'revoke', id)).stdout).toBe(`revoked ${id} of alice\n`);
    expect((await other.get('/user')).body).toMatchObject({ status: 401, code: 90001 });
    expect((await alice.get('/user')).status).toBe(200);
    expect((await admin('tokens', 'revoke', '--user', 'alice')).stdout).toBe('revoked 1 token of alice\n');
    expect((await alice.get('/user')).status).toBe(401);
  });

  test('makes a token that expires', async ({ sandbox }) => {
    const { json, user, admin } = await world(sandbox);
    const alice = await user('alice');
    const day = await json('tokens', 'create', 'alice', '--expires', '1d');
    const left = Date.parse(day.expires_on) - Date.now();
    expect(left).toBeGreaterThan(86_000_000);
    expect(left).toBeLessThanOrEqual(86_400_000);
    const { token, expires_on } = await json('tokens', 'create', 'alice', '--expires', '2s');
    const brief = new TestUser(alice.url, 'alice', token);
    await expect.poll(async () => (await brief.get('/user')).status, { timeout: 10_000 }).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_on));
    expect((await admin('tokens', 'create', 'alice', '--expires', '2020-01-01')).code).toBe(usage.code);
  });

  test('disables a user, and lets the user in again', async ({ sandbox }) => {
    const { admin, user } = await world(sandbox);
    const alice = await user('alice');
    expect((await admin('users', 'disable', 'alice')).stdout).toBe('disabled alice\n');
    expect((await alice.get('/user')).status).toBe(401);
    await admin('users', 'enable', 'alice');
    expect((await alice.get('/user')).status).toBe(200);
  });

  test('makes billing groups and gives them to others', async ({ sandbox }) => {
    const { admin, json, user } = await world(sandbox);
    const [alice, bob] = [await user('alice'), await user('bob')];
    const id = (await admin('billing', 'create', 'alice', 'Lab funds')).stdout.trim();
    expect((await alice.get(`/billing/groups/${id}`)).body).toMatchObject({ name: 'Lab funds' });
    expect((await admin('billing', 'owner', id, 'bob')).code).toBe(0);
    expect((await bob.get(`/billing/groups/${id}`)).status).toBe(200);
    expect((await alice.get(`/billing/groups/${id}`)).status).toBe(404);
    expect(await json('billing', 'list')).toMatchObject([{ id, owner: 'bob', name: 'Lab funds' }]);
  });

  test('marks files and publishes apps', async ({ sandbox }) => {
    const { admin, user } = await world(sandbox);
    const [alice, bob] = [await user('alice'), await user('bob')];
    const project = await alice.project('P');
    const file = await alice.upload(project.root_folder, 'f');
    const app = `${project.id}/tool`;
    await alice.post(`/apps/${app}/raw`, { class: 'CommandLineTool', inputs: [], outputs: [] });
    expect((await bob.get(`/files/${file.id}`)).status).toBe(404);
    await admin('files', 'mark', file.id, '--public');
    expect((await bob.get(`/files/${file.id}`)).status).toBe(200);
    await admin('files', 'mark', file.id, '--no-public', '--archived');
    expect((await bob.get(`/files/${file.id}`)).status).toBe(404);
    expect(
      (await alice.post(`/files/${file.id}/actions/copy`, { project: project.id, name: 'g' })).body.code,
    ).toBe(5007);
    await admin('apps', 'publish', app);
    expect((await bob.get(`/apps/${app}`)).status).toBe(200);
    await admin('apps', 'unpublish', app);
    expect((await bob.get(`/apps/${app}`)).status).toBe(404);
  });

  test('says which of several files are marked when one is not there', async ({ sandbox }) => {
    const { admin, user } = await world(sandbox);
    const [alice, bob] = [await user('alice'), await user('bob')];
    const { root_folder } = await alice.project('P');
    const [f, g] = [await alice.upload(root_folder, 'f'), await alice.upload(root_folder, 'g')];
    expect(await admin('files', 'mark', f.id, 'nothing', g.id, '--public')).toMatchObject({
      code: refused.code,
      stdout: `marked ${f.id} ${g.id}\n`,
      stderr: expect.stringContaining('there is no file nothing'),
    });
    for (const { id } of [f, g]) expect((await bob.get(`/files/${id}`)).status).toBe(200);
  });

  test('tells who did what, by user, action, object and time', async ({ sandbox }) => {
    const { admin, json, user, service } = await world(sandbox);
    const alice = await user('alice');
    const project = await alice.project('P');
    const file = await alice.upload(project.root_folder, 'f');
    await alice.call('DELETE', `/files/${file.id}`);
    await alice.call('DELETE', '/projects/demo/evil%1b%5B31m%0A2026-01-01%20root');
    service.signal('SIGTERM');
    expect(await service.exited()).toBe(0);
    const actions = async (...args: string[]) =>
      (await json('audit', ...args)).map(({ action }: { action: string }) => action);
    expect(await actions('--user', 'alice')).toEqual([
      'project.create',
      'upload.begin',
      'upload.complete',
      'file.delete',
    ]);
    expect(await actions('--object', file.id)).toEqual(['file.delete']);
    expect(await actions('--action', 'upload', '--since', '1h')).toEqual(['upload.begin', 'upload.complete']);
    expect(await actions('--action', 'upload', '--until', '1h')).toEqual([]);
    expect(await actions('--action', 'operator')).toEqual(['operator.user.add', 'operator.token.create']);
    expect(await actions('--limit', '1')).toEqual(['file.delete']);
    const table = (await admin('audit', '--user', 'alice')).stdout;
    expect(table).not.toContain('evil');
    expect(table).toMatch(/^WHEN +WHO +WHAT +OBJECT +OUTCOME +FROM +DETAIL\n/);
    expect(table).toMatch(new RegExp(`alice +file.delete +${file.id} +204 +127.0.0.1`));
  });

  test('encrypts the secrets of volumes with a new key while the service runs', async ({ sandbox }) => {
    const { data, admin, user } = await world(sandbox);
    const alice = await user('alice');
    const credentials = { access_key_id: 'key', secret_access_key: 'volume-secret' };
    const volume = { name: 'v', access_mode: 'RW', service: { type: 's3', bucket: 'b', credentials } };
    expect((await alice.post('/storage/volumes', volume)).status).toBe(200);
    const keyFile = join(data, 'secret-key');
    const keys = async () => (await readFile(keyFile, 'utf8')).trim().split('\n');
    const [first] = await keys();
    expect((await admin('secrets', 'rekey')).stdout).toMatch(/^1 secret encrypted with the key [0-9a-f]{8}/);
    expect(await keys()).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), first]);
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    await admin('secrets', 'rekey');
    expect(await keys()).toHaveLength(2);
    expect(await keys()).not.toContain(first);
    const edit = { service: { prefix: 'p' } };
    expect((await alice.call('PATCH', '/storage/volumes/alice/v', { body: edit })).status).toBe(200);
    expect((await alice.get('/storage/volumes/alice/v/list')).status).toBe(200);
  });

  test('says in one line what is wrong and what to do', async ({ sandbox }) => {
    const { admin } = await world(sandbox);
    await admin('users', 'add', 'alice');
    for (const [args, exit, says] of [
      [['users', 'add', 'alice'], refused, 'there is a user alice already'],
      [['users', 'add', 'a/b'], refused, 'a/b cannot be a user name'],
      [['users', 'add', 'bob', '--email', 'nonsense'], refused, 'nonsense is no e-mail address'],
      [['users', 'disable', 'nobody'], refused, 'there is no user nobody'],
      [['tokens', 'create', 'nobody'], refused, 'there is no user nobody'],
      [['tokens', 'revoke', 'abc'], refused, 'there is no token abc'],
      [['tokens', 'revoke'], usage, 'name one token by its id'],
      [['billing', 'owner', 'nothing', 'alice'], refused, 'there is no billing group nothing'],
      [['files', 'mark', 'nothing', '--public'], refused, 'there is no file nothing'],
      [['files', 'mark', 'nothing'], usage, 'say which mark'],
      [['apps', 'publish', 'a/b/c'], refused, 'there is no app a/b/c'],
    ] as const) {
      const { code, stdout, stderr } = await admin(...args);
      expect({ args, code, stdout }).toEqual({ args, code: exit.code, stdout: '' });
      expect(stderr).toMatch(/^svcfs: .*\n$/);
      expect(stderr).toContain(says);
    }
  });

  test('works on a shared database: what it refuses, every process refuses', async ({ sandbox }) => {
    const server = await PostgresServer.start();
    onTestFinished(() => server.stop());
    const database = await server.databases.create();
    const data = join(sandbox.root, 'shared');
    const [older, newer] = ['0f'.repeat(32), 'a1'.repeat(32)];
    const serve = async (): Promise<string> => {
      const args = [
        'serve',
        '--role',
        'api',
        '--data',
        data,
        '--database',
        database,
        '--listen',
        '127.0.0.1:0',
      ];
      const service = sandbox.start(args, { SVCFS_SECRET_KEY: `${newer} ${older}` });
      return (await service.says(/^listening on (\S+)$/m))[1] ?? '';
    };
    const [one, other] = [await serve(), await serve()];
    const admin = (...args: string[]) =>
      sandbox.svcfs(['admin', ...args, '--database', database], {
        env: { SVCFS_SECRET_KEY: `${newer} ${older}` },
      });
    expect((await admin('users', 'add', 'alice')).code).toBe(0);
    const token = (await admin('tokens', 'create', 'alice')).stdout.trim();
    const statuses = () =>
      Promise.all(
        [one, other].map(async (url) => (await new TestUser(url, 'alice', token).get('/user')).status),
      );
    expect(await statuses()).toEqual([200, 200]);
    expect((await admin('secrets', 'rekey')).stdout).toMatch(
      /^0 secrets encrypted with the key [0-9a-f]{8}\n$/,
    );
    await admin('tokens', 'revoke', '--user', 'alice');
    expect(await statuses()).toEqual([401, 401]);
    const keyless = await sandbox.svcfs(['admin', 'secrets', 'rekey', '--database', database]);
    expect(keyless.code).toBe(noService.code);
    expect(keyless.stderr).toContain('--secret-key-file, or SVCFS_SECRET_KEY');
  });

  test('makes no service of a directory that has none', async ({ sandbox }) => {
    const nowhere = join(sandbox.root, 'nowhere');
    const { code, stderr } = await sandbox.svcfs(['admin', 'users', 'list', '--data', nowhere]);
    expect(code).toBe(noService.code);
    expect(stderr).toContain(`there is no service in ${nowhere}`);
    await expect(stat(nowhere)).rejects.toThrow('ENOENT');
    const database = 'postgresql://nobody@127.0.0.1:1/nothing';
    const unreachable = await sandbox.svcfs(['admin', 'users', 'list', '--database', database]);
    expect(unreachable.code).toBe(noService.code);
    expect(unreachable.stderr).toContain('the database cannot be reached');
  });
});
