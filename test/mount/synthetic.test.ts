/** Synthetic trees in a mount: what copies them, what walks the mount, and what each costs. */
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mustRun, run, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';

let served: ServedMount;
beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());

const APP = 'apps/demo/trio-exomes/samtools-flagstat';
const REVISION = 'GET /v2/apps/:owner/:project/:app/:revision';
const BREAKDOWN = 'GET /v2/billing/groups/:group/breakdown';

/** The calls that were made, each with its count. */
async function calls(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  return Object.fromEntries(
    Object.entries(await served.countingCalls(work)).filter(([, count]) => count > 0),
  );
}

async function remount(...args: string[]): Promise<void> {
  await served.unmount();
  await served.mount(args);
}

describe('requests', () => {
  test('ls, ls -l and cat of apps cost a request a project, and one a document', async () => {
    const look = (script: string) => calls(() => shell(script, { cwd: served.path() }));
    // The projects were asked for as the mount began.
    expect(await look('ls apps apps/demo')).toEqual({});
    expect(await look('ls apps/demo/*')).toEqual({ 'GET /v2/apps': 2 });
    expect(await look(`ls ${APP}; cat ${APP}/app.json`)).toEqual({});
    expect(await look(`ls -l ${APP}`)).toEqual({ [REVISION]: 1 });
    expect(await look(`cat ${APP}/latest.json ${APP}/inputs.tsv ${APP}/example.json`)).toEqual({});
    expect(await look('ls -l apps/.search/flagstat/ apps/demo/trio-exomes')).toEqual({ 'GET /v2/apps': 1 });
    expect(await look('ls apps/public')).toEqual({ 'GET /v2/apps': 1 });
  });

  test('ls, ls -l and cat of a billing group cost one request', async () => {
    const look = (script: string) => calls(() => shell(script, { cwd: served.path('billing') }));
    expect(await look('ls . *')).toEqual({ 'GET /v2/billing/groups': 1 });
    expect(await look('ls -l *')).toEqual({ [BREAKDOWN]: 1 });
    expect(await look('cat */total */breakdown.json; find */by-project')).toEqual({});
    expect(await look('ls -l */invoices')).toEqual({ 'GET /v2/billing/invoices': 1 });
  });

  test('find, du and grep ask of projects and volumes what they asked without the other trees', async () => {
    await remount('--trees', 'projects,volumes');
    expect(await readdir(served.path())).toEqual(['projects', 'volumes']);
    const walk = (...names: string[]) => shell(`find ${names.join(' ')} | sort`, { cwd: served.path() });
    let before = '';
    const alone = await calls(async () => {
      before = await walk('projects', 'volumes');
    });
    const within = await calls(() =>
      shell('du -s projects volumes; rsync -an projects/demo/trio-exomes /none', { cwd: served.path() }),
    );
    expect(within).toEqual({});
    await remount();
    let after = '';
    const all = await calls(async () => {
      after = await walk('projects', 'volumes', 'apps', 'billing');
    });
    const ofTrees = {
      'GET /v2/apps': 2,
      'GET /v2/billing/groups': 1,
      [BREAKDOWN]: 1,
      'GET /v2/billing/invoices': 1,
    };
    expect(all).toEqual({ ...alone, ...ofTrees });
    expect(after.split('\n').filter((path) => /^(projects|volumes)/.test(path))).toEqual(
      before.split('\n').filter((path) => path !== ''),
    );
    expect(await calls(() => run('grep', ['-r', 'flagstat', 'apps'], { cwd: served.path() }))).toEqual({
      [REVISION]: 1,
    });
  });
});

describe('a task that has ended', () => {
  const inTasks = (script: string) => shell(script, { cwd: served.path('tasks/demo/trio-exomes') });
  const price = '1.250001 USD\n';

  test('has its outputs and its price, which billing tells digit by digit', async () => {
    await remount();
    await inTasks('echo run > Flagstat*/ctl');
    const { id } = JSON.parse(await inTasks('cat Flagstat*/task.json'));
    const output = await mustRun('getfattr', [
      ...['--only-values', '-n', 'user.svc.id'],
      served.path('projects/demo/trio-exomes/child/qc/child.flagstat.txt'),
    ]);
    const ended = ['--status', 'COMPLETED', '--cost', '1.250001', '--output', `counts=${output}`];
    await served.sandbox.svcfs(['admin', 'tasks', 'end', id, ...ended, '--data', served.data]);
    await waitUntil(async () => (await inTasks('cat Flagstat*/status')) === 'COMPLETED\n', {
      what: 'the status to appear',
    });
    expect(await inTasks('cat Flagstat*/price')).toBe(price);
    expect(await inTasks('head -1 Flagstat*/outputs/counts')).toMatch(/^\d+ \+ 0 in total/);
    const billed = (script: string) => shell(script, { cwd: served.path('billing') });
    expect(await billed('cat */total */by-project/demo/trio-exomes')).toBe(price + price);
    expect(await billed('cut -f 1,2,6,7 */breakdown.tsv')).toBe(
      `project\ttask\tamount\tcurrency\ndemo/trio-exomes\t${id}\t1.250001\tUSD\n`,
    );
  });
});

/** Copies a tree by a tool, with its links or with what they lead to. */
const COPIES = {
  rsync: (from: string, to: string, follow: boolean) =>
    mustRun('rsync', [follow ? '-aL' : '-a', `${from}/`, to]),
  tar: async (from: string, to: string, follow: boolean) => {
    await mustRun('mkdir', [to]);
    await shell(`tar -C '${from}' -c${follow ? 'h' : ''}f - . | tar -C '${to}' -xf -`);
  },
  'shutil.copytree': (from: string, to: string, follow: boolean) =>
    mustRun('python3', [
      '-c',
      'import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2], symlinks=sys.argv[3] == "false")',
      ...[from, to, String(follow)],
    ]),
};

/** Files whose text is another at each look. */
const OF_THE_MOMENT = /^(stats|metrics)$/;

test.for(Object.entries(COPIES))('%s copies every synthetic file as cat shows it', async ([tool, copy]) => {
  for (const [tree, follow] of [['.svcfs'], ['apps'], ['billing'], ['tasks'], ['tasks', true]] as const) {
    const from = served.path(tree);
    const to = join(served.sandbox.root, `${tool}-${tree}${follow ? '-followed' : ''}`);
    await copy(from, to, follow === true);
    const find = async (...args: string[]): Promise<readonly string[]> =>
      (await mustRun('find', args)).split('\n').filter((line) => line !== '');
    const names = await find(...(follow ? ['-L'] : []), from, '-type', 'f', '-printf', '%P\\n');
    expect(names.length).toBeGreaterThan(3);
    const links = ['-type', 'l', '-printf', '%P -> %l\\n'];
    const linked = follow ? [] : await find(from, ...links);
    expect([...(await find(to, ...links))].sort()).toEqual([...linked].sort());
    if (follow) expect(names).toContainEqual(expect.stringMatching(/outputs\/counts$/));
    for (const name of names) {
      const copied = await readFile(join(to, name), 'utf8');
      if (OF_THE_MOMENT.test(name)) expect(copied).toMatch(/^(\{\n|# HELP)[\s\S]*\n$/);
      else expect(copied, name).toBe(await mustRun('cat', [join(from, name)]));
    }
  }
});

test('.svcfs is found and not listed, and its files have their sizes', async () => {
  expect(await readdir(served.path())).not.toContain('.svcfs');
  const version = served.path('.svcfs/version');
  expect((await stat(version)).size).toBe((await readFile(version)).length);
  expect(await run('test', ['-s', served.path('.svcfs/stats')])).toMatchObject({ code: 0 });
  const made = await run('bash', ['-c', 'echo x > version'], { cwd: served.path('.svcfs') });
  expect(made.stderr).toMatch(/version: (Permission denied|Read-only)/);
});

test('an app is read by cat and jq, and nothing is changed or made there', async () => {
  const app = served.path(APP);
  expect(await readlink(join(app, 'latest.json'))).toBe('0.json');
  const raw = await served.sandbox.svcfs(['why', app]);
  expect(raw).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(join(app, 'latest.json'), 'utf8'))).toMatchObject({
    baseCommand: ['samtools', 'flagstat'],
  });
  expect(await mustRun('getfattr', ['--only-values', '-n', 'user.svc.id', app])).toBe(
    'demo/trio-exomes/samtools-flagstat',
  );
  for (const script of ['rm app.json', 'touch new', 'mkdir d', 'mv app.json x', 'ln -s a b'])
    expect(await run('bash', ['-c', script], { cwd: app })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Operation not permitted'),
    });
  expect((await served.sandbox.svcfs(['why', join(app, 'new')])).stdout).toContain('nothing is made');
});

describe('.svcfs of a folder', () => {
  const CHILD = 'projects/demo/trio-exomes/child';
  const at = (...names: string[]) => served.path(CHILD, '.svcfs', ...names);

  test('costs nothing to list more than the folder, and a request a record that is read', async () => {
    await remount();
    await stat(served.path(CHILD));
    const look = (script: string) => calls(() => shell(script, { cwd: served.path(CHILD) }));
    expect(await look('ls .svcfs')).toEqual({});
    expect(await look('ls .svcfs/entries')).toEqual({ 'GET /v2/files/:file_id/list': 1 });
    const RECORD = 'GET /v2/files/:file_id';
    expect(await look('cat .svcfs/folder.json')).toEqual({ [RECORD]: 1 });
    expect(await look('cat .svcfs/entries/child.bam.json')).toEqual({ [RECORD]: 1 });
  });

  test('has what the platform answers of the folder and of its entries, for a request a look', async () => {
    expect(await readdir(at('entries'))).toContain('child.bam.json');
    const look = calls(() => mustRun('cat', [at('entries/child.bam.json')]));
    expect(await look).toEqual({ 'GET /v2/files/:file_id': 1 });
    const bam = JSON.parse(await readFile(at('entries/child.bam.json'), 'utf8'));
    expect(bam).toMatchObject({ name: 'child.bam', type: 'file', metadata: { sample_id: 'child' } });
    expect(JSON.parse(await readFile(at('folder.json'), 'utf8'))).toMatchObject({ id: bam.parent });
    expect(JSON.parse(await readFile(at('entries/qc.json'), 'utf8'))).toMatchObject({ name: 'qc' });
    await mustRun('setfattr', ['-n', 'user.seen', '-v', 'yes', served.path(CHILD, 'child.bam')]);
    expect(await readFile(at('entries/child.bam.json'), 'utf8')).toContain('"seen": "yes"');
    await expect(readFile(at('entries/none.json'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await run('rm', [at('folder.json')])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Operation not permitted'),
    });
  });

  test('has an entry of the longest name', async () => {
    const name = 'y'.repeat(255);
    await mustRun('mkdir', [served.path(CHILD, name)]);
    const [shown = ''] = (await readdir(at('entries'))).filter((each) => each.startsWith('yyy'));
    expect(shown).toMatch(/^y+%~[0-9a-f]{32}$/);
    expect(JSON.parse(await readFile(at('entries', shown), 'utf8'))).toMatchObject({ name });
    await mustRun('rmdir', [served.path(CHILD, name)]);
  });

  test('has the project and its members, and that of a volume has the volume', async () => {
    const project = served.path('projects/demo/trio-exomes/.svcfs');
    expect(JSON.parse(await readFile(join(project, 'project.json'), 'utf8'))).toMatchObject({
      id: 'demo/trio-exomes',
      name: 'Trio exomes',
    });
    expect(await readFile(join(project, 'members.tsv'), 'utf8')).toBe(
      'username\ttype\tread\twrite\tcopy\texecute\tadmin\ndemo\tUSER\ttrue\ttrue\ttrue\ttrue\ttrue\n',
    );
    const volume = served.path('volumes/demo/results');
    expect(await readdir(volume)).not.toContain('.svcfs');
    expect(await readdir(join(volume, '.svcfs'))).toEqual(['volume.json']);
    expect(JSON.parse(await readFile(join(volume, '.svcfs/volume.json'), 'utf8'))).toMatchObject({
      id: 'demo/results',
      service: { bucket: 'demo-results' },
    });
  });
});

test('records are in the words of the dialect that the service speaks', async () => {
  const ownKeys = async (): Promise<readonly string[]> => {
    const document = JSON.parse(await readFile(served.path(APP, 'latest.json'), 'utf8'));
    return [...new Set(Object.keys(document).flatMap((key) => /^(svc|sbg):/.exec(key)?.[1] ?? []))];
  };
  expect(await ownKeys()).toEqual(['svc']);
  await remount('--dialect', 'sbg');
  expect(await ownKeys()).toEqual(['sbg']);
  expect(await readFile(served.path(APP, 'inputs.tsv'), 'utf8')).toContain('alignments\tFile\ttrue');
});
