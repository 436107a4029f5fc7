import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { engineFlags } from '../../src/cli/mount/engine-flags.ts';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { identify } from '../../src/lib/process-identity.ts';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { FaultProxy, type SeenRequest } from '../support/fault-proxy.ts';
import { mustRun, run } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROJECT = 'projects/demo/rna-seq-study';
const NOBODY = 65_534;

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

async function mount(sandbox: Sandbox, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const result = await sandbox.svcfs(['mount', sandbox.mountPoint], {
    env: { ...service.credentials, ...env },
  });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  return result.stdout;
}

async function processOf(sandbox: Sandbox, script: 'daemon' | 'watchdog'): Promise<number> {
  const found = (await sandbox.processes()).find(({ command }) => command.includes(`${script}.js`));
  expect(found, script).toBeDefined();
  return found?.pid ?? 0;
}

/** No process, no mount, no socket and no record are left. */
async function expectNothingLeft(sandbox: Sandbox): Promise<void> {
  await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'all processes ended' });
  expect(await mountedOn(sandbox.mountPoint)).toBeUndefined();
  const state = await readdir(join(sandbox.root, 'state'), { recursive: true });
  expect(state.filter((name) => /(control|\.json)$/.test(name) && !name.includes('accounts'))).toEqual([]);
}

describe('svcfs mount', () => {
  test('returns when the mount is usable, and says where its log is', async ({ sandbox }) => {
    const said = await mount(sandbox);
    expect(await readdir(sandbox.path('projects', 'demo'))).toEqual(['rna-seq-study', 'trio-exomes']);
    const [, log = ''] = /^log: (.*)$/m.exec(said) ?? [];
    expect(await readFile(log, 'utf8')).toContain('"msg":"mounted"');
  });

  test('starts its process with the flags of this engine', async ({ sandbox }) => {
    await mount(sandbox);
    const commandLine = await readFile(`/proc/${await processOf(sandbox, 'daemon')}/cmdline`, 'utf8');
    const [, ...given] = commandLine.split('\0');
    const node = process.env['SVCFS_TEST_NODE'] || process.execPath;
    const flags = engineFlags((await mustRun(node, ['-p', 'process.versions.v8'])).trim());
    expect(given.slice(0, flags.length)).toEqual(flags);
    expect(given[flags.length]).toMatch(/daemon\.js$/);
  });

  test('takes endpoint and token from a profile', async ({ sandbox }) => {
    await run('mkdir', ['-m', '700', join(sandbox.home, '.svcfs')]);
    const profile = `[lab]\napi_endpoint = ${service.endpoint}\nauth_token = ${service.token}\n`;
    await writeFile(join(sandbox.home, '.svcfs', 'credentials'), profile, { mode: 0o600 });
    const { code } = await sandbox.svcfs(['mount', sandbox.mountPoint, '--profile', 'lab']);
    expect(code).toBe(0);
    expect(await readdir(sandbox.mountPoint)).toContain('volumes');
  });

  test('shows the token to nobody', async ({ sandbox }) => {
    await mount(sandbox, { SVCFS_LOG_LEVEL: 'debug' });
    await readFile(sandbox.path(PROJECT, 'README.md'));
    for (const { pid, command } of await sandbox.processes()) {
      expect(command).not.toContain(service.token);
      expect(await readFile(`/proc/${pid}/environ`, 'latin1')).not.toContain(service.token);
    }
    expect(await sandbox.logs()).toContain('mounted');
    expect(await sandbox.logs()).not.toContain(service.token);
  });

  test('--read-only refuses every change', async ({ sandbox }) => {
    const args = ['mount', sandbox.mountPoint, '--read-only'];
    expect(await sandbox.svcfs(args, { env: service.credentials })).toMatchObject({ code: 0 });
    await expect(writeFile(sandbox.path(PROJECT, 'new'), 'x')).rejects.toMatchObject({ code: 'EROFS' });
  });

  test('--staging-project lets programs write to volumes', async ({ sandbox }) => {
    const args = (project: string) => ['mount', sandbox.mountPoint, '--staging-project', project];
    const wrong = await sandbox.svcfs(args('demo/nothing'), { env: service.credentials });
    expect(wrong).toMatchObject({
      code: 1,
      stderr: 'svcfs: there is no project demo/nothing to stage files in\n',
    });
    expect(await sandbox.svcfs(args('demo/rna-seq-study'), { env: service.credentials })).toMatchObject({
      code: 0,
    });
    const object = sandbox.path('volumes/demo/results/from-here.txt');
    await writeFile(object, 'straight to the bucket\n');
    expect(await readFile(object, 'utf8')).toBe('straight to the bucket\n');
    expect(await readdir(sandbox.path(PROJECT, '.svcfs-staging'))).toEqual([]);
  });

  test('--foreground stays until Ctrl-C and leaves nothing', async ({ sandbox }) => {
    const mounted = sandbox.start(['mount', sandbox.mountPoint, '--foreground'], service.credentials);
    await mounted.says(/^log: /m);
    expect(await readdir(sandbox.mountPoint)).toContain('projects');
    mounted.signal('SIGINT');
    expect(await mounted.exited()).toBe(0);
    await expectNothingLeft(sandbox);
  });

  test('--foreground ends its mount when it is killed', async ({ sandbox }) => {
    const mounted = sandbox.start(['mount', sandbox.mountPoint, '--foreground'], service.credentials);
    await mounted.says(/^log: /m);
    mounted.signal('SIGKILL');
    await expectNothingLeft(sandbox);
  });
});

describe('svcfs unmount', () => {
  test('leaves nothing behind, and the mount point can be used again', async ({ sandbox }) => {
    for (let round = 0; round < 2; round += 1) {
      await mount(sandbox);
      expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({
        code: 0,
        stdout: '',
        stderr: '',
      });
      await expectNothingLeft(sandbox);
      expect(await readdir(sandbox.mountPoint)).toEqual([]);
    }
  });

  test('finds its own programs where PATH leads into the mount', async ({ sandbox }) => {
    await mount(sandbox, { PATH: `${sandbox.path(PROJECT)}:${process.env['PATH']}` });
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0 });
  });

  test('says who keeps the mount busy, and leaves it as it is', async ({ sandbox }) => {
    await mount(sandbox);
    const user = spawn('sleep', ['60'], { cwd: sandbox.path(PROJECT) });
    onTestFinished(() => void user.kill());
    const refused = await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    expect(refused.code).toBe(EXIT_CODES.busy.code);
    expect(refused.stderr).toContain(`  ${user.pid} sleep: working directory ${sandbox.path(PROJECT)}\n`);
    expect(await readdir(sandbox.mountPoint)).toContain('projects');
    user.kill();
    await once(user, 'exit');
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0 });
  });

  test('says what is mounted in the mount, and leaves it as it is', async ({ sandbox }) => {
    await mount(sandbox);
    const inner = sandbox.path(PROJECT);
    expect(await run('mount', ['-t', 'tmpfs', 'none', inner])).toMatchObject({ code: 0 });
    onTestFinished(async () => void (await run('umount', ['-l', inner])));
    const refused = await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    expect(refused.code).toBe(EXIT_CODES.busy.code);
    expect(refused.stderr).toBe(`svcfs: ${sandbox.mountPoint}: in use\n  mount of type tmpfs: ${inner}\n`);
    await run('umount', [inner]);
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0 });
  });

  test('sends whoever did not mount it to who did, instead of to --force', async ({ sandbox }) => {
    await mount(sandbox);
    const env = { XDG_STATE_HOME: join(sandbox.root, 'state-of-another') };
    const { code, stderr } = await sandbox.svcfs(['unmount', sandbox.mountPoint], { env });
    expect(code).toBe(EXIT_CODES.failure.code);
    expect(stderr).toMatch(
      /: it was mounted by another user, or with another XDG_STATE_HOME; unmount it as it was mounted/,
    );
    expect(await readdir(sandbox.mountPoint)).toContain('projects');
  });

  test.skipIf(process.getuid?.() !== 0)(
    'of another user is refused, and told whose it is',
    async ({ sandbox }) => {
      await mount(sandbox);
      for (const force of [[], ['--force']]) {
        const { code, stderr } = await sandbox.svcfs(['unmount', sandbox.mountPoint, ...force], {
          uid: NOBODY,
          gid: NOBODY,
          env: { NODE_OPTIONS: undefined },
        });
        expect({ code, stderr }).toEqual({
          code: EXIT_CODES.failure.code,
          stderr: `svcfs: ${sandbox.mountPoint}: a mount of root: only root can unmount it\n`,
        });
      }
      expect(await readdir(sandbox.mountPoint)).toContain('projects');
    },
  );

  test('waits for a file that is still being sent', async ({ sandbox }) => {
    const proxy = await FaultProxy.start(service.origin);
    onTestFinished(() => proxy.close());
    await mount(sandbox, { SVC_API_ENDPOINT: `${proxy.origin}/v2` });
    const target = sandbox.path(PROJECT, 'slow.bin');
    // It takes three seconds; the program that wrote the file is killed and waits for nothing.
    const isContent = ({ path }: SeenRequest): boolean => path.startsWith('/v2/upload/inline');
    proxy.inject({ kind: 'latency', ms: 3000 }, { when: isContent });
    const writer = spawn('dd', ['if=/dev/zero', `of=${target}`, 'bs=64K', 'count=16'], { stdio: 'ignore' });
    await waitUntil(() => proxy.requests.some(isContent), { what: 'the file on its way' });
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    const done = await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toMatch(/^waiting for 1 file: .*slow\.bin$/m);
    await mount(sandbox);
    expect(await readFile(target)).toHaveLength(1024 * 1024);
  });

  test('says who has the mount in another mount namespace, where it goes on until that ends', async ({
    sandbox,
  }) => {
    await mount(sandbox);
    const container = spawn('unshare', ['--mount', 'sleep', '60'], { stdio: 'ignore' });
    onTestFinished(() => void container.kill());
    const command = (): Promise<string> => readFile(`/proc/${container.pid}/comm`, 'utf8');
    await waitUntil(async () => (await command()) === 'sleep\n', { what: 'the namespace' });
    const held = await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    expect(held.code).toBe(EXIT_CODES.busy.code);
    expect(held.stderr).toContain(`  ${container.pid} sleep: mount namespace ${sandbox.mountPoint}\n`);
    expect(held.stderr).toContain(`kill ${await processOf(sandbox, 'daemon')} ends it now`);
    container.kill();
    await expectNothingLeft(sandbox);
  });

  test('--force takes the mount away from its users', async ({ sandbox }) => {
    await mount(sandbox);
    const user = spawn('sleep', ['60'], { cwd: sandbox.path(PROJECT) });
    onTestFinished(() => void user.kill());
    expect(await sandbox.svcfs(['unmount', '--force', sandbox.mountPoint])).toMatchObject({ code: 0 });
    await expectNothingLeft(sandbox);
  });

  test('refuses what is no mount of svcfs', async ({ sandbox }) => {
    const file = join(sandbox.root, 'file');
    const circle = join(sandbox.root, 'circle');
    await writeFile(file, '');
    await symlink('circle', circle);
    const nowhere = [join(sandbox.root, 'nowhere'), join(file, 'below'), circle];
    for (const path of [sandbox.mountPoint, ...nowhere, '/proc']) {
      const { code, stderr } = await sandbox.svcfs(['unmount', path]);
      expect(code).toBe(EXIT_CODES.notMounted.code);
      expect(stderr).toMatch(
        /^svcfs: .*: (not a mount point|no such directory|not a directory|too many symbolic links.*|a mount of type proc, not of svcfs)\n$/,
      );
    }
  });
});

test('the watchdog of a mount waits in little memory', async ({ sandbox }) => {
  await mount(sandbox);
  const status = await readFile(`/proc/${await processOf(sandbox, 'watchdog')}/status`, 'utf8');
  expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(8 * 1024);
});

describe('a mount whose process ends', () => {
  test('by SIGTERM is unmounted, in use or not', async ({ sandbox }) => {
    await mount(sandbox);
    const user = spawn('sleep', ['60'], { cwd: sandbox.path(PROJECT) });
    onTestFinished(() => void user.kill());
    process.kill(await processOf(sandbox, 'daemon'), 'SIGTERM');
    await expectNothingLeft(sandbox);
  });

  test('waits for what is being sent when all of its session is told to end', async ({ sandbox }) => {
    const proxy = await FaultProxy.start(service.origin);
    onTestFinished(() => proxy.close());
    const env = { ...service.credentials, SVC_API_ENDPOINT: `${proxy.origin}/v2` };
    const command = sandbox.start(['mount', sandbox.mountPoint, '--foreground'], env);
    await command.says(/^log: /m);
    const daemon = await processOf(sandbox, 'daemon');
    const isContent = ({ path }: SeenRequest): boolean => path.startsWith('/v2/upload/inline');
    proxy.inject({ kind: 'latency', ms: 3000 }, { when: isContent });
    const target = sandbox.path(PROJECT, 'last.bin');
    const writer = spawn('dd', ['if=/dev/zero', `of=${target}`, 'bs=64K', 'count=16'], { stdio: 'ignore' });
    await waitUntil(() => proxy.requests.some(isContent), { what: 'the file on its way' });
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      process.kill(daemon, signal);
      command.signal(signal);
    }
    expect(await command.exited()).toBe(0);
    expect(await sandbox.logs()).toContain('"msg":"ended"');
    expect(await sandbox.logs()).not.toContain('ending without waiting');
  });

  test('by kill -9 is unmounted by its watchdog', async ({ sandbox }) => {
    await mount(sandbox);
    process.kill(await processOf(sandbox, 'daemon'), 'SIGKILL');
    await waitUntil(async () => (await mountedOn(sandbox.mountPoint)) === undefined, { what: 'unmounted' });
    await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'the watchdog ended' });
    await mount(sandbox);
    expect(await readdir(sandbox.mountPoint)).toContain('projects');
  });

  test('by kill -9 together with its watchdog is recovered by the next mount', async ({ sandbox }) => {
    await mount(sandbox);
    process.kill(await processOf(sandbox, 'watchdog'), 'SIGKILL');
    process.kill(await processOf(sandbox, 'daemon'), 'SIGKILL');
    await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'both ended' });
    // ECONNABORTED while the kernel still ends what was under way.
    await expect(readdir(sandbox.mountPoint)).rejects.toMatchObject({
      code: expect.stringMatching(/^(ENOTCONN|ECONNABORTED)$/),
    });
    await mount(sandbox);
    expect(await readdir(sandbox.mountPoint)).toContain('projects');
  });

  test('by kill -9 while it starts leaves the next mount alone, however late its watchdog is', async ({
    sandbox,
  }) => {
    const proxy = await FaultProxy.start(service.origin);
    onTestFinished(() => proxy.close());
    const isStaging = ({ path }: SeenRequest): boolean => path.startsWith('/v2/projects/demo/');
    proxy.inject({ kind: 'stall', afterBytes: 0 }, { when: isStaging });
    const args = ['mount', sandbox.mountPoint, '--staging-project', 'demo/rna-seq-study'];
    const starting = sandbox.start(args, { ...service.credentials, SVC_API_ENDPOINT: `${proxy.origin}/v2` });
    await waitUntil(() => proxy.requests.some(isStaging), { what: 'a mount that is not there yet' });
    const watchdog = await processOf(sandbox, 'watchdog');
    process.kill(watchdog, 'SIGSTOP');
    process.kill(await processOf(sandbox, 'daemon'), 'SIGKILL');
    expect(await starting.exited()).toBe(EXIT_CODES.failure.code);
    await mount(sandbox);
    process.kill(watchdog, 'SIGCONT');
    await waitUntil(async () => (await identify(watchdog)) === undefined, {
      what: 'the late watchdog ended',
    });
    expect(await readdir(sandbox.mountPoint)).toContain('projects');
  });

  test('by kill -9 can be unmounted by hand', async ({ sandbox }) => {
    await mount(sandbox);
    process.kill(await processOf(sandbox, 'watchdog'), 'SIGKILL');
    process.kill(await processOf(sandbox, 'daemon'), 'SIGKILL');
    await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'both ended' });
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0 });
    expect(await mountedOn(sandbox.mountPoint)).toBeUndefined();
  });

  test('by kill -9 is unmounted by hand with a word of what waits for the next mount', async ({
    sandbox,
  }) => {
    await mount(sandbox, { SVCFS_WRITE_BACK: '1', SVCFS_LIMIT_UPLOAD: '1K' });
    await writeFile(sandbox.path(PROJECT, 'late.txt'), Buffer.alloc(100_000, 1));
    process.kill(await processOf(sandbox, 'watchdog'), 'SIGKILL');
    process.kill(await processOf(sandbox, 'daemon'), 'SIGKILL');
    await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'both ended' });
    const result = await sandbox.svcfs(['unmount', sandbox.mountPoint]);
    expect(result).toMatchObject({ code: EXIT_CODES.unfinished.code, stdout: '' });
    expect(result.stderr).toMatch(/not uploaded yet: 1 file .* on \S+ again$/m);
    expect(await mountedOn(sandbox.mountPoint)).toBeUndefined();
  });
});
