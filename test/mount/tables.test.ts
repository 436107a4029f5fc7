/** The tables of metadata that every folder of a project answers to. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestUser } from '../service/test-service.ts';
import { run, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const PROJECT = 'projects/demo/rna-seq-study';
const TABLES = ['metadata.tsv', 'metadata.csv', 'metadata.jsonl'];

let served: ServedMount;
let folder: string;
let tsv: string;
beforeAll(async () => {
  served = await ServedMount.start();
  folder = served.path(PROJECT, 'aligned');
  tsv = join(folder, '.svcfs/metadata.tsv');
});
afterAll(() => served?.clean());

const pair = (key: string, file = 'RNA01.bam'): Promise<string> =>
  shell(`getfattr --only-values -n user.${key} '${join(folder, file)}'`);

/** `script` in the annex of the folder. */
const inAnnex = (script: string): Promise<string> => shell(script, { cwd: join(folder, '.svcfs') });

const why = async (path: string): Promise<string> => (await served.sandbox.svcfs(['why', path])).stdout;

/** A table of one column for all files of the folder. */
async function column(key: string, value: string): Promise<string> {
  const path = join(served.sandbox.root, `${key}.tsv`);
  await shell(`awk -F'\\t' -v OFS='\\t' '{print $1, $5, NR == 1 ? "${key}" : "${value}"}' ${tsv} > ${path}`);
  return path;
}

describe('a folder has tables of the metadata in it', () => {
  test('in a directory that no listing shows, the project as well', async () => {
    expect(await readdir(folder)).not.toContain('.svcfs');
    expect(await shell(`find ${served.path(PROJECT)} -name '*svcfs*'`)).toBe('');
    const held = ['by', 'entries', 'find', 'folder.json', ...TABLES].sort();
    expect((await readdir(join(folder, '.svcfs'))).sort()).toEqual(held);
    expect((await readdir(served.path(PROJECT, '.svcfs'))).sort()).toEqual(
      [...held, 'members.tsv', 'project.json'].sort(),
    );
    expect((await run('ls', [served.path('volumes/demo/results/2023-pilot/.svcfs')])).code).not.toBe(0);
    expect((await run('mkdir', [join(folder, '.svcfs')])).stderr).toContain('File exists');
  });

  test('which are what svcfs meta export prints, of their true size, and cost nothing once the folder is known', async () => {
    await readdir(folder);
    const calls = await served.counting(async () => {
      for (const name of TABLES) {
        const path = join(folder, '.svcfs', name);
        const { size } = await stat(path);
        expect(Buffer.byteLength(await readFile(path, 'utf8'))).toBe(size);
      }
    });
    expect(calls.apiRequests).toBe(0);
    const { stdout } = await served.sandbox.svcfs(['meta', 'export', folder]);
    expect(await readFile(tsv, 'utf8')).toBe(stdout);
  });

  test('a real entry of that name is shown under another one', async () => {
    const made = served.path(PROJECT, 'svc~.svcfs');
    await mkdir(made);
    await writeFile(join(made, 'inside'), 'x');
    expect(await readdir(served.path(PROJECT))).toContain('svc~.svcfs');
    expect(await shell(`getfattr --only-values -n user.svc.name '${made}'`)).toBe('.svcfs');
    await shell(`rm -r '${made}'`);
  });

  test('what is open stays as it was opened', async () => {
    const seen = await shell(`exec 3< ${tsv}; setfattr -n user.opened -v later ${folder}/RNA01.bam; cat <&3`);
    expect(seen).not.toContain('later');
    expect(await readFile(tsv, 'utf8')).toContain('later');
  });
});

describe('a table that is written is imported', () => {
  test('by cp, and sends what differs, 100 files a request', async () => {
    const table = await column('batch', 'by-cp');
    const calls = await served.countingCalls(() => shell(`cp ${table} ${tsv}`));
    expect(calls).toMatchObject({ 'POST /v2/bulk/files/get': 1, 'POST /v2/bulk/files/edit': 1 });
    const looking = await served.counting(async () => {
      expect(await pair('batch')).toBe('by-cp');
      expect(await readFile(tsv, 'utf8')).toContain('by-cp');
    });
    expect(looking.apiRequests).toBe(0);
    const again = await served.countingCalls(() => shell(`cp ${table} ${tsv}`));
    expect(again['POST /v2/bulk/files/edit'] ?? 0).toBe(0);
  });

  test('by sed -i', async () => {
    await inAnnex(`sed -i 's/by-cp/by-sed/' metadata.tsv`);
    expect(await pair('batch')).toBe('by-sed');
  });

  test('by awk and mv, by a redirection, and by jq', async () => {
    await inAnnex(`awk '{gsub("by-sed", "by-awk")} 1' metadata.tsv > new.tsv && mv new.tsv metadata.tsv`);
    expect(await pair('batch')).toBe('by-awk');
    const table = await column('batch', 'by-redirection');
    await shell(`cat ${table} > ${tsv}`);
    expect(await pair('batch')).toBe('by-redirection');
    await inAnnex(`jq -c '.metadata.batch = "by-jq"' metadata.jsonl > new && mv new metadata.jsonl`);
    expect(await pair('batch')).toBe('by-jq');
  });

  test('by vim, which writes twice and keeps a backup', async () => {
    const commands = [`-c '%s/by-jq/by-vim/' -c w -c '%s/by-vim/by-vim-again/' -c wq`];
    await inAnnex(`vim -N -u NONE -es ${commands} metadata.tsv`);
    expect(await pair('batch')).toBe('by-vim-again');
    await inAnnex(
      `vim -N -u NONE -es -c 'set backup backupskip= backupcopy=no' -c '%s/by-vim-again/by-vim/' -c wq metadata.tsv`,
    );
    expect(await pair('batch')).toBe('by-vim');
    expect(await inAnnex('cat metadata.tsv~')).toContain('by-vim-again');
  });

  test('by an office program: a lock file, a temporary file, and a rename', async () => {
    const before = await served.counters();
    await inAnnex(`
      set -C; echo me > '.~lock.metadata.csv#'
      sed 's/by-vim/by-office/' metadata.csv > lu1.tmp; mv lu1.tmp metadata.csv; rm '.~lock.metadata.csv#'`);
    expect(await pair('batch')).toBe('by-office');
    expect((await served.counters()).storagePuts).toBe(before.storagePuts);
    expect(await readdir(join(folder, '.svcfs'))).not.toContain('lu1.tmp');
  });

  test('and what it replaced is in a table that takes it back', async () => {
    await inAnnex('cp "$(ls -d undo-*.tsv | tail -1)" metadata.tsv');
    expect(await pair('batch')).toBe('by-vim');
  });
});

describe('a table that cannot be imported', () => {
  test('fails at close, sends nothing, stays beside, and why names row and column', async () => {
    await shell(`cp ${await column('batch', 'x'.repeat(301))} ${tsv}`).catch((error) =>
      expect(String(error)).toContain('Invalid argument'),
    );
    expect(await why(tsv)).toMatch(/row 2: batch: a value has at most 300 bytes, this one 301/);
    expect(await why(tsv)).toContain('Nothing was sent');
    expect(await pair('batch')).toBe('by-vim');
    expect(await inAnnex('cat metadata.tsv.rej')).toContain('xxx');
    expect(await readFile(tsv, 'utf8')).not.toContain('xxx');
    await shell(`cp ${await column('batch', 'good')} ${tsv}`);
    expect(await why(tsv)).toMatch(/^nothing has failed/);
    expect(await readdir(join(folder, '.svcfs'))).not.toContain('metadata.tsv.rej');
  });

  test('fails a rename over it, after which why still tells', async () => {
    const { code, stderr } = await run('sed', ['-i', `s/good/${'x'.repeat(301)}/`, tsv]);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining('Invalid argument') });
    expect(await why(tsv)).toContain('row 2: batch');
    expect(await pair('batch')).toBe('good');
  });

  test.each([
    ['nothing in it', '', 'the table is empty'],
    ['a header only', 'svc.id\tbatch\n', 'the table has a header and no rows'],
    ['a column named id', 'id\tbatch\nx\ty\n', 'a column id is a metadata key of that name'],
    ['NUL', 'svc.path\tbatch\nRNA01.bam\ta\0b\n', 'row 2: there is a NUL'],
    ['tags that are no JSON', 'svc.path\tsvc.tags\nRNA01.bam\t"a",b\n', 'tags are a JSON array of texts'],
    ['a file named twice', 'svc.path\tbatch\nRNA01.bam\ta\nRNA01.bam\tb\n', 'has row 2 already'],
    ['a path out of the mount', 'svc.path\tbatch\n../../x\ta\n', 'nor a path below the folder'],
    [
      'a file of another folder',
      'svc.path\tbatch\nproject:demo/rna-seq-study/README.md\ta\n',
      'is not below project:demo/rna-seq-study/aligned',
    ],
  ])('is one with %s', async (_, text, reason) => {
    const path = join(served.sandbox.root, 'bad.tsv');
    await writeFile(path, text);
    await run('cp', [path, tsv]);
    // Nobody closes a table that is only emptied with an error.
    await expect.poll(() => why(tsv)).toContain(reason);
    expect(await pair('batch')).toBe('good');
  });

  test('is one whose writer was killed before it closed it', async () => {
    const script =
      "import os; f = open('metadata.tsv', 'w'); f.write('svc.path\\tbatch\\nRNA01.bam\\thalf'); f.flush(); os.kill(os.getpid(), 9)";
    await run('python3', ['-c', script], { cwd: join(folder, '.svcfs') });
    await expect.poll(() => why(tsv)).toContain('was killed: nothing was sent');
    expect(await pair('batch')).toBe('good');
    expect(await inAnnex('cat metadata.tsv.rej')).toContain('half');
  });

  test('is none with quotes and commas in its tags', async () => {
    const path = join(served.sandbox.root, 'tags.csv');
    await writeFile(path, 'svc.path,svc.tags\nRNA01.bam,"[""a, \\""b\\"""",""c""]"\n');
    await shell(`cp ${path} ${join(folder, '.svcfs/metadata.csv')}`);
    expect(JSON.parse(await pair('svc.tags'))).toEqual(['a, "b"', 'c']);
  });
});

describe('somebody else', () => {
  test('who changed a file since keeps that, the other rows are applied, and why says so', async () => {
    const table = await column('batch', 'ours');
    await shell(`setfattr -n user.theirs -v 1 ${folder}/RNA01.bam`);
    expect((await run('cp', [table, tsv])).stderr).toContain('Device or resource busy');
    expect(await why(tsv)).toMatch(/of 24 rows 23 are applied; row 2: conflict: changed on the platform/);
    expect([await pair('batch'), await pair('batch', 'RNA02.bam')]).toEqual(['good', 'ours']);
    expect(await inAnnex('cut -f 3 results.tsv | sort | uniq -c')).toMatch(/1 conflict\n +23 done/);
  });

  test('who gave no right to write has tables that can only be read', async () => {
    const admin = async (...args: string[]): Promise<string> =>
      (await served.sandbox.svcfs(['admin', ...args, '--data', served.data])).stdout.trim();
    await admin('users', 'add', 'owner');
    const owner = new TestUser(served.endpoint, 'owner', await admin('tokens', 'create', 'owner'));
    const { id } = await owner.project('Given');
    const permissions = { read: true, copy: true, write: false, execute: false, admin: false };
    await owner.post(`/projects/${id}/members`, { username: 'demo', permissions });
    const given = served.path('projects', id, '.svcfs/metadata.tsv');
    expect(((await stat(given)).mode & 0o777).toString(8)).toBe('444');
    expect((await run('cp', [tsv, given])).stderr).toContain('Permission denied');
    expect(await why(given)).toContain(`no write permission on project ${id}`);
    expect((await run('touch', [served.path('projects', id, '.svcfs/temporary')])).code).toBe(1);
  });
});

test('what is in it is not of the platform: nothing is moved into it, and no table is removed', async () => {
  const moved = await run('mv', [join(folder, 'RNA01.bam'), join(folder, '.svcfs')]);
  expect(moved.stderr).toContain('Operation not permitted');
  expect((await run('rm', [tsv])).stderr).toContain('Operation not permitted');
  expect((await run('mv', [join(folder, '.svcfs'), join(folder, 'x')])).stderr).toContain(
    'Operation not permitted',
  );
  expect((await run('ln', ['-s', 'x', join(folder, '.svcfs/y')])).code).toBe(1);
  await inAnnex('echo text > mine; mv mine ..');
  expect(await readFile(join(folder, 'mine'), 'utf8')).toBe('text\n');
});
