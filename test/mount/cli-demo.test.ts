import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';
import { waitUntil } from '../support/wait-until.ts';

const README = 'projects/demo/rna-seq-study/README.md';

/** Neither processes nor a mount nor the mount point that the demo made. */
async function expectClean(sandbox: Sandbox, mountPoint: string): Promise<void> {
  await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'all processes ended' });
  expect(await mountedOn(mountPoint)).toBeUndefined();
  await expect(access(mountPoint)).rejects.toMatchObject({ code: 'ENOENT' });
}

function endpointOf(stdout: string): string | undefined {
  return /^mounted (\S+) /m.exec(stdout)?.[1];
}

function newMountPoint(sandbox: Sandbox): string {
  const mountPoint = join(sandbox.root, 'svc');
  sandbox.alsoMounts(mountPoint);
  return mountPoint;
}

describe('svcfs demo', () => {
  test('--detach returns when the mount is usable, --stop ends all of it, and the data is there again', async ({
    sandbox,
  }) => {
    const mountPoint = newMountPoint(sandbox);
    const first = await sandbox.svcfs(['demo', mountPoint, '--detach']);
    expect(first.code).toBe(0);
    expect(await readFile(join(mountPoint, README), 'utf8')).toContain('#');
    expect(
      (await sandbox.processes()).map(({ command }) => /(main|daemon|watchdog)\.js/.exec(command)?.[1]),
    ).toEqual(expect.arrayContaining(['main', 'daemon', 'watchdog']));
    await writeFile(join(mountPoint, 'projects/demo/rna-seq-study/note.txt'), 'mine\n');
    const second = await sandbox.svcfs(['demo', mountPoint, '--detach']);
    expect(second.code).toBe(EXIT_CODES.alreadyMounted.code);

    expect(await sandbox.svcfs(['demo', '--stop', mountPoint])).toMatchObject({ code: 0, stderr: '' });
    await expectClean(sandbox, mountPoint);

    const third = await sandbox.svcfs(['demo', mountPoint, '--detach']);
    expect(third.code).toBe(0);
    expect(endpointOf(third.stdout)).toBe(endpointOf(first.stdout));
    expect(await readFile(join(mountPoint, 'projects/demo/rna-seq-study/note.txt'), 'utf8')).toBe('mine\n');
    expect(await sandbox.svcfs(['demo', '--stop', mountPoint])).toMatchObject({ code: 0 });
    await expectClean(sandbox, mountPoint);
    expect((await sandbox.svcfs(['demo', '--stop', mountPoint])).code).toBe(EXIT_CODES.notMounted.code);
  });

  test('ends service and mount on Ctrl-C', async ({ sandbox }) => {
    const mountPoint = newMountPoint(sandbox);
    const demo = sandbox.start(['demo', mountPoint, '--data', join(sandbox.root, 'own-data')]);
    await demo.says(/End it with Ctrl-C/);
    expect(await readdir(mountPoint)).toContain('volumes');
    demo.signal('SIGINT');
    expect(await demo.exited()).toBe(0);
    await expectClean(sandbox, mountPoint);
    expect(await readdir(join(sandbox.root, 'own-data'))).toContain('demo-token');
  });

  test('interrupted while it makes its content leaves nothing', async ({ sandbox }) => {
    const mountPoint = newMountPoint(sandbox);
    const data = join(sandbox.root, 'own-data');
    const demo = sandbox.start(['demo', mountPoint, '--data', data]);
    await demo.says(/making the demo content/);
    await waitUntil(async () => (await readdir(data)).includes('demo-work'), { what: 'content being made' });
    demo.signal('SIGINT');
    expect(await demo.exited()).toBe(EXIT_CODES.failure.code);
    expect(demo.stderr).toBe('svcfs: interrupted\n');
    await expectClean(sandbox, mountPoint);
    await expect(access(data)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('can be stopped and started after everything of it was killed', async ({ sandbox }) => {
    const mountPoint = newMountPoint(sandbox);
    expect(await sandbox.svcfs(['demo', mountPoint, '--detach'])).toMatchObject({ code: 0 });
    const processes = await sandbox.processes();
    // The watchdog first, or it would do its work.
    for (const name of ['watchdog', 'daemon', 'main']) {
      const pid = processes.find(({ command }) => command.includes(`${name}.js`))?.pid;
      process.kill(pid ?? 0, 'SIGKILL');
    }
    await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'all killed' });
    expect(await sandbox.svcfs(['demo', mountPoint, '--detach'])).toMatchObject({ code: 0 });
    expect(await readdir(mountPoint)).toContain('projects');
    expect(await sandbox.svcfs(['demo', '--stop', mountPoint])).toMatchObject({ code: 0 });
    expect(await mountedOn(mountPoint)).toBeUndefined();
  });

  test('ends when its mount is killed, also where that is not unmounted by then', async ({ sandbox }) => {
    const demo = sandbox.start(['demo', newMountPoint(sandbox)]);
    await demo.says(/End it with Ctrl-C/);
    const processes = await sandbox.processes();
    for (const name of ['watchdog', 'daemon']) {
      const pid = processes.find(({ command }) => command.includes(`${name}.js`))?.pid;
      process.kill(pid ?? 0, 'SIGKILL');
    }
    expect(await demo.exited()).toBe(0);
    expect(demo.stderr).toBe('');
  });

  test('--stop at a mount that is no demo leaves it alone', async ({ sandbox }) => {
    const { code, stderr } = await sandbox.svcfs(['demo', '--stop', sandbox.mountPoint]);
    expect(code).toBe(EXIT_CODES.notMounted.code);
    expect(stderr).toBe(`svcfs: no demo at ${sandbox.mountPoint}\n`);
  });
});
