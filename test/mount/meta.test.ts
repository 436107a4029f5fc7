/** `svcfs meta` at the command line: through a mount, and without one. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROJECT = 'rna-seq-study';

let served: ServedMount;
let project: string;
beforeAll(async () => {
  served = await ServedMount.start();
  project = served.path('projects/demo', PROJECT);
});
afterAll(() => served?.clean());

const at = (name: string): string => join(served.sandbox.root, name);

function svcfs(...args: string[]) {
  const env = { SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token };
  return served.sandbox.svcfs(args, { cwd: served.sandbox.root, env });
}

/** Writes the table of a path into a file. */
async function exported(name: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await svcfs('meta', 'export', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  await writeFile(at(name), stdout);
  return at(name);
}

const attribute = (path: string, name: string): Promise<string> =>
  shell(`getfattr --only-values -n user.${name} '${path}'`);

describe('svcfs meta through a mount', () => {
  test('a table is exported, edited by awk, compared, imported and taken back', async () => {
    const bam = join(project, 'aligned/RNA01.bam');
    const table = await exported('t.tsv', '-r', project);
    expect(await svcfs('meta', 'diff', table)).toMatchObject({ code: 0, stdout: '' });
    const edited = at('edited.tsv');
    await shell(
      `awk -F'\\t' -v OFS='\\t' 'NR==1 {for (i = 1; i <= NF; i++) column[$i] = i; print $0, "batch"; next} ` +
        `$column["sample_id"] == "RNA01" {$column["condition"] = "__DELETE__"; $(NF + 1) = "b\\\\t7"} {print}' ${table} > ${edited}`,
    );
    const diff = await svcfs('meta', 'diff', edited);
    expect(diff.code).toBe(1);
    expect(diff.stdout).toContain(
      `project:demo/${PROJECT}/aligned/RNA01.bam: condition: "control" -> (none)\n`,
    );
    expect(diff.stdout).toContain(`project:demo/${PROJECT}/aligned/RNA01.bam: batch: (none) -> "b\\t7"\n`);
    expect(diff.stdout).not.toContain('RNA02');
    const imported = await svcfs(
      'meta',
      'import',
      edited,
      '--undo',
      at('undo.tsv'),
      '--results',
      at('r.csv'),
    );
    expect(imported).toMatchObject({ code: 0, stderr: '' });
    expect(imported.stdout).toMatch(/^352 files: 8 changed, 344 unchanged\n/);
    expect(await attribute(bam, 'batch')).toBe('b\t7');
    await expect(attribute(bam, 'condition')).rejects.toThrow('No such attribute');
    expect(await readFile(at('r.csv'), 'utf8')).toContain('RNA01.bam,done,');
    expect(await svcfs('meta', 'import', at('r.csv'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/352 unchanged/),
    });
    expect(await svcfs('meta', 'undo', at('undo.tsv'), '--no-undo')).toMatchObject({ code: 0 });
    expect(await attribute(bam, 'condition')).toBe('control');
    expect(await readFile(await exported('again.tsv', '-r', project), 'utf8')).toBe(
      await readFile(table, 'utf8'),
    );
  });

  test('it costs a request for each 100 files', async () => {
    const table = await exported('cost.tsv', join(project, 'intervals'));
    const unchanged = await served.countingCalls(() => svcfs('meta', 'import', table));
    expect(unchanged).toMatchObject({ 'POST /v2/bulk/files/get': 3 });
    expect(unchanged['POST /v2/bulk/files/edit'] ?? 0).toBe(0);
    await shell(`sed -i '1 s/$/\\tround/; 2,$ s/$/\\t1/' ${table}`);
    const changed = await served.countingCalls(() => svcfs('meta', 'import', table, '--no-undo'));
    expect(changed).toMatchObject({ 'POST /v2/bulk/files/get': 3, 'POST /v2/bulk/files/edit': 3 });
  });

  test('files that were just written with the mount have their rows', async () => {
    const folder = join(project, 'just-written');
    await shell(
      `mkdir ${folder}; cd ${folder}; echo 1 > $'na\\tme'; setfattr -n user.k -v 007 $'na\\tme'; chmod 600 $'na\\tme'`,
    );
    const table = await readFile(await exported('new.tsv', folder), 'utf8');
    expect(table).toContain(`project:demo/${PROJECT}/just-written/na\\tme\t2\t[]\t`);
    expect(table).not.toContain('svcfs.');
    const { stdout } = await svcfs('meta', 'export', '--format', 'jsonl', join(folder, 'na\tme'));
    expect(JSON.parse(stdout)).toMatchObject({ svc: { size: 2, tags: [] }, metadata: { k: '007' } });
  });

  test('what is not there, or is nothing of a project, is told, and the others go on', async () => {
    const README = join(project, 'README.md');
    const told = await svcfs(
      'meta',
      'export',
      README,
      join(project, 'none'),
      '/etc',
      served.path('volumes/demo/results'),
      served.path('projects'),
    );
    expect(told.code).toBe(1);
    expect(told.stdout).toContain('README.md');
    expect(told.stderr).toContain('none: no such file or directory');
    expect(told.stderr).toContain('/etc: not in a mount of svcfs, and not project:owner/name/…');
    expect(told.stderr).toContain('objects of volumes have no metadata or tags that can be changed');
    expect(told.stderr).toContain('projects: no file or folder of a project');
  });

  test('a table that cannot be used is refused in one line, with exit code 2', async () => {
    await writeFile(at('bad.tsv'), `svc.path\tnote\nREADME.md\t${'x'.repeat(301)}\n`);
    const refused = await svcfs('meta', 'import', at('bad.tsv'), '--in', project);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toBe(
      `svcfs: ${at('bad.tsv')}: row 2: note: a value has at most 300 bytes, this one 301; nothing was sent\n`,
    );
    await writeFile(at('empty.csv'), '');
    expect(await svcfs('meta', 'diff', at('empty.csv'))).toMatchObject({ code: 2 });
    expect(await svcfs('meta', 'import', at('missing.tsv'))).toMatchObject({
      code: 2,
      stderr: `svcfs: cannot read ${at('missing.tsv')}: no such file or directory\n`,
    });
    expect((await svcfs('meta', 'import', at('bad.tsv'), '--key', 'a=b')).stderr).toContain(
      '--key needs --in PATH',
    );
  });
});

describe('svcfs meta get, set and unset, and svcfs tag', () => {
  const bam = (name: string): string => join(project, 'aligned', name);

  test('change files by name, and those of a folder with -r, 100 a request', async () => {
    expect(await svcfs('meta', 'get', 'sample_id', bam('RNA01.bam'))).toMatchObject({
      code: 0,
      stdout: 'RNA01\n',
    });
    expect(
      await svcfs('meta', 'set', 'mark=1', 'empty=', 'x=y=z', bam('RNA01.bam'), bam('RNA02.bam')),
    ).toMatchObject({
      code: 0,
      stdout: '2 files: 2 changed\n',
    });
    expect(
      (await svcfs('meta', 'get', 'mark', 'empty', 'none', '--', bam('RNA01.bam'), bam('RNA03.bam'))).stdout,
    ).toBe(`${bam('RNA01.bam')}\t1\t__EMPTY__\t\n${bam('RNA03.bam')}\t\t\t\n`);
    expect(await attribute(bam('RNA02.bam'), 'x')).toBe('y=z');
    const intervals = join(project, 'intervals');
    const calls = await served.countingCalls(async () => {
      const { code, stdout } = await svcfs('meta', 'set', '-r', 'mark=1', intervals, bam('RNA01.bam'));
      expect({ code, stdout }).toEqual({ code: 0, stdout: '251 files: 250 changed, 1 unchanged\n' });
    });
    expect(calls).toMatchObject({ 'POST /v2/bulk/files/get': 1, 'POST /v2/bulk/files/edit': 3 });
    expect(await svcfs('meta', 'unset', '-r', 'mark', project, '--undo', at('unset.tsv'))).toMatchObject({
      code: 0,
    });
    expect(await readFile(at('unset.tsv'), 'utf8')).toContain(
      `\tproject:demo/${PROJECT}/aligned/RNA01.bam\t`,
    );
    expect((await svcfs('meta', 'get', 'mark', bam('RNA01.bam'))).stderr).toBe(
      `svcfs: ${bam('RNA01.bam')}: there is no pair mark\n`,
    );
    expect((await svcfs('meta', 'undo', at('unset.tsv'))).stdout).toMatch(/^252 files: 252 changed\n/);
    expect(await attribute(bam('RNA02.bam'), 'mark')).toBe('1');
  });

  test('tags are added, taken and replaced', async () => {
    const file = bam('RNA04.bam');
    expect(await svcfs('tag', 'add', 'batch 7', file)).toMatchObject({ code: 0 });
    expect(await attribute(file, 'svc.tags')).toBe('["aligned","control","batch 7"]');
    expect(await svcfs('tag', 'add', 'a,"b"', 'aligned', '--', file)).toMatchObject({
      stdout: '1 file: 1 changed\n',
    });
    expect(await svcfs('tag', 'rm', 'control', 'batch 7', '--', file)).toMatchObject({ code: 0 });
    expect(await attribute(file, 'svc.tags')).toBe(JSON.stringify(['aligned', 'a,"b"']));
    expect(await svcfs('tag', 'rm', 'none', file)).toMatchObject({
      stdout: '1 file: 0 changed, 1 unchanged\n',
    });
    expect(await svcfs('tag', 'set', '--', file)).toMatchObject({ code: 0 });
    expect(await attribute(file, 'svc.tags')).toBe('[]');
    expect(await svcfs('tag', 'set', 'one', `project:demo/${PROJECT}/aligned/RNA04.bam`)).toMatchObject({
      code: 0,
    });
    expect(await attribute(file, 'svc.tags')).toBe('["one"]');
  });

  test('folders have no metadata, and what is bad for every file is told before any is changed', async () => {
    const folder = await svcfs('meta', 'set', 'good=1', join(project, 'aligned'), bam('RNA05.bam'));
    expect(folder).toMatchObject({ code: 1, stdout: '1 file: 1 changed\n' });
    expect(folder.stderr).toContain(
      'aligned: a folder, which has no metadata; -r means the files below it\n',
    );
    const calls = await served.countingCalls(async () => {
      const long = await svcfs('meta', 'set', `k=${'x'.repeat(301)}`, bam('RNA05.bam'));
      expect(long).toMatchObject({
        code: 2,
        stderr: 'svcfs: k: a value has at most 300 bytes, this one 301; nothing was sent\n',
      });
      expect(await svcfs('meta', 'set', 'svcfs.mode=1', bam('RNA05.bam'))).toMatchObject({ code: 2 });
      expect(await svcfs('tag', 'add', '', bam('RNA05.bam'))).toMatchObject({ code: 2 });
      expect(await svcfs('tag', 'add', '--', bam('RNA05.bam'))).toMatchObject({ code: 2 });
      expect(await svcfs('meta', 'set', bam('RNA05.bam'))).toMatchObject({ code: 2 });
    });
    expect(calls).toMatchObject({ 'POST /v2/bulk/files/get': 0, 'POST /v2/bulk/files/edit': 0 });
  });

  test('meta edit opens the table in an editor, and a blank cell erases', async () => {
    const file = bam('RNA06.bam');
    const edit = (script: string, ...args: string[]) =>
      served.sandbox.svcfs(['meta', 'edit', '--yes', ...args], {
        env: { VISUAL: '', EDITOR: `sed -i -e '${script}'` },
      });
    const done = await edit('s/\\tcontrol\\t/\\t\\t/; s/\\tRNA06$/\\tRNA06b/', file);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('1 file: 1 changed\n');
    expect(await attribute(file, 'sample_id')).toBe('RNA06b');
    await expect(attribute(file, 'condition')).rejects.toThrow('No such attribute');
    const [, undo = ''] = /svcfs meta undo (\S+)/.exec(done.stdout) ?? [];
    expect(await svcfs('meta', 'undo', undo, '--no-undo')).toMatchObject({ code: 0 });
    expect(await attribute(file, 'condition')).toBe('control');
    expect(await edit('', file)).toMatchObject({ code: 0, stdout: 'nothing was changed\n' });
    const bad = await edit('s/^svc.id/id/; s/svc.path/path/', file);
    expect(bad.code).toBe(2);
    expect(bad.stderr).toMatch(/the table is at \S+: svcfs meta import --blank=erase takes it/);
    const failed = await served.sandbox.svcfs(['meta', 'edit', '--yes', file], { env: { VISUAL: 'false' } });
    expect(failed).toMatchObject({ code: 1, stderr: 'svcfs: the editor (false) failed; nothing was sent\n' });
    expect(await svcfs('meta', 'edit', file)).toMatchObject({ code: 2 });
  });
});

describe('svcfs meta through a mount that is read-only', () => {
  test('shows files, and changes none', async () => {
    const { sandbox } = served;
    const mountPoint = at('read-only');
    await mkdir(mountPoint);
    sandbox.alsoMounts(mountPoint);
    const env = { SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token };
    expect(await sandbox.svcfs(['mount', mountPoint, '--read-only'], { env })).toMatchObject({ code: 0 });
    const file = join(mountPoint, 'projects/demo', PROJECT, 'README.md');
    const before = await svcfs('meta', 'export', file);
    const refused = await svcfs('meta', 'set', 'a=1', file);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '1 file: 0 changed, 1 failed\n',
      stderr: `svcfs: ${mountPoint}: this mount is read-only (--read-only)\n`,
    });
    expect(await svcfs('meta', 'export', file)).toEqual(before);
    await writeFile(at('which.tsv'), before.stdout);
    const which = await svcfs('meta', 'diff', at('which.tsv'));
    expect(which.code).toBe(2);
    expect(which.stderr).toContain('several mounts are there: name a folder of one by --in');
    expect(await svcfs('meta', 'diff', at('which.tsv'), '--in', mountPoint)).toMatchObject({ code: 1 });
    expect(await svcfs('meta', 'diff', at('which.tsv'), '--in', dirname(file))).toMatchObject({ code: 0 });
    expect(await sandbox.svcfs(['unmount', mountPoint])).toMatchObject({ code: 0 });
  });
});

describe('svcfs meta without a mount', () => {
  test('a project is named, and mounts that show it learn what was changed', async () => {
    const readme = join(project, 'README.md');
    expect(await attribute(readme, 'reference_genome')).toBe('demo-1');
    await writeFile(
      at('direct.tsv'),
      `svc.path\treference_genome\tsvc.tags\nREADME.md\tdemo-2\t["a, b","c"]\n`,
    );
    const where = `project:demo/${PROJECT}`;
    const { code, stdout } = await svcfs('meta', 'import', at('direct.tsv'), '--in', where, '--no-undo');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '1 file: 1 changed\n' });
    const calls = await served.counting(async () => {
      expect(await attribute(readme, 'reference_genome')).toBe('demo-2');
      expect(await attribute(readme, 'svc.tags')).toBe('["a, b","c"]');
    });
    expect(calls.apiRequests).toBe(0);
    const missing = await svcfs('meta', 'export', 'project:demo/none', `${where}/none`);
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('project:demo/none: no such file or folder\n');
    expect(missing.stderr).toContain(`${where}/none: no such file or folder\n`);
    expect(await svcfs('meta', 'export', 'project:demo')).toMatchObject({ code: 2 });
  });

  test('killed in the middle, the next run ends it', async () => {
    const table = await exported('killed.tsv', '-r', `project:demo/${PROJECT}`);
    await shell(`sed -i '1 s/$/\\tkilled/; 2,$ s/$/\\tyes/' ${table}`);
    const proxy = await RecordingProxy.start(served.endpoint);
    try {
      const edits = () => proxy.requests.filter(({ path }) => path.includes('bulk/files/edit'));
      proxy.hold = async () => (edits().length < 3 ? undefined : new Promise(() => undefined));
      const args = ['--endpoint', `${proxy.url}/v2`, '--undo', at('killed-undo.tsv')];
      const command = served.sandbox.start(['meta', 'import', table, ...args], {
        SVC_AUTH_TOKEN: served.token,
      });
      await waitUntil(() => edits().length === 3);
      command.signal('SIGKILL');
      await command.exited();
    } finally {
      await proxy.stop();
    }
    const again = await svcfs('meta', 'import', table);
    expect(again.stdout).toMatch(/^353 files: 153 changed, 200 unchanged\n/);
    expect(again.code).toBe(0);
    expect((await readFile(at('killed-undo.tsv'), 'utf8')).split('\n')).toHaveLength(355);
  });
});

test('an export from a service that does not answer says so while it waits', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}/v2`;
  const env = { SVC_API_ENDPOINT: nobody, SVC_AUTH_TOKEN: 'token' };
  const waiting = served.sandbox.start(['meta', 'export', 'project:demo/none'], env);
  await waitUntil(() => waiting.stderr.includes('does not answer: trying for 60 s\n') || !waiting.running, {
    what: 'the wait is told',
  });
  expect(waiting.stderr).toBe(`svcfs: ${nobody} does not answer: trying for 60 s\n`);
  await waiting.end();
});
