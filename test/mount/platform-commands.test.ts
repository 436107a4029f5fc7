/** `svcfs volume`, `import`, `export`, `app`, `billing` and `refresh` at the command line, beside a mount. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

let served: ServedMount;
let secret: string;
beforeAll(async () => {
  served = await ServedMount.start();
  secret = join(served.sandbox.root, 'secret');
  await writeFile(secret, 's3cret\n');
  await svcfs('project', 'create', 'Target');
});
afterAll(() => served?.clean());

const env = () => ({ SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token });
const svcfs = (...args: string[]) => served.sandbox.svcfs(args, { cwd: served.sandbox.root, env: env() });
const shown = (tree = 'volumes') => readdir(served.path(tree, 'demo'));

/** The calls that change something. */
async function changes(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const counted = Object.entries(await served.countingCalls(work));
  return Object.fromEntries(
    counted.filter(([call, count]) => count > 0 && !call.startsWith('GET ') && !call.endsWith('/get')),
  );
}

describe('svcfs volume', () => {
  const key = () => ['--bucket', 'lab', '--access-key-id', 'AK', '--secret-file', secret];

  test('connects a bucket, which the mount shows at once, and forgets it when it was deactivated', async () => {
    expect(await shown()).not.toContain('lab');
    expect(await svcfs('volume', 'create', 'lab', ...key())).toMatchObject({
      code: 0,
      stdout: 'volume:demo/lab\n',
      stderr: '',
    });
    expect(await shown()).toContain('lab');
    const told = await svcfs('volume', 'show', served.path('volumes/demo/lab'), '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({ id: 'demo/lab', access_mode: 'RW', access_key_id: 'AK' });
    expect(told.stdout).not.toContain('s3cret');
    expect((await svcfs('volume', 'edit', 'demo/lab', '--access-mode', 'RO', '--json')).stdout).toContain(
      '"RO"',
    );
    expect(await svcfs('volume', 'delete', '-f', 'demo/lab')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('svcfs volume deactivate demo/lab'),
    });
    expect(await svcfs('volume', 'deactivate', 'demo/lab')).toMatchObject({ code: 0, stderr: '' });
    expect(await svcfs('volume', 'delete', 'demo/lab')).toMatchObject({ code: 2 });
    expect(await svcfs('volume', 'delete', '-f', 'demo/lab')).toMatchObject({ code: 0, stderr: '' });
    expect(await shown()).not.toContain('lab');
  });

  test('names what fails: name, secret, endpoint', async () => {
    await svcfs('volume', 'create', 'kept', ...key());
    const wrong = join(served.sandbox.root, 'wrong');
    await writeFile(wrong, 'other');
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['kept', ...key()], 'the name: '],
      [['other', ...key().slice(0, 4), '--secret-file', wrong], 'the secret: '],
      [['other', ...key(), '--store-endpoint', 'http://10.255.255.1'], 'the endpoint: '],
      [['a/b', ...key()], 'letters, digits and _'],
      [['other', '--access-key-id', 'AK'], 'name the bucket'],
      [['other', '--bucket', 'b', '--access-key-id', 'AK'], 'give --secret-file'],
    ];
    for (const [args, reason] of cases) {
      const told = await svcfs('volume', 'create', ...args);
      expect(told.code).not.toBe(0);
      expect(told.stderr).toContain(reason);
    }
    expect(await shown()).not.toContain('other');
  });
});

describe('svcfs import and export', () => {
  const README = 'project:demo/rna-seq-study/README.md';

  test('take globs, and a request for all of them', async () => {
    const counted = await changes(async () => {
      expect(
        await svcfs('import', '-r', '--wait', 'volume:demo/reference/*', 'project:demo/target'),
      ).toMatchObject({
        code: 0,
        stderr: '',
      });
    });
    expect(counted['POST /v2/bulk/storage/imports/create']).toBe(1);
    expect(await readdir(served.path('projects/demo/target'))).toEqual([
      'annotation',
      'genomes',
      'known-sites',
    ]);
    expect(await svcfs('import', 'volume:demo/reference/none*', 'project:demo/target')).toMatchObject({
      code: 1,
      stderr: 'svcfs: volume:demo/reference/none*: nothing fits\n',
    });
  });

  test('give the ids of jobs, which --job waits for', async () => {
    const started = await svcfs('export', '--copy-only', README, 'volume:demo/results/started/');
    const [id = '', source, target] = started.stdout.trim().split('\t');
    expect([source, target]).toEqual([README, 'volume:demo/results/started/README.md']);
    expect((await svcfs('export', '--job', '--wait', id)).stdout).toBe(`${id}\tCOMPLETED\n`);
    expect(await svcfs('export', '--job', 'none')).toMatchObject({
      code: 1,
      stdout: 'none\tUNKNOWN\tNo such job.\n',
    });
  });

  test('replace what is there only with --overwrite', async () => {
    const args = ['export', '--wait', '--copy-only', README, 'volume:demo/results/twice/'];
    expect(await svcfs(...args)).toMatchObject({ code: 0, stderr: '' });
    expect(await svcfs(...args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--overwrite replaces it'),
    });
    expect(await svcfs(...args, '--overwrite')).toMatchObject({ code: 0, stderr: '' });
  });

  test('leave an alias of what was exported, and go one way only', async () => {
    await svcfs('cp', README, 'project:demo/target/moved.md');
    const args = ['export', '--wait', 'project:demo/target/moved.md', 'volume:demo/results/'];
    expect(await svcfs(...args)).toMatchObject({ code: 0, stderr: '' });
    const alias = await run('getfattr', [
      '--only-values',
      '-n',
      'user.svc.alias',
      served.path('projects/demo/target/moved.md'),
    ]);
    expect(alias.stdout).toBe('demo/results/moved.md');
    // Done before: the same command ends well.
    expect(await svcfs(...args)).toMatchObject({ code: 0, stderr: '' });
    expect(await svcfs('import', README, 'project:demo/target')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no object of a volume'),
    });
    expect(await svcfs('export', README, 'project:demo/target')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no volume'),
    });
  });
});

describe('svcfs app', () => {
  test('installs revisions one after another, and copies', async () => {
    const file = join(served.sandbox.root, 'echo.cwl');
    await writeFile(
      file,
      'class: CommandLineTool\ncwlVersion: v1.2\nbaseCommand: echo\ninputs: []\noutputs: []\n',
    );
    const install = (id: string) => svcfs('app', 'install', file, id);
    expect((await install('demo/target/echo')).stdout).toBe('demo/target/echo/0\n');
    expect((await install('demo/target/echo')).stdout).toBe('demo/target/echo/1\n');
    expect(await install('demo/target/echo/1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('code 6003'),
    });
    expect((await svcfs('app', 'copy', 'demo/target/echo', 'demo/rna-seq-study')).stdout).toBe(
      'demo/rna-seq-study/echo/1\n',
    );
    expect(await svcfs('app', 'copy', 'demo/target/echo', 'demo/rna-seq-study')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('demo/rna-seq-study/echo is there already'),
    });
    expect((await svcfs('app', 'list', 'demo/target')).stdout).toMatch(/^demo\/target\/echo +echo$/m);
    const raw = await svcfs('app', 'show', 'demo/target/echo/0', '--raw');
    expect(JSON.parse(raw.stdout)).toMatchObject({ baseCommand: 'echo', 'svc:revision': 0 });
    expect(await svcfs('app', 'show', 'demo/target')).toMatchObject({ code: 2 });
  });
});

test('svcfs billing tells groups and amounts, and refuses a group of others', async () => {
  const groups = await svcfs('billing');
  expect(groups.stdout).toMatch(/^[0-9a-f-]{36} +Demo funds$/m);
  expect((await svcfs('billing', 'Demo funds')).stdout).toMatch(/^total +\d+ +\d+\.\d\d USD$/m);
  const { stdout } = await svcfs('billing', 'Demo funds', '--json');
  expect(JSON.parse(stdout).total_spending).toEqual({
    currency: 'USD',
    amount: expect.stringMatching(/^\d+\.\d\d/),
  });
  expect(await svcfs('billing', '6b1e0000-0000-4000-8000-000000000000')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('code 4002'),
  });
  expect(await svcfs('billing', 'none')).toMatchObject({ code: 1, stderr: expect.stringContaining('none') });
});

test('svcfs refresh shows what was made elsewhere, in directories that were listed before', async () => {
  const before = await shown('projects');
  const response = await fetch(`${served.endpoint}/projects`, {
    method: 'POST',
    headers: { 'X-SVC-Auth-Token': served.token, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Elsewhere' }),
  });
  expect(response.status).toBe(200);
  expect(await shown('projects')).toEqual(before);
  expect(await svcfs('refresh', served.path('projects/demo'))).toMatchObject({ code: 0, stderr: '' });
  expect(await shown('projects')).toContain('elsewhere');
  expect(await svcfs('refresh', served.path('projects/demo/none'))).toMatchObject({ code: 1 });
  expect(await svcfs('refresh', '/etc')).toMatchObject({ code: 12 });
});

test('setfattr edits tags and settings of a project', async () => {
  const project = served.path('projects/demo/target');
  const set = (name: string, value: string) =>
    run('setfattr', ['-n', `user.svc.${name}`, '-v', value, project]);
  const get = async (name: string) =>
    (await run('getfattr', ['--only-values', '-n', `user.svc.${name}`, project])).stdout;
  expect(await set('tags', '["tcga","x"]')).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(await get('tags'))).toEqual(['tcga', 'x']);
  expect(await set('settings', '{"locked":true}')).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(await get('settings'))).toMatchObject({ locked: true, allow_network_access: false });
  expect(JSON.parse(await get('permissions'))).toMatchObject({ admin: true });
  expect(await set('settings', 'locked')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Invalid'),
  });
});
