/** Each option of `svcfs mount` does what its help says, on a real mount. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { FaultProxy, type SeenRequest } from '../support/fault-proxy.ts';
import { type RunResult, run, shell } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROJECT = 'projects/demo/rna-seq-study';
const VOLUME = 'volumes/demo/results';

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

function tryMount(
  sandbox: Sandbox,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunResult> {
  return sandbox.svcfs(['mount', sandbox.mountPoint, ...args], { env: { ...service.credentials, ...env } });
}

async function mount(
  sandbox: Sandbox,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  expect(await tryMount(sandbox, args, env)).toMatchObject({ code: 0, stderr: '' });
}

async function proxied(): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(service.origin);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** A directory of its own for each test, in the project and on the volume. */
async function places(sandbox: Sandbox, name: string): Promise<{ project: string; volume: string }> {
  const project = sandbox.path(PROJECT, name);
  const volume = sandbox.path(VOLUME, name);
  await mkdir(project);
  await mkdir(volume);
  return { project, volume };
}

describe('moves', () => {
  test('--rename-wait gives a mv up with EINTR; its job goes on and can be waited for', async ({
    sandbox,
  }) => {
    const proxy = await proxied();
    await mount(sandbox, ['--rename-wait', '1'], { SVC_API_ENDPOINT: `${proxy.origin}/v2` });
    const { project, volume } = await places(sandbox, 'rename-wait');
    await writeFile(join(project, 'a'), 'text');
    const asksForJob = ({ path }: SeenRequest): boolean => path.includes('/exports/get');
    proxy.inject({ kind: 'latency', ms: 4000 }, { when: asksForJob });
    const moved = await run('mv', [join(project, 'a'), join(volume, 'a')]);
    expect(moved.stderr).toContain('Interrupted system call');
    const listed = await sandbox.svcfs(['jobs', 'list', sandbox.mountPoint]);
    expect(listed).toMatchObject({ code: 0 });
    const [, id = ''] = /^(\S+) export (?:pending|running) .*\/a -> .*\/a$/m.exec(listed.stdout) ?? [];
    const over = await sandbox.svcfs(['jobs', 'wait', id], { cwd: sandbox.path(PROJECT) });
    expect(over.stdout).toMatch(new RegExp(`^${id} export done `));
    expect(await readFile(join(volume, 'a'), 'utf8')).toBe('text');
  });

  test('--after-export=remove leaves nothing of what mv exported', async ({ sandbox }) => {
    await mount(sandbox, ['--after-export', 'remove']);
    const { project, volume } = await places(sandbox, 'after-export');
    await shell('echo a > a; mkdir -p d/e; echo b > d/b; echo c > d/e/c', { cwd: project });
    await shell(`mv a d ${volume}`, { cwd: project });
    expect(await readdir(project)).toEqual([]);
    expect((await readdir(volume, { recursive: true })).sort()).toEqual(['a', 'd', 'd/b', 'd/e', 'd/e/c']);
    expect(await readFile(join(volume, 'd/e/c'), 'utf8')).toBe('c\n');
  });

  test('--staging-project takes a folder, and leaves nothing in it', async ({ sandbox }) => {
    await mount(sandbox, ['--staging-project', 'demo/rna-seq-study/scratch/staging']);
    const { volume } = await places(sandbox, 'staging');
    const local = join(sandbox.root, 'local.bin');
    await shell(`seq 300000 > ${local}; cp ${local} ${volume}/copied; cmp ${local} ${volume}/copied`);
    expect(await readdir(sandbox.path(PROJECT, 'scratch/staging'))).toEqual([]);
  });

  test('--temporary-names says which files stay here until they are renamed', async ({ sandbox }) => {
    const names = ['--temporary-names', '*.part'];
    await mount(sandbox, ['--staging-project', 'demo/rna-seq-study/scratch/staging', ...names]);
    const other = await Sandbox.create();
    onTestFinished(() => other.clean());
    await mount(other, []);
    const { volume } = await places(sandbox, 'temporary');
    await shell(`echo a > ${volume}/a.part; echo b > ${volume}/b~`);
    expect((await readdir(volume)).sort()).toEqual(['a.part', 'b~']);
    expect(await readdir(other.path(VOLUME, 'temporary'))).toEqual(['b~']);
    await shell(`mv ${volume}/a.part ${volume}/a; grep -q a ${volume}/a`);
    await shell(`echo c > ${volume}/c.part; rm ${volume}/c.part`);
    expect((await readdir(volume)).sort()).toEqual(['a', 'b~']);
  });

  test('--staging-project refuses a file in place of its folder', async ({ sandbox }) => {
    const refused = await tryMount(sandbox, ['--staging-project', 'demo/rna-seq-study/README.md']);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('README.md is a file');
  });
});

describe('files that are not published', () => {
  const killed = (path: string): Promise<RunResult> =>
    run('bash', ['-c', `exec > ${path}; echo half; kill -9 $$`]);

  test('--on-killed=recover keeps what a killed program wrote, and says where', async ({ sandbox }) => {
    await mount(sandbox, ['--on-killed', 'recover']);
    const path = sandbox.path(PROJECT, 'killed-recover.txt');
    expect(await killed(path)).toMatchObject({ signal: 'SIGKILL' });
    await waitUntil(async () => (await why(sandbox, path)).includes('kept at'));
    const [, kept = ''] = /kept at (\S+)/.exec(await why(sandbox, path)) ?? [];
    expect(await readFile(kept, 'utf8')).toBe('half\n');
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    // A program that closes nothing before it ends has not been killed.
    await shell(`${process.execPath} -e 'require("fs").writeSync(1, "whole")' > ${path}`);
    await waitUntil(async () => (await readFile(path, 'utf8')) === 'whole');
  });

  test('what a killed program wrote is published otherwise', async ({ sandbox }) => {
    await mount(sandbox, []);
    const path = sandbox.path(PROJECT, 'killed-publish.txt');
    await killed(path);
    await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    await mount(sandbox, []);
    expect(await readFile(path, 'utf8')).toBe('half\n');
  });

  test('--conflict=fail fails the close that would replace what another client wrote', async ({
    sandbox,
  }) => {
    await mount(sandbox, ['--conflict', 'fail']);
    const other = join(sandbox.root, 'other');
    await mkdir(other);
    sandbox.alsoMounts(other);
    const { credentials } = service;
    expect(await sandbox.svcfs(['mount', other], { env: credentials })).toMatchObject({ code: 0 });
    const path = sandbox.path(PROJECT, 'conflict.txt');
    await writeFile(path, 'base');
    const theirs = join(other, PROJECT, 'conflict.txt');
    const script = `
      const fs = require('fs');
      const file = fs.openSync(process.argv[1], 'w');
      fs.writeSync(file, 'ours');
      fs.writeFileSync(process.argv[2], 'theirs');
      setTimeout(() => fs.closeSync(file), 1500);`;
    const writer = await run(process.execPath, ['-e', script, path, theirs]);
    expect(writer.stderr).toContain(`errno: -${constants.errno.ESTALE}`);
    expect(await readFile(path, 'utf8')).toBe('theirs');
    await waitUntil(async () => (await why(sandbox, path)).includes('kept at'));
    const [, kept = ''] = /kept at (\S+)/.exec(await why(sandbox, path)) ?? [];
    expect(await readFile(kept, 'utf8')).toBe('ours');
  });

  async function why(sandbox: Sandbox, path: string): Promise<string> {
    return (await sandbox.svcfs(['why', path])).stdout;
  }
});

describe('--memory', () => {
  test('that is too small or too large is refused with what works', async ({ sandbox }) => {
    expect(await tryMount(sandbox, ['--memory', '1M'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least 32M'),
    });
    expect(await tryMount(sandbox, ['--memory', '999999G'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/at most \d+M, which this machine or its control group has/),
    });
  });
});

describe('--part-size', () => {
  test('is the size of the parts that go up', async ({ sandbox }) => {
    await mount(sandbox, ['--part-size', '5M']);
    const puts = async (): Promise<number> => {
      const counters = await (await fetch(`${service.origin}/internal/stats`)).json();
      return (counters as { storagePuts: number }).storagePuts;
    };
    const before = await puts();
    const path = sandbox.path(PROJECT, 'parts.bin');
    await shell(`head -c 22000000 /dev/zero > ${path}; head -c 22000000 /dev/zero | cmp - ${path}`);
    expect((await puts()) - before).toBe(5);
  });

  test('is refused where memory or spool have no room for such parts, or the platform takes none', async ({
    sandbox,
  }) => {
    expect(await tryMount(sandbox, ['--part-size', '64M', '--memory', '100M'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least --memory 128M'),
    });
    expect(await tryMount(sandbox, ['--part-size', '1G'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least --memory 2048M'),
    });
    expect(await tryMount(sandbox, ['--part-size', '64M', '--spool-size', '100M'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least --spool-size 128M'),
    });
    expect(await tryMount(sandbox, ['--part-size', '1M'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least 5M'),
    });
    expect(await tryMount(sandbox, ['--part-size', '5G', '--memory', '10G'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at most 4096M'),
    });
  });
});

describe('--md5-sum', () => {
  const told = (path: string): Promise<RunResult> =>
    run('getfattr', ['--only-values', '-n', 'user.md5_sum', path]);

  test('gives what is written its MD5, in one call or in parts, and only where it is given', async ({
    sandbox,
  }) => {
    const write = async (name: string, lines: number): Promise<string> => {
      const path = sandbox.path(PROJECT, name);
      await shell(`seq ${lines} > ${path}`);
      return path;
    };
    await mount(sandbox, []);
    expect(await told(await write('without-sum.txt', 1000))).toMatchObject({ code: 1 });
    await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    await mount(sandbox, ['--md5-sum']);
    for (const lines of [1000, 3_000_000]) {
      const path = await write(`with-sum-${lines}.txt`, lines);
      const sum = (await shell(`md5sum < ${path}`)).slice(0, 32);
      expect(await told(path)).toMatchObject({ code: 0, stdout: sum });
    }
  });
});

describe('.svcfs', () => {
  test('config shows every option and no secret', async ({ sandbox }) => {
    await mount(sandbox, ['--umask', '027', '--metadata-ttl', '5']);
    const text = await readFile(sandbox.path('.svcfs/config'), 'utf8');
    expect(text).not.toContain(service.token);
    expect(JSON.parse(text)).toMatchObject({
      endpoint: service.endpoint,
      umask: 0o027,
      metadataTtl: 5000,
      renameWait: null,
      afterExport: 'keep',
      uploads: null,
      memory: expect.any(Number),
    });
  });

  test('stats counts requests, reads and operations', async ({ sandbox }) => {
    await mount(sandbox, []);
    const before = await sandbox.statistics();
    await readFile(sandbox.path(PROJECT, 'README.md'));
    const after = await sandbox.statistics();
    expect(after.cache.misses).toBe(before.cache.misses + 1);
    expect(after.cache.fetchedBytes).toBeGreaterThan(before.cache.fetchedBytes);
    expect(after.operations['READ']?.answered).toBeGreaterThan(0);
    expect(after).toMatchObject({ uploads: { partsInFlight: 0 }, jobs: { unfinished: 0 } });
    expect(after.api).toMatchObject({ away: false, lost: 0, rate: { inFlight: 0 } });
  });

  test('the log tells once that the service went away, and that it is back', async ({ sandbox }) => {
    const proxy = await proxied();
    await mount(sandbox, ['--metadata-ttl', '0'], { SVC_API_ENDPOINT: `${proxy.origin}/v2` });
    await proxy.down();
    const listing = readdir(sandbox.path(PROJECT));
    await waitUntil(async () => (await sandbox.logs()).includes('the service is away'));
    expect((await sandbox.svcfs(['status', sandbox.mountPoint])).stdout).toContain('does not answer');
    await proxy.up();
    expect(await listing).toContain('README.md');
    const log = await sandbox.logs();
    expect(log.split('the service is away')).toHaveLength(2);
    expect(log.split('the service is back')).toHaveLength(2);
  });
});

describe('asking a mount', () => {
  test('status, jobs and why work without a mount point when there is one mount', async ({ sandbox }) => {
    const elsewhere = { cwd: sandbox.root };
    expect(await sandbox.svcfs(['status'], elsewhere)).toMatchObject({
      code: 0,
      stdout: 'there is no mount of svcfs\n',
    });
    expect(await sandbox.svcfs(['jobs', 'list'], elsewhere)).toMatchObject({ code: 12 });
    await mount(sandbox, []);
    const { code, stdout } = await sandbox.svcfs(['status'], elsewhere);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('service: answers') });
    expect(await sandbox.svcfs(['jobs', 'list'], elsewhere)).toMatchObject({ code: 0, stdout: '' });
    expect(await sandbox.svcfs(['jobs', 'wait', 'none'], elsewhere)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no job none'),
    });
  });
});
