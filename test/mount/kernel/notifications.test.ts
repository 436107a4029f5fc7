import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { ServedMount } from './served-mount.ts';

describe('invalidations', () => {
  let mount: ServedMount;

  beforeEach(async () => {
    mount = await ServedMount.start();
  });

  afterEach(() => mount.stop());

  const start = async (command: string, ...args: string[]): Promise<ChildProcess> => {
    const stalled = await mount.call<number>('stalled');
    const program = spawn(command, args, { stdio: 'ignore' });
    await waitUntil(async () => (await mount.call<number>('stalled')) > stalled);
    return program;
  };

  it('make a change by someone else visible at once, long before the timeout', async () => {
    await mount.call('placeBeforeMount');
    expect((await mount.shell('cat changed')).stdout).toBe('old\n');
    await mount.call('replaceUnseen');
    await waitUntil(async () => (await mount.shell('cat changed')).stdout === 'new\n', { timeoutMs: 5000 });
  });

  it('in bulk make all changes visible at once', async () => {
    await mount.call('placeBeforeMount');
    expect((await mount.shell('cat changed')).stdout).toBe('old\n');
    await mount.call('replaceManyUnseen');
    await waitUntil(async () => (await mount.shell('cat changed')).stdout === 'newer\n', { timeoutMs: 5000 });
  });

  it('by the thousand do not hang the mount during a stalled rename and a stalled read', async () => {
    await mount.shell('mkdir other; echo x > stalled-rename; echo y > free');
    const cat = await start('cat', mount.in('stalled'));
    const mv = await start('mv', mount.in('stalled-rename'), mount.in('other', 'renamed'));
    const exits = [once(cat, 'exit'), once(mv, 'exit')];
    await mount.call('invalidateMany');
    // A file that is neither looked up nor read through the locked directory: its handle is all that is needed.
    expect(await mount.call<number>('stalled')).toBe(2);
    expect((await mount.shell('stat -f . > /dev/null; echo served')).stdout).toBe('served\n');
    await mount.call('invalidateMany');
    await mount.call('release');
    expect((await Promise.all(exits)).map(([code]) => code)).toEqual([0, 0]);
    expect((await mount.shell('cat other/renamed free')).stdout).toBe('x\ny\n');
    await mount.call('unmount');
  });

  /** Such as are about the directory that a stalled program changes are held back until it is answered. */
  const expectOthersSent = async (program: ChildProcess): Promise<void> => {
    const exit = once(program, 'exit');
    await mount.call('changeStalledDirectory');
    await mount.call('replaceUnseen');
    try {
      await waitUntil(async () => (await mount.shell('cat changed')).stdout === 'new\n', { timeoutMs: 5000 });
    } finally {
      // Or not even a kill would end the mount.
      await mount.call('release');
    }
    expect(await exit).toEqual([expect.any(Number), null]);
  };

  it.each([
    ['set', ['-n', 'user.stalled', '-v', 'new']],
    ['removed', ['-x', 'user.stalled']],
  ])('of other names do not wait for an attribute of a directory that is being %s', async (_, change) => {
    await mount.call('placeBeforeMount');
    expect((await mount.shell('mkdir directory; cat changed')).stdout).toBe('old\n');
    await expectOthersSent(await start('setfattr', ...change, mount.in('directory')));
  });

  it.each([
    ['moved', 'mv', ['to']],
    ['removed', 'rmdir', []],
  ])('of other names do not wait for a directory that is being %s', async (_, program, to) => {
    await mount.call('placeBeforeMount');
    expect((await mount.shell('mkdir -p from/stalled to; cat changed')).stdout).toBe('old\n');
    await expectOthersSent(
      await start(program, mount.in('from', 'stalled'), ...to.map((name) => mount.in(name))),
    );
  });
});
