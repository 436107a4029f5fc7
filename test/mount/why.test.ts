/** `svcfs why`: the reason of each refusal stands where a person looks for it. */
import { readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { run, shell } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';

const PROJECT = 'projects/demo/rna-seq-study';
const VOLUME = 'volumes/demo/results';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

async function mount(sandbox: Sandbox, args: readonly string[]): Promise<void> {
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint, ...args], { env: service.credentials });
  expect(mounted).toMatchObject({ code: 0, stderr: '' });
}

/** Runs what must fail, and answers what `svcfs why` tells then. */
async function refused(sandbox: Sandbox, script: string, path: string): Promise<string> {
  expect((await run('bash', ['-c', script], { cwd: sandbox.root })).code).not.toBe(0);
  return (await sandbox.svcfs(['why', path])).stdout;
}

describe('svcfs why', () => {
  test('why tells what failed last at a path, and what to do', async ({ sandbox }) => {
    await mount(sandbox, []);
    const path = sandbox.path(VOLUME, 'by-hand.txt');
    await expect(writeFile(path, 'x')).rejects.toMatchObject({ code: 'EROFS' });
    const told = await sandbox.svcfs(['why', 'by-hand.txt'], { cwd: sandbox.path(VOLUME) });
    expect(told.stdout).toContain(`/${VOLUME}/by-hand.txt`);
    expect(told.stdout).toContain('staging project');
    const nothing = await sandbox.svcfs(['why', sandbox.path(PROJECT, 'README.md')]);
    expect(nothing).toMatchObject({ code: 0, stdout: `nothing has failed at /${PROJECT}/README.md\n` });
    expect(await sandbox.svcfs(['why', sandbox.root])).toMatchObject({ code: 12 });
  });

  test('why tells of the refusal that was last, whatever it was, and of none once the same has succeeded', async ({
    sandbox,
  }) => {
    await mount(sandbox, []);
    const folder = sandbox.path(PROJECT);
    const file = sandbox.path(PROJECT, 'README.md');
    const refusedAt = (script: string, path: string): Promise<string> => refused(sandbox, script, path);
    expect(await refusedAt(`setfattr -n user.svc.id -v x ${file}`, file)).toMatch(
      /s ago, .*: setxattr user\.svc\.id/,
    );
    expect(await refusedAt(`setfattr -x user.missing ${file}`, file)).toContain('removexattr user.missing');
    if (process.getuid?.() === 0)
      expect(await refusedAt(`setfattr -n trusted.x -v y ${file}`, file)).toContain('setxattr trusted.x');
    expect(await refusedAt(`setfattr -n security.x -v y ${file}`, file)).toContain('setxattr security.x');
    expect(await refusedAt(`ln ${file} ${file}.hard`, `${file}.hard`)).toContain('link');
    expect(await refusedAt(`touch ${folder}/$'bad\\xff'`, folder)).toContain('bad\\xff');
    const exchange =
      'import ctypes, sys; a, b = (p.encode() for p in sys.argv[1:]); ' +
      'sys.exit(ctypes.CDLL(None).renameat2(-100, a, -100, b, 2) != 0)';
    await shell(`touch ${file}.other`);
    expect(await refusedAt(`python3 -c '${exchange}' ${file} ${file}.other`, file)).toContain('exchange');
    await shell(`rm ${file}.other`);
    expect(await refusedAt(`setfattr -n user.long -v ${'x'.repeat(301)} ${file}`, file)).toContain(
      'user.long',
    );
    await shell(`setfattr -n user.long -v short ${file}; setfattr -x user.long ${file}`);
    expect((await sandbox.svcfs(['why', file])).stdout).toContain('nothing has failed');
    await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    await mount(sandbox, ['--read-only']);
    expect(await refusedAt(`touch ${file}`, file)).toContain('the mount is read-only (--read-only)');
    expect(await shell(`cat ${sandbox.path('.svcfs/errors')}`)).toContain('the mount is read-only');
  });

  test('why tells at the new name of a refused mv as well', async ({ sandbox }) => {
    await mount(sandbox, []);
    const volume = sandbox.path(VOLUME);
    const [first = ''] = await readdir(volume);
    const told = await refused(sandbox, `mv ${join(volume, first)} ${volume}/new`, `${volume}/new`);
    expect(told).toContain(`rename /${VOLUME}/${first} to /${VOLUME}/new`);
    expect(told).toContain('the API neither renames objects nor moves them');
  });

  test('why tells how projects and volumes are made, for mkdir makes none', async ({ sandbox }) => {
    await mount(sandbox, []);
    for (const [place, things] of [
      [PROJECT, 'projects'],
      [VOLUME, 'volumes'],
    ] as const) {
      const path = join(dirname(sandbox.path(place)), 'new');
      const told = await refused(sandbox, `mkdir ${path}`, path);
      expect(told).toContain(`svcfs ${things.replace(/s$/, '')} create NAME`);
    }
  });

  test('why tells of what the kernel refuses by the mode bits alone: the bytes of an alias', async ({
    sandbox,
  }) => {
    await mount(sandbox, []);
    const volume = sandbox.path(VOLUME);
    const alias = sandbox.path(PROJECT, 'alias.txt');
    await shell(`seq 3 > ${alias}; mv ${alias} ${volume}/alias.txt`);
    const { stdout } = await sandbox.svcfs(['why', alias]);
    expect(stdout).toContain('nothing has failed');
    expect(stdout).toContain(`now: nothing is written at /${PROJECT}/alias.txt: alias.txt is an alias of`);
    expect(stdout).toContain('cp --remove-destination');
  });
});
