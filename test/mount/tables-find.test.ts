/** Finding files by their metadata: `svcfs find`, and directories of queries. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

let served: ServedMount;
let project: string;
let find: string;
beforeAll(async () => {
  served = await ServedMount.start();
  project = served.path('projects/demo/rna-seq-study');
  find = join(project, '.svcfs/find');
});
afterAll(() => served?.clean());

const svcfs = (...args: string[]) => served.sandbox.svcfs(args, { cwd: project });

describe('svcfs find', () => {
  test('prints the paths of the files that meet all conditions, as the folder was given', async () => {
    const found = await svcfs('find', '.', 'sample_id=RNA02', 'size>100', 'name~*.bam', '!reviewed');
    expect(found).toMatchObject({ code: 0, stdout: 'aligned/RNA02.bam\n', stderr: '' });
    const env = { SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token };
    const direct = ['find', 'project:demo/rna-seq-study/aligned', 'sample_id=RNA02', 'name~*.bam'];
    expect((await served.sandbox.svcfs(direct, { env })).stdout).toBe(
      'project:demo/rna-seq-study/aligned/RNA02.bam\n',
    );
  });

  test('prints NUL, or a table that can be imported, or runs a command', async () => {
    const terms = ['aligned', 'sample_id=RNA02|RNA03', 'name~*.bam'];
    expect((await svcfs('find', '-0', ...terms)).stdout).toBe('aligned/RNA02.bam\0aligned/RNA03.bam\0');
    expect((await svcfs('find', '--tsv', ...terms)).stdout).toMatch(/^svc\.id\tsvc\.path(.*\n){3}$/);
    const [line = ''] = (await svcfs('find', '--json', ...terms)).stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({ metadata: { sample_id: 'RNA02' } });
    const ran = await svcfs('find', ...terms, '--exec', 'echo "<$1>"; test "$1" != aligned/RNA03.bam');
    expect(ran).toMatchObject({ code: 1, stdout: '<aligned/RNA02.bam>\n<aligned/RNA03.bam>\n' });
    expect(ran.stderr).toContain('the command failed for 1 of 2 files');
  });

  test('says what is no condition, and which fields there are', async () => {
    expect(await svcfs('find', '.', '=x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no condition'),
    });
    expect((await svcfs('find', '.', 'svc.x=1')).stderr).toContain('there are svc.name');
  });
});

describe('a directory of a query', () => {
  test('has links to the files that meet its conditions, for one search', async () => {
    await readdir(project);
    const calls = await served.countingCalls(async () => {
      expect(await readdir(join(find, 'sample_id=RNA02', 'name~*.bam'))).toEqual(['RNA02.bam']);
      const link = join(find, 'sample_id=RNA02', 'name~*.bam', 'RNA02.bam');
      expect(await readlink(link)).toBe('../../../../aligned/RNA02.bam');
      expect((await shell(`head -c 2 '${link}' | od -An -tx1`)).trim()).toBe('1f 8b');
    });
    expect(calls['POST /v2/files/search']).toBe(1);
    expect(await readdir(find)).toEqual([]);
    expect((await run('ls', [join(find, 'sample_id=RNA02/.git')])).stderr).toContain('No such file');
  });

  test('shows a change of this mount at once', async () => {
    expect(await readdir(join(find, 'colour=red'))).toEqual([]);
    await shell(`setfattr -n user.colour -v red ${project}/aligned/RNA05.bam`);
    expect(await readdir(join(find, 'colour=red'))).toEqual(['RNA05.bam']);
    await svcfs('meta', 'set', 'colour=blue', 'aligned/RNA05.bam');
    expect(await readdir(join(find, 'colour=red'))).toEqual([]);
  });

  test('has a table of its own, by which all of them are edited at once', async () => {
    const table = join(find, 'sample_id=RNA02', '.svcfs/metadata.tsv');
    expect(await readFile(table, 'utf8')).toContain('aligned/RNA02.bam');
    await shell(
      `awk -F'\\t' -v OFS='\\t' '{print $1, NR == 1 ? "reviewed" : "yes"}' ${table} > t; cp t ${table}`,
      { cwd: served.sandbox.root },
    );
    const both = await readdir(join(find, 'reviewed=yes'));
    expect(both).toEqual(await readdir(join(find, 'sample_id=RNA02')));
    expect(both.length).toBeGreaterThan(3);
  });

  test('the values of a key are listed, each with the query of it', async () => {
    const by = join(project, '.svcfs/by/sample_id');
    expect((await readdir(by)).slice(0, 2)).toEqual(['RNA01', 'RNA02']);
    expect(await readlink(join(by, 'RNA02'))).toBe('../../find/sample_id=RNA02');
    expect(await readdir(join(by, 'RNA02'))).toContain('RNA02.bam');
    expect(await readdir(join(project, '.svcfs/by/tag'))).toContain('aligned');
  });

  test('holds nothing that rm could remove, or a program make', async () => {
    const query = join(find, 'sample_id=RNA02');
    expect((await run('rm', ['-r', query])).stderr).toContain('Operation not permitted');
    expect((await run('cp', ['/etc/hostname', join(query, 'new=1')])).code).toBe(1);
    expect(await readdir(join(project, 'aligned'))).toContain('RNA02.bam');
  });
});
