import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { mountedOn } from '../../../src/fuse/mount-table.ts';
import { forceUnmount } from '../../../src/fuse/recover-dead-mount.ts';
import { run } from '../../support/run.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { mountPoint, ServedMount } from './served-mount.ts';

const mounts: ServedMount[] = [];

async function start(options: Parameters<typeof ServedMount.start>[0] = {}): Promise<ServedMount> {
  const mount = await ServedMount.start(options);
  mounts.push(mount);
  return mount;
}

afterEach(async () => {
  for (const mount of mounts.splice(0)) await mount.stop();
});

const isMounted = async (path: string): Promise<boolean> => (await mountedOn(path)) !== undefined;

describe('a mount', () => {
  it('goes away by itself when it is unmounted, and the process ends', async () => {
    const mount = await start();
    await mount.call('unmount');
    await mount.exited;
    expect(await isMounted(mount.path)).toBe(false);
  });

  it('notices an unmount by someone else', async () => {
    const mount = await start();
    await run('umount', [mount.path]);
    await mount.exited;
    expect(mount.child.exitCode).toBe(0);
  });

  it('goes away when the kernel has ended it, and left it where it is: umount -f while it is in use', async () => {
    const mount = await start();
    const user = spawn('sleep', ['60'], { cwd: mount.path, stdio: 'ignore' });
    onTestFinished(() => void user.kill());
    expect((await run('umount', ['-f', mount.path])).stderr).toMatch(/busy/);
    await mount.exited;
    expect(await isMounted(mount.path)).toBe(false);
  });

  it('refuses to be unmounted while it is in use, and stays', async () => {
    const mount = await start();
    const user = run('sleep', ['60'], { cwd: mount.path, timeoutMs: 90_000 });
    await waitUntil(async () => (await run('fuser', ['-m', mount.path])).code === 0);
    await expect(mount.call('unmount')).rejects.toThrow(/busy/);
    expect((await mount.shell('ls')).stdout).toBe('stalled\n');
    await run('fuser', ['-k', '-m', mount.path]);
    await user;
    await mount.call('unmount');
  });

  it.each(['detach', 'exit', 'crash'] as const)(
    'is taken away by %s, though a program uses it',
    async (way) => {
      const mount = await start();
      const user = run('bash', ['-c', 'exec 3< stalled; cat stalled; cat <&3'], { cwd: mount.path });
      await waitUntil(async () => (await mount.call<number>('stalled')) === 1);
      await mount.call(way).catch(() => undefined);
      await mount.exited;
      expect(await isMounted(mount.path)).toBe(false);
      expect((await user).code).not.toBe(0);
    },
  );

  it('whose process was killed is dead, and is recovered by the next mount', async () => {
    const first = await start();
    first.child.kill('SIGKILL');
    await first.exited;
    expect((await run('ls', [first.path])).stderr).toMatch(/Transport endpoint is not connected/);
    const second = await start({ path: first.path });
    expect((await second.shell('ls')).stdout).toBe('stalled\n');
    await second.call('unmount');
    expect(await isMounted(first.path)).toBe(false);
  });

  it('that is dead is recovered while the kernel still has the attributes of its root', async () => {
    const first = await start();
    await first.shell('stat .; stat .');
    first.child.kill('SIGKILL');
    await first.exited;
    const second = await start({ path: first.path });
    expect((await second.shell('ls')).stdout).toBe('stalled\n');
  });

  it('that hangs is taken away by force, and frees who waits in it', async () => {
    const mount = await start();
    mount.child.kill('SIGSTOP');
    const ls = spawn('ls', [mount.path], { stdio: 'ignore' });
    const exited = once(ls, 'exit');
    await waitUntil(async () => (await readFile(`/proc/${ls.pid}/wchan`, 'utf8')) === 'request_wait_answer');
    await forceUnmount(mount.path);
    expect(await exited).not.toEqual([0, null]);
    expect(await isMounted(mount.path)).toBe(false);
  });

  it('is taken away by force once, whoever else does so at the same time', async () => {
    const mount = await start();
    await Promise.all([forceUnmount(mount.path), forceUnmount(mount.path)]);
    expect(await isMounted(mount.path)).toBe(false);
  });

  it('has others beside it in the same process, and they come and go on their own', async () => {
    const mount = await start();
    const beside = await mount.call<string>('mountBeside');
    expect((await mount.shell(`echo x > a; cp a ${beside}/b; cat ${beside}/b; ls`)).stdout).toBe(
      'x\na\nstalled\n',
    );
    await mount.call('unmountBeside');
    expect(await isMounted(beside)).toBe(false);
    expect((await mount.shell('cat a')).stdout).toBe('x\n');
    await mount.call('unmount');
  });

  it('that is read-only refuses writes', async () => {
    const mount = await start({ readOnly: true });
    expect((await mount.shell('touch a; true')).stderr).toMatch(/Read-only file system/);
  });
});

describe('mounting is refused', () => {
  it('on a directory that does not exist', async () => {
    await expect(start({ path: '/nowhere/at/all' })).rejects.toThrow(/^mount-point-missing: /);
    await expect(start({ path: '/tmp/svcfs-does-not-exist' })).rejects.toThrow(
      /^mount-point-missing: .*mkdir/,
    );
  });

  it('on a file', async () => {
    await expect(start({ path: '/etc/hostname' })).rejects.toThrow(/^not-a-directory: /);
  });

  it('on a directory with something in it', async () => {
    const path = mountPoint();
    await writeFile(join(path, 'something'), '');
    await expect(start({ path })).rejects.toThrow(/^not-empty: /);
    await run('rm', ['-r', path]);
  });

  it('on a mount', async () => {
    const mount = await start();
    await expect(start({ path: mount.path })).rejects.toThrow(/^already-mounted: /);
    expect((await mount.shell('ls')).stdout).toBe('stalled\n');
  });
});
