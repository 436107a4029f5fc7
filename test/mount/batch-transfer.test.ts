/** `svcfs cp` and `mv` on the platform: what they make, and that a plan tells the calls that then happen. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const PROJECT = 'project:demo/rna-seq-study';
const OTHER = 'project:demo/trio-exomes';
const VOLUME = 'volume:demo/results';

let served: ServedMount;
let project: string;
let volume: string;
beforeAll(async () => {
  served = await ServedMount.start();
  project = served.path('projects/demo/rna-seq-study');
  volume = served.path('volumes/demo/results');
});
afterAll(() => served?.clean());

function svcfs(...args: string[]) {
  const env = { SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token };
  return served.sandbox.svcfs(args, { cwd: served.sandbox.root, env });
}

async function done(...args: string[]): Promise<void> {
  expect(await svcfs(...args)).toMatchObject({ code: 0, stderr: '' });
}

/** Requests but for those that ask how jobs are, and what the service has to add. */
async function requests(work: () => Promise<unknown>): Promise<number> {
  const isPolling = (call: string) => /GET .*async|storage\/(?:im|ex)ports\/get|GET \/v2\/?$/.test(call);
  const counted = Object.entries(await served.countingCalls(work));
  return counted.filter(([call]) => !isPolling(call)).reduce((sum, [, count]) => sum + count, 0);
}

/** Makes a plan and runs it: as many requests as it told. */
async function asPlanned(...args: string[]): Promise<{ readonly requests: number; readonly jobs: number }> {
  const { code, stdout, stderr } = await svcfs(...args, '--dry-run', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const planned = JSON.parse(stdout);
  expect(await requests(() => done(...args))).toBe(planned.requests);
  return planned;
}

const there = async (path: string) => (await readdir(path)).sort();

describe('svcfs cp from and to this machine', () => {
  test('by a path in the mount, which shows at once what came', async () => {
    const outside = join(served.sandbox.root, 'outside');
    await shell(
      `mkdir ${outside}; cd ${outside}; mkdir -p t/sub; seq 9 > t/a; seq 99 > t/sub/b; touch -d 2011-01-01 t/a`,
    );
    await done('mkdir', join(project, 'local'));
    expect(await there(join(project, 'local'))).toEqual([]);
    await asPlanned('cp', '-a', join(outside, 't'), join(project, 'local'));
    expect(await there(join(project, 'local/t'))).toEqual(['a', 'sub']);
    expect((await stat(join(project, 'local/t/a'))).mtime.getFullYear()).toBe(2011);
    await asPlanned('cp', '-r', join(project, 'local/t'), join(outside, 'back'));
    await shell(`diff -r ${outside}/t ${outside}/back`);
    const home = await svcfs('cp', '-r', served.sandbox.root, `${PROJECT}/local`, '--dry-run');
    expect(home.stderr).toContain(': a mount of a platform: name it by itself');
  });

  test('not with a volume, whose bytes the platform neither takes nor gives', async () => {
    const reason = expect.stringContaining('copy it by way of a project (svcfs cp), or by cp(1) in a mount');
    const outside = join(served.sandbox.root, 'outside');
    expect(await svcfs('cp', join(outside, 't/a'), `${VOLUME}/a`)).toMatchObject({ code: 2, stderr: reason });
    expect(await svcfs('cp', '-r', VOLUME, outside)).toMatchObject({ code: 1, stderr: reason });
  });
});

describe('svcfs cp', () => {
  test('a folder goes by one job, files by one, and the mount shows them at once', async () => {
    await done('mkdir', `${PROJECT}/copies`);
    const path = join(project, 'copies');
    expect(await there(path)).toEqual([]);
    expect(await asPlanned('cp', '-r', `${PROJECT}/intervals`, `${PROJECT}/copies`)).toMatchObject({
      jobs: 1,
    });
    expect(await there(join(path, 'intervals'))).toEqual(await there(join(project, 'intervals')));
    const many = (await readdir(join(project, 'intervals')))
      .slice(0, 105)
      .map((each) => `${PROJECT}/intervals/${each}`);
    await done('mkdir', `${PROJECT}/copies/many`);
    expect(await asPlanned('cp', ...many, `${PROJECT}/copies/many`)).toMatchObject({ changes: 2, jobs: 2 });
    expect(await readdir(join(path, 'many'))).toHaveLength(105);
  });

  test('into a folder that is there: files are replaced, or left alone by -n', async () => {
    await done('mkdir', '-p', `${PROJECT}/merged/a/deep`);
    await shell(`cd ${project}; mkdir m; mkdir m/a; echo new > m/a/x; echo y > m/a/y; echo old > merged/a/x`);
    await done('cp', '-rn', `${PROJECT}/m/a`, `${PROJECT}/merged`);
    expect(await readFile(join(project, 'merged/a/x'), 'utf8')).toBe('old\n');
    expect(await there(join(project, 'merged/a'))).toEqual(['deep', 'x', 'y']);
    const { stdout } = await svcfs('cp', '-rv', `${PROJECT}/m/a`, `${PROJECT}/merged`);
    expect(stdout.split('\n').sort()).toEqual([
      '',
      ...['x', 'y'].map((each) => `copied '${PROJECT}/m/a/${each}' -> '${PROJECT}/merged/a/${each}'`),
    ]);
    expect(await readFile(join(project, 'merged/a/x'), 'utf8')).toBe('new\n');
    expect(await there(join(project, 'merged/a'))).toEqual(['deep', 'x', 'y']);
    await asPlanned('cp', '-r', `${PROJECT}/m/a`, `${PROJECT}/merged`);
  });

  test('to a volume by exports that leave the files, and from one by imports', async () => {
    await done('cp', '-r', `${project}/counts`, `${VOLUME}/counts`);
    expect(await there(join(volume, 'counts'))).toEqual(await there(join(project, 'counts')));
    const listed = (await svcfs('ls', '--json', `${PROJECT}/counts`)).stdout;
    expect(listed).not.toBe('');
    await asPlanned('cp', '-r', `${PROJECT}/counts`, `${VOLUME}/again/`);
    await asPlanned('cp', '-r', `${VOLUME}/counts`, `${OTHER}/from-volume`);
    expect(await there(served.path('projects/demo/trio-exomes/from-volume'))).toEqual(
      await there(join(project, 'counts')),
    );
    const again = await svcfs('cp', '-rv', `${VOLUME}/counts/`, `${OTHER}/from-volume`);
    expect(again).toMatchObject({ code: 0 });
  });

  test('what cannot be copied is told for each, and the others are', async () => {
    const told = await svcfs(
      'cp',
      `${PROJECT}/none`,
      `${PROJECT}/qc`,
      `${PROJECT}/README.md`,
      `${PROJECT}/copies`,
    );
    expect(told.code).toBe(1);
    expect(told.stderr).toContain(`svcfs: ${PROJECT}/none: no such file or directory\n`);
    expect(told.stderr).toContain(`svcfs: ${PROJECT}/qc: a folder: -r copies it with all below\n`);
    expect(await readdir(join(project, 'copies'))).toContain('README.md');
    expect(await svcfs('cp', '-r', `${PROJECT}/copies`, `${PROJECT}/copies/many`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a folder does not go into itself'),
    });
    expect(await svcfs('cp', `${PROJECT}/README.md`, `${PROJECT}/a`, `${PROJECT}/no-such`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such directory; svcfs mkdir makes one'),
    });
    expect(await svcfs('cp', `${PROJECT}/README.md`, 'volume:demo/reference/x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is read-only'),
    });
  });
});

describe('svcfs mv', () => {
  test('renames, moves and replaces, and the mount shows it at once', async () => {
    await shell(`cd ${project}; mkdir mv mv/d; echo a > mv/a; echo b > mv/b; ls -R mv`);
    const path = join(project, 'mv');
    await asPlanned('mv', `${path}/a`, `${PROJECT}/mv/c`);
    await asPlanned('mv', '-v', `${PROJECT}/mv/b`, `${PROJECT}/mv/c`);
    expect(await readFile(join(path, 'c'), 'utf8')).toBe('b\n');
    await asPlanned('mv', '-t', `${path}/d`, `${path}/c`);
    await asPlanned('mv', `${PROJECT}/mv/d`, `${OTHER}/moved`);
    expect(await there(path)).toEqual([]);
    expect(await there(served.path('projects/demo/trio-exomes/moved'))).toEqual(['c']);
  });

  test('a half-moved folder is moved to its end, and no file is replaced by that', async () => {
    await shell(
      `cd ${project}; mkdir -p half/x/y to/x/y; echo 1 > half/x/1; echo 2 > half/x/y/2; echo 3 > to/x/y/3`,
    );
    await asPlanned('mv', `${PROJECT}/half/x`, `${PROJECT}/to`);
    expect(await there(join(project, 'to/x/y'))).toEqual(['2', '3']);
    expect(await there(join(project, 'half'))).toEqual([]);
    await shell(`cd ${project}; mkdir -p half/x; echo other > half/x/1`);
    expect(await svcfs('mv', `${PROJECT}/half/x`, `${PROJECT}/to`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the folder that is there has another of that name'),
    });
    expect(await readFile(join(project, 'half/x/1'), 'utf8')).toBe('other\n');
  });

  test('to a volume the files stay as aliases, and a second run finds all done', async () => {
    await shell(`cd ${project}; mkdir out; echo 1 > out/1; echo 2 > out/2`);
    await done('mv', `${PROJECT}/out`, VOLUME);
    expect(await there(join(volume, 'out'))).toEqual(['1', '2']);
    expect(await readFile(join(project, 'out/1'), 'utf8')).toBe('1\n');
    expect(await svcfs('mv', '-v', `${PROJECT}/out`, VOLUME)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^(?:left alone \(it is there already\) .*\n){2}$/),
    });
  });
});
