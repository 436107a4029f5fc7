/** `svcfs manifest` and `svcfs mount --manifest`: exactly these files, as they were. */
import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { parseManifest } from '../../src/cli/manifest/manifest-text.ts';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { mustRun, type RunResult, run, shell } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';

const PROJECT = 'projects/demo/rna-seq-study';
const VOLUME = 'volumes/demo/results';

let service: DemoServiceProcess;
/** A whole mount, in which others make changes. */
let others: Sandbox;
beforeAll(async () => {
  service = await startDemoService();
  others = await Sandbox.create();
  const args = ['mount', others.mountPoint, '--metadata-ttl', '0', '--staging-project', 'demo/rna-seq-study'];
  expect(await others.svcfs(args, { env: service.credentials })).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await others?.clean();
  await service?.end();
});

async function create(file: string, ...args: readonly string[]): Promise<void> {
  const made = await others.svcfs(['manifest', 'create', ...args]);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  await writeFile(file, made.stdout);
}

function tryMount(
  sandbox: Sandbox,
  args: readonly string[],
  endpoint = service.endpoint,
): Promise<RunResult> {
  const env = { ...service.credentials, SVC_API_ENDPOINT: endpoint };
  return sandbox.svcfs(['mount', sandbox.mountPoint, ...args], { env });
}

function verify(sandbox: Sandbox, ...args: readonly string[]): Promise<RunResult> {
  return sandbox.svcfs(['manifest', 'verify', ...args], { env: service.credentials });
}

/** A folder of the project with some files, an alias and a link among them; answers its path. */
async function inputs(name: string): Promise<string> {
  const folder = others.path(PROJECT, name);
  await shell(
    `mkdir -p ${folder}/deep/er; cd ${folder}; echo one > a; echo two > deep/b; echo three > deep/er/c`,
  );
  return folder;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('svcfs manifest create', () => {
  test('pins files below a folder, by paths as cp -r makes them', async ({ sandbox }) => {
    const folder = await inputs('create');
    const file = join(sandbox.root, 'm.json');
    await create(file, '--checksum', folder);
    const { endpoint, files } = parseManifest(await readFile(file, 'utf8'));
    expect(endpoint).toBe(service.endpoint);
    expect(files.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
      ['create/a', 4],
      ['create/deep/b', 4],
      ['create/deep/er/c', 6],
    ]);
    expect(files[0]).toMatchObject({
      project: 'demo/rna-seq-study',
      name: 'a',
      checksums: { sha256: sha256('one\n') },
    });
    expect(files[0]?.id).toBe(
      await mustRun('getfattr', ['--only-values', '-n', 'user.svc.id', `${folder}/a`]),
    );
    await create(file, '--as', '.', folder);
    expect(parseManifest(await readFile(file, 'utf8')).files.map(({ path }) => path)).toEqual([
      'a',
      'deep/b',
      'deep/er/c',
    ]);
    await create(file, '--full-paths', `${folder}/a`);
    expect(parseManifest(await readFile(file, 'utf8')).files.map(({ path }) => path)).toEqual([
      `${PROJECT}/create/a`,
    ]);
  });

  test('leaves out links, and says so; makes none when a path is wrong', async () => {
    const folder = await inputs('left-out');
    await shell(`ln -s a ${folder}/link`);
    const made = await others.svcfs(['manifest', 'create', folder]);
    expect(made).toMatchObject({
      code: 0,
      stderr: `svcfs: left out /${PROJECT}/left-out/link: a symbolic link\n`,
    });
    const wrong = await others.svcfs(['manifest', 'create', folder, others.path(PROJECT, 'no-such')]);
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toContain('no-such: no such file or directory');
    const twice = await others.svcfs(['manifest', 'create', `${folder}/a`, folder, `${folder}/a`]);
    expect(twice).toMatchObject({ code: 2, stdout: '' });
    expect(twice.stderr).toContain('two files have the path "a"; --as or --full-paths gives other paths');
    expect(await others.svcfs(['manifest', 'create', '/etc'])).toMatchObject({ code: 12 });
  });
});

describe('a mount of a manifest', () => {
  test('has exactly its files, at the paths it gives them, and takes no change', async ({ sandbox }) => {
    const file = join(sandbox.root, 'm.json');
    await create(file, await inputs('shown'));
    const edited = (await readFile(file, 'utf8')).replace('"shown/deep/er/c"', '"else/where.txt"');
    await writeFile(file, edited);
    const proxy = await RecordingProxy.start(service.origin);
    onTestFinished(() => proxy.stop());
    const mounted = await tryMount(sandbox, ['--manifest', file], `${proxy.url}/v2`);
    expect(mounted).toMatchObject({ code: 0 });
    expect(mounted.stderr).toContain(`svcfs: the manifest was made at ${service.endpoint}`);
    proxy.requests.splice(0);
    const found = await mustRun('find', ['.', '-type', 'f', '-printf', '%P %s\n'], {
      cwd: sandbox.mountPoint,
    });
    expect(found.trim().split('\n').sort()).toEqual(['else/where.txt 6', 'shown/a 4', 'shown/deep/b 4']);
    // One for the files of each directory.
    expect(proxy.requests.map(({ path }) => path)).toEqual(Array(3).fill('/v2/bulk/files/get'));
    proxy.requests.splice(0);
    expect(await readFile(sandbox.path('else/where.txt'), 'utf8')).toBe('three\n');
    // The platform, once, and the store.
    expect(proxy.requests.filter(({ path }) => path.startsWith('/v2/')).length).toBe(1);
    expect(
      await mustRun('getfattr', ['--only-values', '-n', 'user.svc.name', sandbox.path('else/where.txt')]),
    ).toBe('c');
    expect(await readdir(sandbox.mountPoint)).toEqual(['else', 'shown']);
    expect(await readFile(sandbox.path('.svcfs/version'), 'utf8')).not.toBe('');
    for (const change of ['touch new', 'rm shown/a', 'mkdir d', 'echo > shown/a', 'mv shown/a b'])
      expect((await run('bash', ['-c', change], { cwd: sandbox.mountPoint })).stderr).toContain(
        'Read-only file system',
      );
    const lists = proxy.requests.filter(({ path }) => /\/v2\/(projects|volumes)/.test(path));
    expect(lists).toEqual([]);
  });

  test('opens nothing that was replaced or deleted since, and tells why', async ({ sandbox }) => {
    const file = join(sandbox.root, 'm.json');
    const folder = await inputs('changed');
    await create(file, '--checksum', folder);
    expect(await tryMount(sandbox, ['--manifest', file, '--metadata-ttl', '0'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await readFile(sandbox.path('changed/a'), 'utf8')).toBe('one\n');
    expect(await verify(sandbox, file)).toMatchObject({
      code: 0,
      stdout: 'ok changed/a\nok changed/deep/b\nok changed/deep/er/c\n',
    });
    await shell(`echo 111 > ${folder}/a; rm ${folder}/deep/b; mv ${folder}/deep/er/c ${folder}/moved`);
    for (const name of ['changed/a', 'changed/deep/b'])
      expect((await run('cat', [sandbox.path(name)])).stderr).toContain('Stale file handle');
    // Its name is not pinned.
    expect(await readFile(sandbox.path('changed/deep/er/c'), 'utf8')).toBe('three\n');
    expect((await stat(sandbox.path('changed/a'))).size).toBe(4);
    const why = await sandbox.svcfs(['why', sandbox.path('changed/deep/b')]);
    expect(why.stdout).toMatch(/the manifest pins another state of it: file \S+ was deleted or replaced/);
    expect(why.stdout).toContain('(svcfs manifest create)');
    expect(why.stdout).toContain('the mount is read-only (--manifest)');
    const verified = await verify(sandbox, file);
    expect(verified).toMatchObject({ code: 1, stderr: 'svcfs: 2 of 3 files are not as they were pinned\n' });
    expect(verified.stdout).toMatch(
      /^missing changed\/a: .*\nmissing changed\/deep\/b: .*\nok changed\/deep\/er\/c\n$/,
    );
  });

  test('pins aliases and objects of volumes by their ETags', async ({ sandbox }) => {
    const file = join(sandbox.root, 'm.json');
    const folder = await inputs('on-volume');
    await shell(`mkdir -p ${others.path(VOLUME)}/pinned; mv ${folder}/a ${others.path(VOLUME)}/pinned/a`);
    await create(file, '--checksum', `${folder}/a`);
    const { files } = parseManifest(await readFile(file, 'utf8'));
    expect(files).toMatchObject([{ path: 'a', object: { volume: 'demo/results', location: 'pinned/a' } }]);
    expect(files[0]?.object?.etag).toBeTruthy();
    const objects = join(sandbox.root, 'o.json');
    await create(objects, '--checksum', others.path(VOLUME, 'pinned'));
    const both = JSON.parse(await readFile(file, 'utf8'));
    both.files.push(...JSON.parse(await readFile(objects, 'utf8')).files);
    await writeFile(file, JSON.stringify(both));
    expect(await tryMount(sandbox, ['--manifest', file, '--metadata-ttl', '0'])).toMatchObject({
      code: 0,
      stderr: '',
    });
    for (const name of ['a', 'pinned/a']) expect(await readFile(sandbox.path(name), 'utf8')).toBe('one\n');
    expect(await verify(sandbox, file)).toMatchObject({ code: 0, stdout: 'ok a\nok pinned/a\n' });
    // Of the same size.
    await shell(`echo new > ${others.path(VOLUME)}/pinned/a`);
    for (const name of ['a', 'pinned/a'])
      expect((await run('cat', [sandbox.path(name)])).stderr).toContain('Stale file handle');
    expect((await sandbox.svcfs(['why', sandbox.path('a')])).stdout).toMatch(/has ETag \S+, and had \S+/);
    const verified = await verify(sandbox, file);
    expect(verified.stdout).toMatch(
      /^changed a: the object .* has ETag .*\nchanged pinned\/a: the object .* has ETag .*\n$/,
    );
    expect(verified.code).toBe(1);
  });
});

describe('what cannot be mounted', () => {
  test.for([
    [['--project', 'demo/x'], /^svcfs: --manifest and --project exclude each other/],
    [['--root', PROJECT], /^svcfs: --manifest and --root exclude each other/],
    [['--write-back'], /^svcfs: --manifest and --write-back exclude each other, for nothing is written/],
  ] as const)('a manifest with %s is refused in a line', async ([args, message], { sandbox }) => {
    const file = join(sandbox.root, 'm.json');
    await writeFile(file, '{"svcfs_manifest":1,"files":[{"path":"a","id":"x","size":1}]}');
    const refused = await tryMount(sandbox, ['--manifest', file, ...args]);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('what is no manifest, or not there', async ({ sandbox }) => {
    const file = join(sandbox.root, 'm.json');
    await writeFile(file, '{"svcfs_manifest":1,"files":[{"path":"../a","id":"x","size":1}]}');
    const refused = await tryMount(sandbox, ['--manifest', file]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: `svcfs: ${file}: file 1 ("../a"): the path has ".." in it\n`,
    });
    expect(await tryMount(sandbox, ['--manifest', `${file}.none`])).toMatchObject({ code: 2 });
    expect(await verify(sandbox, `${file}.none`)).toMatchObject({ code: 2 });
  });

  test('a checksum that is another is told by verify', async ({ sandbox }) => {
    const folder = await inputs('checksum');
    const file = join(sandbox.root, 'm.json');
    await create(file, '--checksum', `${folder}/a`);
    await writeFile(file, (await readFile(file, 'utf8')).replace(sha256('one\n'), sha256('two\n')));
    const verified = await verify(sandbox, file);
    expect(verified).toMatchObject({
      code: 1,
      stdout: `changed a: sha256 is ${sha256('one\n')}, and ${sha256('two\n')} is pinned\n`,
    });
    expect(await verify(sandbox, file, '--facts-only')).toMatchObject({ code: 0, stdout: 'ok a\n' });
  });
});
