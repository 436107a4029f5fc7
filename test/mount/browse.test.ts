/** Looking around in the mount with the usual tools, and what it costs. */
import { existsSync } from 'node:fs';
import {
  chmod,
  link,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestUser } from '../service/test-service.ts';
import { testBeyond } from '../support/driver.ts';
import { mustRun, type RunResult, run, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';

let served: ServedMount;
/** Another client of the same account. */
let other: TestUser;
/** Directory of a project of this file's own. */
let project: string;

beforeAll(async () => {
  served = await ServedMount.start();
  other = new TestUser(served.endpoint, 'demo', served.token);
  const made = await other.project('Browse');
  project = served.path('projects', made.id);
  for (const [name, files] of FOLDERS) await fill((await other.folder(made.root_folder, name)).id, files);
  // A mount sees the changes of others after the TTL; this mount has seen nothing yet.
  await served.unmount();
  await served.mount();
});

afterAll(() => served?.clean());

/** Made by another client before the mount. */
const FOLDERS = [
  ['two-hundred-fifty', 250],
  ['looked-into', 3],
  ['shared', 120],
  ['read', 100],
  ['listed-again', 120],
  ['found', 250],
  ['changing', 1],
  ['growing', 1],
] as const;

async function fill(folder: string, files: number): Promise<void> {
  const names = Array.from({ length: files }, (_, index) => `f${String(index).padStart(4, '0')}`);
  while (names.length > 0) await Promise.all(names.splice(0, 25).map((name) => other.upload(folder, name)));
}

describe('the top of the mount', () => {
  test('has projects, volumes, apps, tasks and billing', async () => {
    expect((await readdir(served.path())).sort()).toEqual([
      'apps',
      'billing',
      'projects',
      'tasks',
      'volumes',
    ]);
    expect(await readdir(served.path('volumes', 'demo'))).toEqual(['reference', 'results']);
  });

  testBeyond('direct-io')('cannot be changed: EPERM, with a reason to read', async () => {
    await expect(rmdir(project)).rejects.toMatchObject({ code: 'EPERM' });
    await expect(rename(project, `${project}-2`)).rejects.toMatchObject({ code: 'EPERM' });
    expect(await mustRun('getfattr', ['--only-values', '-n', 'user.svc.error', project])).toContain('EPERM');
    expect(await readFile(served.path('.svcfs/errors'), 'utf8')).toContain(
      project.slice(served.path().length),
    );
  });

  test('takes mode and time of a project directory that nobody has looked into', async () => {
    const untouched = served.path('projects/demo/trio-exomes');
    await chmod(untouched, 0o750);
    expect((await stat(untouched)).mode & 0o777).toBe(0o750);
  });

  test('is walked by find, du and df', async () => {
    const study = served.path('projects/demo/rna-seq-study');
    const files = Number(await shell(`find . -type f | wc -l`, { cwd: study }));
    expect(files).toBeGreaterThan(50);
    expect(Number((await mustRun('du', ['-sb', study])).split('\t')[0])).toBeGreaterThan(1_000_000);
    expect(await mustRun('df', ['--output=fstype', study])).toContain('fuse.svcfs');
  });

  testBeyond('direct-io')('tells about itself in .svcfs', async () => {
    const stats = await served.sandbox.statistics();
    expect(stats).toHaveProperty('api');
    const config = await readFile(served.path('.svcfs/config'), 'utf8');
    expect(config).toContain(served.endpoint);
    expect(config).not.toContain(served.token);
  });
});

describe('requests', () => {
  test('ls -l of 250 files costs three, and none when repeated', async () => {
    const folder = `${project}/two-hundred-fifty`;
    await stat(folder);
    const list = () => mustRun('ls', ['-l', folder]);
    expect((await served.counting(list)).apiRequests).toBe(3);
    expect((await served.counting(list)).apiRequests).toBe(0);
    expect(
      (await served.counting(() => shell('getfattr -d -m - * | wc -l', { cwd: folder }))).apiRequests,
    ).toBe(0);
  });

  test('a cold lookup costs one, absence too, and repeating either none', async () => {
    const folder = `${project}/looked-into`;
    await stat(folder);
    const look = () => Promise.allSettled([stat(`${folder}/f0001`)]);
    expect((await served.counting(look)).apiRequests).toBe(1);
    expect((await served.counting(look)).apiRequests).toBe(0);
    const miss = () => expect(stat(`${folder}/none`)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await served.counting(miss)).apiRequests).toBe(1);
    expect((await served.counting(miss)).apiRequests).toBe(0);
    expect((await served.counting(() => stat(`${folder}/f0000`))).apiRequests).toBe(0);
  });

  testBeyond('direct-io')(
    'a folder listed again is read from the kernel, until something in it changes',
    async () => {
      const folder = `${project}/listed-again`;
      const reads = async (): Promise<number> => {
        const { operations } = await served.sandbox.statistics();
        return operations['READDIRPLUS']?.answered ?? 0;
      };
      await mustRun('ls', [folder]);
      const before = await reads();
      expect((await mustRun('ls', [folder])).split('\n')).toHaveLength(121);
      expect(await reads()).toBe(before);
      await writeFile(`${folder}/made`, 'new');
      expect((await mustRun('ls', [folder])).split('\n')).toHaveLength(122);
      await unlink(`${folder}/f0000`);
      expect((await mustRun('ls', [folder])).split('\n')).toHaveLength(121);
      expect(await reads()).toBeGreaterThan(before);
    },
  );

  testBeyond('direct-io')('find -size looks nothing up that the listing told', async () => {
    const folder = `${project}/found`;
    const lookups = async (): Promise<number> => {
      const { operations } = await served.sandbox.statistics();
      return operations['LOOKUP']?.answered ?? 0;
    };
    await stat(folder);
    const before = await lookups();
    expect((await mustRun('find', [folder, '-type', 'f', '-size', '-1k'])).split('\n')).toHaveLength(1);
    expect((await mustRun('find', [folder, '-type', 'f', '-size', '1'])).split('\n')).toHaveLength(251);
    // The path itself, and what is not there.
    expect((await lookups()) - before).toBeLessThan(10);
  });

  test('several that list a folder at once share its pages', async () => {
    const folder = `${project}/shared`;
    await stat(folder);
    const lists = () => Promise.all(Array.from({ length: 4 }, () => mustRun('ls', ['-l', folder])));
    expect((await served.counting(lists)).apiRequests).toBe(2);
  });

  test('reading the files of a listed folder costs a link each, and no more, where a link tells of its file too', async () => {
    const folder = `${project}/read`;
    await mustRun('ls', ['-l', folder]);
    const read = () => shell('cat * > /dev/null', { cwd: folder });
    expect((await served.counting(read)).apiRequests).toBe(100);
  });
});

describe('what others do', () => {
  test('is seen when a file is opened, whatever the TTL', async () => {
    const folder = `${project}/changing`;
    expect(await readFile(`${folder}/f0000`, 'utf8')).toBe('f0000');
    await other.call('DELETE', `/files/${await idOf(`${folder}/f0000`)}`);
    await other.upload(await idOf(folder), 'f0000', 'changed');
    // Facts at most a second old count as fresh.
    await waitUntil(async () => (await readFile(`${folder}/f0000`, 'utf8')) === 'changed', {
      timeoutMs: 5_000,
    });
  });

  test('is seen when a file is cut that nobody opens, whatever the TTL', async () => {
    const file = `${project}/changing/cut`;
    await writeFile(file, 'old');
    const knownMs = performance.now();
    await other.call('DELETE', `/files/${await idOf(file)}`);
    await other.upload(await idOf(`${project}/changing`), 'cut', 'another');
    // Facts at most a second old count as fresh.
    await waitUntil(() => performance.now() - knownMs > 1_000);
    await mustRun('python3', ['-c', 'import os, sys; os.truncate(sys.argv[1], 3)', file]);
    expect(await readFile(file, 'utf8')).toBe('ano');
  });

  test('is seen when metadata is set on a file, whatever the TTL', async () => {
    const file = `${project}/changing/described`;
    await writeFile(file, 'old');
    await other.call('DELETE', `/files/${await idOf(file)}`);
    const { id } = await other.upload(await idOf(`${project}/changing`), 'described', 'another');
    await mustRun('setfattr', ['-n', 'user.sample', '-v', 's1', file]);
    expect((await other.get(`/files/${id}`)).body.metadata).toEqual({ sample: 's1' });
  });

  describe('to a folder', () => {
    let second: string;
    let backup: string;
    beforeAll(async () => {
      second = join(served.sandbox.root, 'second');
      backup = join(served.sandbox.root, 'backup');
      await mkdir(second);
      served.sandbox.alsoMounts(second);
      const env = { SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token };
      expect((await served.sandbox.svcfs(['mount', second], { env })).code).toBe(0);
      await shell(
        `cd ${project} && mkdir -p rr/dir again/dir work/dir && touch rr/dir/a rr/dir/b again/dir/c work/dir/d`,
      );
    });
    /** Has the names of folders known in the other mount, and not what is in them. */
    const known = 'ls -l $PROJECT/rr $PROJECT/again $PROJECT/work';
    const inSecond = (command: string): Promise<RunResult> =>
      run('sh', ['-c', command], {
        env: { PROJECT: project.replace(served.path(), second), BACKUP: backup },
      });

    test('fails a listing, so that rsync --delete deletes nothing', async () => {
      await mustRun('rsync', ['-a', `${project}/rr/`, backup]);
      expect((await inSecond(known)).code).toBe(0);
      await mustRun('mv', [`${project}/rr/dir`, `${project}/rr/dir2`]);
      const synced = await inSecond('rsync -a --delete $PROJECT/rr/ $BACKUP');
      expect(synced).toMatchObject({ code: 23, stderr: expect.stringContaining('Stale file handle') });
      expect(await mustRun('find', [backup, '-type', 'f', '-printf', '%P\n'])).toContain('dir/a\n');
      expect(await inSecond('ls $PROJECT/rr/dir')).toMatchObject({ code: 2, stdout: '' });
    });

    test('is found by its name at the next look: the folder that was made again', async () => {
      expect((await inSecond(known)).code).toBe(0);
      const knownMs = performance.now();
      await shell(`cd ${project}/again && rm -r dir && mkdir dir && touch dir/new`);
      // A folder that was found within the last second is not asked about.
      await waitUntil(() => performance.now() - knownMs > 1_000);
      expect(await inSecond('ls -A $PROJECT/again/dir')).toMatchObject({ code: 0, stdout: 'new\n' });
    });

    test('fails who works in it', async () => {
      expect((await inSecond(known)).code).toBe(0);
      const done = inSecond(
        'cd $PROJECT/work/dir && touch $BACKUP/in && while [ -e $BACKUP/in ]; do sleep 0.1; done; find . ; echo "$?"; tar cf $BACKUP/x.tar . ; echo "$?"',
      );
      await waitUntil(() => existsSync(join(backup, 'in')));
      await mustRun('mv', [`${project}/work/dir`, `${project}/work/dir2`]);
      await rm(join(backup, 'in'));
      const { stdout, stderr } = await done;
      expect(stdout.match(/^\d+$/gm)?.filter((code) => code === '0')).toEqual([]);
      expect(stderr).toContain('Stale file handle');
    });
  });

  test('is seen in listings after the TTL', async () => {
    await served.unmount();
    await served.mount(['--metadata-ttl', '0.5']);
    const folder = `${project}/growing`;
    expect(await readdir(folder)).toEqual(['f0000']);
    await other.upload(await idOf(folder), 'more');
    await waitUntil(async () => (await readdir(folder)).includes('more'), { timeoutMs: 5_000 });
    expect(await mustRun('ls', [folder])).toBe('f0000\nmore\n');
  });

  test('leaves a path to the program that goes to a folder they made since the last listing', async () => {
    const folder = `${project}/growing`;
    expect(await readdir(folder)).not.toContain('since');
    await other.folder(await idOf(folder), 'since');
    expect(await mustRun('python3', ['-c', GO_AND_TELL, `${folder}/since`])).toBe(`${folder}/since`);
  });

  test('is seen, after the TTL, of what one may do in a project', async () => {
    const admin = (...args: string[]) =>
      served.sandbox.svcfs(['admin', ...args, '--data', served.data]).then(({ stdout }) => stdout.trim());
    await admin('users', 'add', 'owner');
    const owner = new TestUser(served.endpoint, 'owner', await admin('tokens', 'create', 'owner'));
    const { id } = await owner.project('Given');
    const reading = { read: true, copy: true, write: false, execute: false, admin: false };
    await owner.post(`/projects/${id}/members`, { username: 'demo', permissions: reading });
    const file = served.path('projects', id, 'new');
    expect((await run('touch', [file])).stderr).toContain('Permission denied');
    await owner.call('PATCH', `/projects/${id}/members/demo/permissions`, { body: { write: true } });
    await waitUntil(async () => (await run('touch', [file])).code === 0, { timeoutMs: 5_000 });
  });
});

test('refuses hard links everywhere, and symbolic ones in volumes: EPERM', async () => {
  const folder = `${project}/looked-into`;
  await expect(link(`${folder}/f0000`, `${folder}/hard`)).rejects.toMatchObject({ code: 'EPERM' });
  const soft = served.path('volumes/demo/results', 'soft');
  await expect(symlink('f0000', soft)).rejects.toMatchObject({ code: 'EPERM' });
});

test('refuses devices: EPERM, with a reason to read', async () => {
  const folder = `${project}/looked-into`;
  const made = { device: ['mknod', 'device', 'c', '1', '3'] };
  for (const [name, [command = '', ...args]] of Object.entries(made)) {
    expect(await run(command, args, { cwd: folder })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Operation not permitted'),
    });
    expect(await mustRun('getfattr', ['--only-values', '-n', 'user.svc.error', folder])).toContain(
      `${name} cannot be one (EPERM)`,
    );
  }
});

testBeyond('direct-io')('what the first program needs is asked for as the mount begins', async () => {
  await served.unmount();
  await served.mount();
  const calls = async (): Promise<Record<string, number>> => (await served.sandbox.statistics()).api.calls;
  // To see that endpoint and token are good, and for the first program.
  const atFirst = { 'GET /user': 1, 'GET /': 1, 'GET /projects': 2 };
  await waitUntil(async () => isDeepStrictEqual(await calls(), atFirst));
  await stat(project);
  expect(await calls()).toEqual(atFirst);
});

test('a read-only mount shows no write permission and refuses changes with EROFS', async () => {
  await served.unmount();
  await served.mount(['--read-only']);
  const { stderr, code } = await run('touch', [`${project}/new`]);
  expect(code).not.toBe(0);
  expect(stderr).toContain('Read-only file system');
  expect((await stat(project)).mode & 0o222).toBe(0);
});

/** Goes to a directory as soon as it is there, and tells where that is once it has read it. */
const GO_AND_TELL = `
import os, sys, time
while True:
    try:
        os.chdir(sys.argv[1])
        break
    except FileNotFoundError:
        time.sleep(0.05)
os.listdir(".")
os.path.exists("../none")
print(os.getcwd(), end="")
`;

async function idOf(path: string): Promise<string> {
  return mustRun('getfattr', ['--only-values', '-n', 'user.svc.id', path]);
}
