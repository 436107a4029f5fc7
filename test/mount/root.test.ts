/** `--root`: a mount that begins at one directory of the platform. */
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { mustRun, type RunResult, run, shell } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROJECT = 'demo/rna-seq-study';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

function tryMount(
  sandbox: Sandbox,
  root: string,
  { args = [], endpoint = service.endpoint }: { args?: readonly string[]; endpoint?: string } = {},
): Promise<RunResult> {
  const env = { ...service.credentials, SVC_API_ENDPOINT: endpoint };
  return sandbox.svcfs(['mount', sandbox.mountPoint, '--root', root, ...args], { env });
}

async function mount(...given: Parameters<typeof tryMount>): Promise<void> {
  expect(await tryMount(...given)).toMatchObject({ code: 0, stderr: '' });
}

/** A call by another client. */
async function call(method: string, path: string, body?: object): Promise<Record<string, string>> {
  const answer = await fetch(`${service.endpoint}${path}`, {
    method,
    headers: {
      'X-SVC-Auth-Token': service.token,
      'X-SVC-Advance-Access': 'advance',
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.status === 204 ? {} : ((await answer.json()) as Record<string, string>);
}

/** A folder in the project; answers its id. */
async function folder(name: string): Promise<string> {
  return (await call('POST', '/files', { name, type: 'folder', project: PROJECT }))['id'] ?? '';
}

async function why(sandbox: Sandbox, ...names: string[]): Promise<string> {
  return (await sandbox.svcfs(['why', sandbox.path(...names)])).stdout;
}

describe('a mount that begins at a folder', () => {
  test('has its files at the mount point, and works as anywhere else', async ({ sandbox }) => {
    await folder('begins-here');
    await mount(sandbox, `projects/${PROJECT}/begins-here`);
    expect(await readdir(sandbox.mountPoint)).toEqual([]);
    await writeFile(sandbox.path('a'), 'text');
    await mkdir(sandbox.path('below'));
    await rename(sandbox.path('a'), sandbox.path('below', 'b'));
    expect(await readFile(sandbox.path('below', 'b'), 'utf8')).toBe('text');
    expect(await mustRun('find', ['.', '-type', 'f'], { cwd: sandbox.mountPoint })).toBe('./below/b\n');
    expect(await shell('ls -a', { cwd: sandbox.mountPoint })).toBe('.\n..\nbelow\n');
    const project = await mustRun('getfattr', [
      '--only-values',
      '-n',
      'user.svc.project',
      sandbox.path('below', 'b'),
    ]);
    expect(project).toBe(PROJECT);
    expect(await mustRun('df', ['--output=source', sandbox.mountPoint])).toContain(
      `/projects/${PROJECT}/begins-here`,
    );
    expect(await sandbox.svcfs(['flush', sandbox.path('below')])).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(sandbox.path('.svcfs', 'config'), 'utf8'))).toMatchObject({
      root: `projects/${PROJECT}/begins-here`,
    });
  });

  test('tells by the paths of the mount why something failed', async ({ sandbox }) => {
    await folder('tells');
    await mount(sandbox, `projects/${PROJECT}/tells`);
    await writeFile(sandbox.path('a'), 'text');
    await expect(mustRun('ln', [sandbox.path('a'), sandbox.path('hard')])).rejects.toThrow();
    const told = await why(sandbox, 'hard');
    expect(told).toContain('link /hard');
    expect(told).not.toContain(PROJECT);
    expect(await why(sandbox, 'b')).toBe('nothing has failed at /b\n');
  });

  test('hears of changes in it by others', async ({ sandbox }) => {
    const id = await folder('changes');
    await mount(sandbox, `projects/${PROJECT}/changes`, { args: ['--metadata-ttl', '2'] });
    await expect(stat(sandbox.path('new'))).rejects.toMatchObject({ code: 'ENOENT' });
    const made = await call('POST', '/files', { name: 'new', type: 'folder', parent: id });
    await waitUntil(async () => (await readdir(sandbox.mountPoint)).includes('new'));
    await call('DELETE', `/files/${made['id']}`);
    await waitUntil(async () => !(await readdir(sandbox.mountPoint)).includes('new'));
    await expect(stat(sandbox.path('new'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('fails with ESTALE once that is gone, and tells so', async ({ sandbox }) => {
    const id = await folder('goes');
    await mount(sandbox, `projects/${PROJECT}/goes`, { args: ['--metadata-ttl', '0'] });
    expect(await readdir(sandbox.mountPoint)).toEqual([]);
    await call('DELETE', `/files/${id}`);
    const list = ['-c', `ls ${sandbox.mountPoint}`];
    await waitUntil(async () => (await run('bash', list)).stderr.includes('Stale file handle'));
    expect((await run('bash', list)).stderr).toContain('Stale file handle');
    expect((await run('stat', [sandbox.path('x')])).stderr).toContain('Stale file handle');
    expect((await run('touch', [sandbox.path('x')])).stderr).toContain('Stale file handle');
    expect(await why(sandbox, 'x')).toContain(
      `now: projects/${PROJECT}/goes, where this mount begins (--root), was moved or removed elsewhere`,
    );
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0 });
  });

  test('goes on with an upload that was left, whichever part the next mount shows', async ({ sandbox }) => {
    await folder('left');
    const proxy = await FaultProxy.start(service.origin);
    onTestFinished(() => proxy.close());
    const endpoint = `${proxy.origin}/v2`;
    const how = { args: ['--write-back'], endpoint };
    await mount(sandbox, `projects/${PROJECT}/left`, how);
    proxy.inject({ kind: 'answer', status: 503 }, { when: ({ path }) => path.includes('/upload/') });
    await writeFile(sandbox.path('first'), 'one');
    await writeFile(sandbox.path('second'), 'two');
    await kill(sandbox);
    const listed = await sandbox.svcfs(['recover', 'list']);
    expect(listed.stdout).toContain(sandbox.path('first'));
    await mount(sandbox, `projects/${PROJECT}/left`, how);
    expect(await readFile(sandbox.path('first'), 'utf8')).toBe('one');
    await kill(sandbox);
    proxy.heal();
    await mount(sandbox, 'projects/demo/trio-exomes', how);
    expect(await sandbox.svcfs(['flush', sandbox.mountPoint])).toMatchObject({ code: 0 });
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0 });
    await mount(sandbox, `projects/${PROJECT}`);
    expect(await readFile(sandbox.path('left', 'first'), 'utf8')).toBe('one');
    expect(await readFile(sandbox.path('left', 'second'), 'utf8')).toBe('two');
  });
});

/** Ends the process that serves the mount, and waits until its watchdog has taken the mount away. */
async function kill(sandbox: Sandbox): Promise<void> {
  const daemon = (await sandbox.processes()).find(({ command }) => command.includes('daemon.js'));
  process.kill(daemon?.pid ?? Number.NaN, 'SIGKILL');
  await waitUntil(async () => (await sandbox.processes()).length === 0);
}

test('a mount can begin at a project, which costs no list, and at a volume', async ({ sandbox }) => {
  const proxy = await RecordingProxy.start(service.origin);
  onTestFinished(() => proxy.stop());
  await mount(sandbox, `/projects/${PROJECT}/`, { endpoint: `${proxy.url}/v2` });
  expect(await readdir(sandbox.mountPoint)).toContain('README.md');
  expect(await readFile(sandbox.path('README.md'), 'utf8')).not.toBe('');
  const lists = proxy.requests.filter(({ path }) => /\/(projects|volumes)\?/.test(path));
  expect(lists.map(({ path }) => path)).toEqual(['/v2/projects?offset=0&limit=1']);
  expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0 });
  await mount(sandbox, 'volumes/demo/results');
  expect(await readdir(sandbox.mountPoint)).not.toContain('demo');
  await expect(writeFile(sandbox.path('by-hand'), 'x')).rejects.toMatchObject({ code: 'EROFS' });
  expect(await why(sandbox, 'by-hand')).toContain('/by-hand');
});

describe('where a mount cannot begin', () => {
  test.for([
    [
      'projects/demo/rna-seq-studi',
      [],
      /^svcfs: --root projects\/demo\/rna-seq-studi: .*did you mean demo\/rna-seq-study/,
    ],
    [
      `projects/${PROJECT}/no-such`,
      [],
      /^svcfs: --root .*: there is no no-such in projects\/demo\/rna-seq-study, or/,
    ],
    [`projects/${PROJECT}/README.md`, [], /README\.md is a file, and no directory/],
    ['volumes/demo/results/no-such', [], /there is no no-such in volumes\/demo\/results/],
    ['projects/demo', [], /Expected a path such as projects\/lab\/rna/],
    [`projects/${PROJECT}/../x`, [], /Expected a path such as projects\/lab\/rna/],
    ['projects/demo/*', [], /Expected one directory, and no pattern/],
    [
      `projects/${PROJECT}`,
      ['--project', PROJECT],
      /--root and --project exclude each other, for one directory is shown/,
    ],
  ] as const)('%s %s is refused in a line', async ([root, args, message], { sandbox }) => {
    const refused = await tryMount(sandbox, root, { args });
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toMatch(message);
    expect(await readdir(sandbox.mountPoint)).toEqual([]);
  });
});
