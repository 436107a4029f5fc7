/** `svcfs rm`, `mkdir` and `ls` at the command line: through a mount, and without one. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { Terminal } from '../support/terminal.ts';

const PROJECT = 'project:demo/rna-seq-study';

let served: ServedMount;
let project: string;
beforeAll(async () => {
  served = await ServedMount.start();
  project = served.path('projects/demo/rna-seq-study');
});
afterAll(() => served?.clean());

const env = () => ({ SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token });
const svcfs = (...args: string[]) => served.sandbox.svcfs(args, { cwd: served.sandbox.root, env: env() });

/** Copies of a file of the demo, made by the platform. */
async function copies(folder: string, count: number): Promise<string> {
  const path = join(project, folder);
  await shell(`mkdir ${path}; for i in $(seq ${count}); do cp ${project}/README.md ${path}/f$i; done`);
  return path;
}

/** The calls that change something or look, without those that ask how jobs are. */
async function calls(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const counted = Object.entries(await served.countingCalls(work));
  return Object.fromEntries(
    counted.filter(([call, count]) => count > 0 && !/^GET .*\/(?:async|storage)\/.*\{/.test(call)),
  );
}

describe('svcfs rm', () => {
  test('takes a request for 100 files and one for a folder, and the mount shows it at once', async () => {
    const path = await copies('to-remove', 105);
    await shell(`mkdir -p ${path}/deep/er; cp ${path}/f1 ${path}/deep/er/; ls -lR ${path}`);
    const files = (await readdir(path)).filter((name) => name !== 'deep').map((name) => join(path, name));
    const counted = await calls(async () => {
      expect(await svcfs('rm', ...files)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    });
    expect(counted).toMatchObject({ 'POST /v2/bulk/files/delete': 2 });
    expect(counted['DELETE /v2/files/{file_id}']).toBeUndefined();
    expect(await readdir(path)).toEqual(['deep']);
    const folder = await calls(async () => {
      expect(await svcfs('rm', '-r', '-v', path)).toMatchObject({ code: 0, stdout: `removed '${path}'\n` });
    });
    expect(folder).toMatchObject({ 'POST /v2/async/files/delete': 1 });
    expect(await readdir(project)).not.toContain('to-remove');
  });

  test('tells each path that cannot be removed, and removes the others', async () => {
    await copies('partly', 2);
    const told = await svcfs(
      'rm',
      `${PROJECT}/partly/f1`,
      `${PROJECT}/none`,
      `${PROJECT}/partly`,
      PROJECT,
      '/etc/passwd',
    );
    expect(told.code).toBe(1);
    expect(told.stderr.replace(/\d+ requests/, 'N requests').split('\n')).toEqual([
      `svcfs: ${PROJECT}/none: no such file or directory`,
      `svcfs: ${PROJECT}/partly: a folder: -r removes it and all below`,
      `svcfs: ${PROJECT}: a whole project: name what is in it`,
      'svcfs: /etc/passwd: not in a mount of svcfs, and not project:owner/name/…',
      'svcfs: 1 removed (274 B), 4 failed, N requests',
      '',
    ]);
    expect(await readdir(join(project, 'partly'))).toEqual(['f2']);
    expect(await svcfs('rm', '-f', `${PROJECT}/none`, `${PROJECT}/no/where`)).toMatchObject({
      code: 0,
      stderr: '',
    });
    const volume = join(served.path('volumes/demo'), (await readdir(served.path('volumes/demo')))[0] ?? '');
    expect(await svcfs('rm', '-rf', volume)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('removes nothing from a volume'),
    });
    await svcfs('rm', '-r', `${PROJECT}/partly`);
    expect(await readdir(project)).not.toContain('partly');
  });

  test('asks on a terminal, with count and size', async () => {
    const path = await copies('asked', 3);
    const ask = async (answer: string): Promise<void> => {
      const command = `${process.execPath} dist/cli/main.js rm -r ${path}; echo ended`;
      const terminal = new Terminal(`sh -c '${command}'`, { ...served.sandbox.env, ...env() }, 200);
      try {
        await terminal.shows(
          /Remove project:demo\/rna-seq-study\/asked \(3 files, 822 B\)\? This is final\. \[y\/N\]/,
        );
        terminal.type(`${answer}\r`);
        await terminal.shows(/ended/);
      } finally {
        await terminal.end();
      }
    };
    await ask('n');
    expect(await readdir(path)).toHaveLength(3);
    await ask('y');
    expect(await readdir(project)).not.toContain('asked');
  });

  test('--dry-run costs what the command costs, and removes nothing', async () => {
    const path = await copies('planned', 3);
    const given = [`${path}/f1`, `${path}/f2`, `${PROJECT}/intervals`];
    const planned = await svcfs('rm', '-rf', '--dry-run', '--json', ...given);
    const { changes, jobs, bytes } = JSON.parse(planned.stdout);
    expect({ changes, jobs }).toEqual({ changes: 2, jobs: 1 });
    expect(bytes).toBeGreaterThan(548);
    expect(await readdir(path)).toHaveLength(3);
    expect((await svcfs('rm', '-rf', '--dry-run', ...given)).stdout).toMatch(
      /^would be removed: '.*\/f1'\n(?:.*\n){2}\d+ requests, \d+ s; \d+ to look, 2 to change; 1 job; .*\n$/,
    );
    await svcfs('rm', '-r', path);
  });
});

describe('svcfs mkdir', () => {
  test('makes folders, above as well with -p, and the mount shows them at once', async () => {
    await readdir(project);
    expect(await svcfs('mkdir', `${project}/made`, `${PROJECT}/other`)).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await readdir(project)).toEqual(expect.arrayContaining(['made', 'other']));
    const counted = await calls(async () => {
      const { stdout } = await svcfs(
        'mkdir',
        '-pv',
        `${project}/made/a/b`,
        `${project}/made/a/c`,
        `${project}/made`,
      );
      expect(stdout.split('\n').sort()).toEqual([
        '',
        ...['a', 'a/b', 'a/c'].map((each) => `made '${project}/made/${each}'`),
      ]);
    });
    expect(counted['POST /v2/files']).toBe(3);
    expect((await readdir(`${project}/made/a`)).sort()).toEqual(['b', 'c']);
    const refused = await svcfs(
      'mkdir',
      `${PROJECT}/made`,
      `${PROJECT}/x/y`,
      `${PROJECT}/README.md`,
      `${PROJECT}/README.md/x`,
    );
    expect(refused.code).toBe(1);
    expect(refused.stderr.split('\n').slice(0, 3)).toEqual([
      `svcfs: ${PROJECT}/made: it is there already`,
      `svcfs: ${PROJECT}/x/y: no such folder above it: -p makes those as well`,
      `svcfs: ${PROJECT}/README.md: ${PROJECT}/README.md is a file`,
    ]);
    await svcfs('rm', '-r', `${PROJECT}/made`, `${PROJECT}/other`);
  });
});

describe('svcfs ls', () => {
  test('lists as the mount does, by a request for each hundred', async () => {
    const counted = await calls(async () => {
      const { stdout } = await svcfs('ls', `${PROJECT}/intervals`);
      expect(stdout.trim().split('\n')).toEqual((await readdir(join(project, 'intervals'))).sort());
    });
    const pages = Object.entries(counted).filter(([call]) => call.endsWith('/list'));
    expect(pages.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(2 * 3);
    const { stdout } = await svcfs('ls', '-R', '--json', PROJECT);
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toContainEqual(
      expect.objectContaining({ path: `${PROJECT}/README.md`, type: 'file', size: 274 }),
    );
    expect((await svcfs('ls', '-d', `${PROJECT}/intervals`)).stdout).toBe(`${PROJECT}/intervals/\n`);
    const long = await svcfs('ls', '-l', `${PROJECT}/README.md`, `${PROJECT}/none`);
    expect(long).toMatchObject({ code: 1, stderr: `svcfs: ${PROJECT}/none: no such file or directory\n` });
    expect(long.stdout).toMatch(/^ +274 {2}\d{4}-\d\d-\d\dT[\d:]{8}Z {2}project:demo.*README\.md\n$/);
  });

  test('lists a volume by levels', async () => {
    const root = served.path('volumes/demo');
    const [name = ''] = await readdir(root);
    const shown = (await readdir(join(root, name), { withFileTypes: true })).map((each) =>
      each.isDirectory() ? `${each.name}/` : each.name,
    );
    const { stdout } = await svcfs('ls', `volume:demo/${name}`);
    expect(stdout.trim().split('\n').sort()).toEqual(shown.sort());
  });
});

test('a mount with --no-delete refuses rm, and says why', async () => {
  const other = join(served.sandbox.root, 'keeping');
  await shell(`mkdir ${other}`);
  served.sandbox.alsoMounts(other);
  expect(await svcfs('mount', other, '--no-delete')).toMatchObject({ code: 0 });
  expect(await svcfs('rm', '-rf', join(other, 'projects/demo/rna-seq-study/qc'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('this mount removes nothing (--no-delete)'),
  });
  expect(await readdir(join(project, 'qc'))).not.toHaveLength(0);
});
