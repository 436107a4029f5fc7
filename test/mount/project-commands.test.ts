/** `svcfs project` at the command line: beside a mount, in one, and over a network that loses answers. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FaultProxy } from '../support/fault-proxy.ts';
import { run } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { Terminal } from '../support/terminal.ts';

let served: ServedMount;
beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());

const env = (endpoint = served.endpoint) => ({ SVC_API_ENDPOINT: endpoint, SVC_AUTH_TOKEN: served.token });
const svcfs = (...args: string[]) => served.sandbox.svcfs(args, { cwd: served.sandbox.root, env: env() });
const inMount = (...args: string[]) => served.sandbox.svcfs(args, { cwd: served.sandbox.mountPoint });
const shown = () => readdir(served.path('projects/demo'));

/** The calls on projects that some work makes. */
async function calls(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const counted = Object.entries(await served.countingCalls(work));
  return Object.fromEntries(
    counted.filter(([call, count]) => count > 0 && / \/v2\/(projects|user)/.test(call)),
  );
}

describe('a user without projects', () => {
  test('is told by a file how to make one, until there is one', async () => {
    const { sandbox, data, endpoint } = served;
    const admin = (...args: string[]) => sandbox.svcfs(['admin', ...args, '--data', data]);
    await admin('users', 'add', 'newcomer', '--email', 'newcomer@example.org');
    const token = (await admin('tokens', 'create', 'newcomer')).stdout.trim().split('\n')[0] ?? '';
    const mountPoint = join(sandbox.root, 'newcomer');
    await mkdir(mountPoint);
    sandbox.alsoMounts(mountPoint);
    const own = { SVC_API_ENDPOINT: endpoint, SVC_AUTH_TOKEN: token };
    expect(await sandbox.svcfs(['mount', mountPoint], { env: own })).toMatchObject({ code: 0 });
    const projects = join(mountPoint, 'projects');
    expect(await readdir(projects)).toEqual(['README']);
    const text = await readFile(join(projects, 'README'), 'utf8');
    expect(text).toContain("\n  svcfs project create 'My study'\n");
    expect((await stat(join(projects, 'README'))).size).toBe(Buffer.byteLength(text));
    const refused = await run('bash', ['-c', 'rm -f README; echo x > README; echo x > new; mkdir d'], {
      cwd: projects,
    });
    expect(refused.stderr.match(/Operation not permitted|Permission denied/g)).toHaveLength(4);
    expect(await sandbox.svcfs(['project', 'create', 'My study'], { cwd: mountPoint })).toMatchObject({
      code: 0,
      stdout: `${join(projects, 'newcomer/my-study')}\n`,
    });
    expect(await readdir(projects)).toEqual(['newcomer']);
    await expect(stat(join(projects, 'README'))).rejects.toMatchObject({ code: 'ENOENT' });
    await sandbox.svcfs(['project', 'delete', '-f', 'newcomer/my-study'], { cwd: mountPoint });
    expect(await readdir(projects)).toEqual(['README']);
    expect(await readdir(served.path('projects'))).not.toContain('README');
    await expect(stat(served.path('projects/README'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await sandbox.svcfs(['unmount', mountPoint])).toMatchObject({ code: 0 });
  });
});

describe('svcfs project create', () => {
  test('makes a project by two requests, and a mount that showed others shows it at once', async () => {
    expect(await shown()).not.toContain('my-study');
    const counted = await calls(async () => {
      expect(await svcfs('project', 'create', 'My Study')).toMatchObject({
        code: 0,
        stdout: 'project:demo/my-study\n',
        stderr: '',
      });
    });
    expect(counted).toEqual({ 'GET /v2/projects': 1, 'POST /v2/projects': 1 });
    expect(await shown()).toContain('my-study');
  });

  test('makes no second one of a name, but when told to', async () => {
    await svcfs('project', 'create', 'Twice');
    expect(await svcfs('project', 'create', 'Twice')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('you have a project of that name: demo/twice'),
    });
    expect(await svcfs('project', 'create', 'Twice', '--exist-ok')).toMatchObject({
      code: 0,
      stdout: 'project:demo/twice\n',
    });
    expect((await svcfs('project', 'create', 'Twice', '--another')).stdout).toBe('project:demo/twice_1\n');
    expect((await shown()).filter((name) => name.startsWith('twice'))).toEqual(['twice', 'twice_1']);
  });

  test('tells the directory in the mount that it is run in', async () => {
    expect(await inMount('project', 'create', 'From Inside')).toMatchObject({
      code: 0,
      stdout: `${served.path('projects/demo/from-inside')}\n`,
    });
    expect(await shown()).toContain('from-inside');
  });

  test('makes one when the answer is lost, and tells which', async () => {
    const proxy = await FaultProxy.start(new URL(served.endpoint).origin);
    try {
      const isPost = ({ method }: { readonly method: string }) => method === 'POST';
      proxy.inject({ kind: 'lose-answer' }, { when: isPost, times: 1 });
      const made = await served.sandbox.svcfs(['project', 'create', 'Lost'], {
        cwd: served.sandbox.root,
        env: env(`${proxy.origin}/v2`),
      });
      expect(made).toMatchObject({ code: 0, stdout: 'project:demo/lost\n' });
      expect(proxy.requests.filter(isPost)).toHaveLength(1);
      expect((await svcfs('project', 'list', '--name', 'lost', '--json')).stdout.match(/"id"/g)).toHaveLength(
        1,
      );
    } finally {
      await proxy.close();
    }
  });

  test.each([
    ['a/b', "has no '/'"],
    ['a\nb', 'is a line of text'],
    ['!!!', 'some of them letters or digits'],
    ['x'.repeat(256), 'has 1 to 255 characters'],
  ])('refuses the name %j', async (name, reason) => {
    const told = await svcfs('project', 'create', name);
    expect(told.code).not.toBe(0);
    expect(told.stderr).toContain(reason);
  });

  test('refuses a billing group that the user has no right to', async () => {
    const group = '6b1e0000-0000-4000-8000-000000000000';
    expect(await svcfs('project', 'create', 'Unpaid', '--billing-group', group)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('code 4002'),
    });
    expect(await shown()).not.toContain('unpaid');
  });
});

describe('a project that is there', () => {
  test('is edited and shown, by its id and by its directory', async () => {
    await svcfs('project', 'create', 'Edited');
    const edits = ['--name', 'Other Name', '--description', 'two\nlines', '--setting', 'locked=true'];
    expect(await svcfs('project', 'edit', served.path('projects/demo/edited'), ...edits)).toMatchObject({
      code: 0,
      stderr: '',
    });
    const { stdout } = await svcfs('project', 'show', 'demo/edited', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      id: 'demo/edited',
      name: 'Other Name',
      description: 'two\nlines',
      settings: { locked: true, allow_network_access: false },
      permissions: { admin: true },
    });
    expect((await svcfs('project', 'show', 'project:demo/edited')).stdout).toMatch(
      /^description +two\n +lines$/m,
    );
  });

  test('has members, who are added, changed and removed', async () => {
    const data = ['--data', served.data];
    await svcfs('admin', 'users', 'add', 'grace', '--email', 'grace@example.org', ...data);
    await svcfs('project', 'create', 'Shared');
    const members = (...args: string[]) => svcfs('project', 'members', 'demo/shared', ...args);
    expect((await members('--set', 'grace=copy')).stdout).toMatch(/^grace +read,copy +grace@example\.org$/m);
    const again = await calls(() => members('--set', 'grace=copy'));
    expect(Object.keys(again)).toEqual(['GET /v2/projects/:owner/:project/members']);
    expect((await members('--set', 'grace=write')).stdout).toMatch(/^grace +read,write +/m);
    expect((await members('--remove', 'grace')).stdout).not.toContain('grace');
    expect(await members('--remove', 'grace')).toMatchObject({
      code: 1,
      stderr: 'svcfs: grace is no member of demo/shared\n',
    });
    expect(await members('--set', 'grace=own')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("no permission 'own'"),
    });
  });

  test('is not changed by a member without the right', async () => {
    await svcfs('project', 'create', 'Guarded');
    await svcfs('project', 'members', 'demo/guarded', '--set', 'grace=read');
    const token = await svcfs('admin', 'tokens', 'create', 'grace', '--data', served.data);
    const asGrace = (...args: string[]) =>
      served.sandbox.svcfs(['project', ...args], {
        cwd: served.sandbox.root,
        env: { ...env(), SVC_AUTH_TOKEN: token.stdout.trim() },
      });
    for (const args of [
      ['edit', 'demo/guarded', '--name', 'Mine'],
      ['members', 'demo/guarded', '--remove', 'demo'],
      ['delete', '-f', 'demo/guarded'],
    ])
      expect(await asGrace(...args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Ask an administrator of the project for the permission'),
      });
    expect(await shown()).toContain('guarded');
  });

  test('is deleted when a person agrees, who is told how much is in it', async () => {
    await svcfs('project', 'create', 'Gone');
    expect(await svcfs('project', 'delete', 'demo/gone')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('-f deletes without a question'),
    });
    await svcfs('cp', 'project:demo/rna-seq-study/README.md', 'project:demo/gone/a');
    const command = `${process.execPath} dist/cli/main.js project delete demo/gone; echo ended`;
    const terminal = new Terminal(`sh -c '${command}'`, { ...served.sandbox.env, ...env() }, 200);
    try {
      await terminal.shows(
        /Delete the project demo\/gone \(Gone\) with 1 file \(274 B\), no tasks and no other member\?/,
      );
      terminal.type('n\r');
      await terminal.shows(/ended/);
      expect(await shown()).toContain('gone');
    } finally {
      await terminal.end();
    }
    expect(await svcfs('project', 'delete', '-f', 'demo/gone')).toMatchObject({ code: 0, stderr: '' });
    expect(await shown()).not.toContain('gone');
    expect(await svcfs('project', 'delete', '-f', 'demo/gone')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('code 3002'),
    });
  });
});
