import { access, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { type DemoRecord, readRecord, writeRecord } from '../../src/cli/record.ts';
import { mountDirectory } from '../../src/config/directories.ts';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { isRunning } from '../../src/lib/process-identity.ts';
import { layDemo } from '../support/lay-demo.ts';
import { run } from '../support/run.ts';
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

  test('has a service of its own where the environment is that of another', async ({ sandbox }) => {
    const mountPoint = newMountPoint(sandbox);
    const data = join(sandbox.root, 'own-data');
    await layDemo(data);
    const elsewhere = { SVCFS_DATABASE: 'postgresql://127.0.0.1:1/theirs', SVCFS_SECRET_KEY: '0'.repeat(64) };
    for (const env of [elsewhere, { SVCFS_ROLE: 'worker' }]) {
      const demo = sandbox.start(['demo', mountPoint, '--detach', '--data', data], env);
      expect({ code: await demo.exited(), stderr: demo.stderr }).toEqual({ code: 0, stderr: '' });
      expect(await readFile(join(mountPoint, README), 'utf8')).toContain('#');
      expect(await sandbox.svcfs(['demo', '--stop', mountPoint])).toMatchObject({ code: 0 });
    }
  });

  test('ends service and mount on Ctrl-C', async ({ sandbox }) => {
    const mountPoint = newMountPoint(sandbox);
    const data = join(sandbox.root, 'own-data');
    await layDemo(data);
    const demo = sandbox.start(['demo', mountPoint, '--data', data]);
    await demo.says(/End it with Ctrl-C/);
    expect(await readdir(mountPoint)).toContain('volumes');
    demo.signal('SIGINT');
    expect(await demo.exited()).toBe(0);
    await expectClean(sandbox, mountPoint);
    expect(await readdir(data)).toContain('demo-token');
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
    await layDemo(mountDirectory(join(sandbox.root, 'state', 'svcfs'), mountPoint).demoData);
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

  test('killed while it makes its content is begun again by the next one', async ({ sandbox }) => {
    const mountPoint = newMountPoint(sandbox);
    const data = join(sandbox.root, 'own-data');
    const killed = sandbox.start(['demo', mountPoint, '--data', data]);
    await killed.says(/making the demo content/);
    await waitUntil(async () => (await readdir(data)).includes('demo-work'), { what: 'content being made' });
    killed.signal('SIGKILL');
    await killed.exited();
    const next = await sandbox.svcfs(['demo', mountPoint, '--data', data, '--detach']);
    expect(next).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(join(mountPoint, 'projects/demo'))).toContain('trio-exomes');
    expect(await sandbox.svcfs(['demo', '--stop', mountPoint])).toMatchObject({ code: 0 });
    await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'all processes ended' });
  });

  test('keeps what is whole of a data directory, though its command was killed before it knew', async ({
    sandbox,
  }) => {
    const mountPoint = newMountPoint(sandbox);
    const data = join(sandbox.root, 'own-data');
    await layDemo(data);
    await writeFile(join(data, 'mine'), '');
    const { root, demoRecord } = mountDirectory(join(sandbox.root, 'state', 'svcfs'), mountPoint);
    await mkdir(root, { recursive: true });
    await writeRecord<DemoRecord>(demoRecord, {
      service: undefined,
      data,
      unfinished: true,
      madeMountPoint: false,
    });
    expect(await sandbox.svcfs(['demo', mountPoint, '--data', data, '--detach'])).toMatchObject({ code: 0 });
    expect(await readdir(data)).toContain('mine');
    expect(await sandbox.svcfs(['demo', '--stop', mountPoint])).toMatchObject({ code: 0 });
  });

  test('leaves alone one that is just starting at the same place, and so does --stop', async ({
    sandbox,
  }) => {
    const mountPoint = newMountPoint(sandbox);
    const data = join(sandbox.root, 'own-data');
    await layDemo(data);
    const { root, log, demoRecord } = mountDirectory(join(sandbox.root, 'state', 'svcfs'), mountPoint);
    await mkdir(root, { recursive: true });
    // Its mount begins when somebody reads its log.
    await run('mkfifo', [log]);
    const first = sandbox.start(['demo', mountPoint, '--detach', '--data', data]);
    const recorded = () => readRecord<DemoRecord>(demoRecord);
    await waitUntil(async () => (await recorded())?.port !== undefined, { what: 'its service listens' });
    const service = (await recorded())?.service;
    expect(service).toBeDefined();
    const isServed = async () => service !== undefined && (await isRunning(service));
    const second = sandbox.start(['demo', mountPoint, '--detach', '--data', data]);
    await waitUntil(async () => !second.running || !(await isServed()), { what: 'the second one' });
    const stopped = sandbox.start(['demo', '--stop', mountPoint]);
    await waitUntil(async () => !stopped.running || !(await isServed()), { what: '--stop' });
    const wasServed = await isServed();
    const reader = await open(log, 'r+');
    onTestFinished(() => reader.close());
    await rm(log);
    expect(wasServed).toBe(true);
    expect(await second.exited()).toBe(EXIT_CODES.busy.code);
    expect(await stopped.exited()).toBe(EXIT_CODES.busy.code);
    expect(await first.exited()).toBe(0);
    expect(await readdir(mountPoint)).toContain('projects');
    expect(await sandbox.svcfs(['demo', '--stop', mountPoint])).toMatchObject({ code: 0 });
    await expectClean(sandbox, mountPoint);
  });

  test('ends when its mount is killed, also where that is not unmounted by then', async ({ sandbox }) => {
    const data = join(sandbox.root, 'own-data');
    await layDemo(data);
    const demo = sandbox.start(['demo', newMountPoint(sandbox), '--data', data]);
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
