import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountedOn } from '../../../src/fuse/mount-table.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { ServedMount } from './served-mount.ts';

describe('the same file system over fuse-native', () => {
  let mount: ServedMount;

  beforeAll(async () => {
    mount = await ServedMount.start({ driver: 'fuse-native' });
  });

  afterAll(async () => {
    await mount.stop();
  });

  const shell = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await mount.shell(script);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return stdout;
  };

  it('is of the same type', async () => {
    expect(await shell('findmnt -n -o FSTYPE,SOURCE,OPTIONS --target .')).toMatch(
      /fuse.svcfs +svcfs-test +rw,nosuid,nodev,.*default_permissions/,
    );
  });

  it('lists, creates, appends, truncates, reads and removes', async () => {
    expect(
      await shell(
        'mkdir -p d/e; echo one > d/a; echo two >> d/a; cat d/a; truncate -s 3 d/a; cat d/a; ls -l d | wc -l; rm -r d; ls',
      ),
    ).toBe('one\ntwo\none3\nstalled\n');
  });

  it('copies trees and files of several MiB in and out', async () => {
    expect(
      await shell(
        'head -c 5M /dev/urandom > big; cp big big2; cmp big big2; mkdir t; cp -r /usr/include/linux t; diff -r /usr/include/linux t/linux; rm -r t big big2; echo ok',
      ),
    ).toBe('ok\n');
  });

  it('renames, links by name, changes modes and owners', async () => {
    expect(
      await shell(
        'echo x > a; echo y > b; mv a b; cat b; ln -s b l; readlink l; chmod 600 b; chown 12 b; stat -c %a:%u:%g b; rm b l',
      ),
    ).toBe('x\nb\n600:12:0\n');
  });

  it('stores, lists and removes attributes', async () => {
    expect(
      await shell(
        'touch a; setfattr -n user.k -v v a; getfattr -d a; setfattr -x user.k a; getfattr -d a; rm a',
      ),
    ).toBe('# file: a\nuser.k="v"\n\n');
  });

  it('has room for more than the package can count', async () => {
    const [, free = ''] = (await shell('df --output=avail,iavail .')).trim().split('\n');
    for (const count of free.trim().split(/ +/)) expect(Number(count)).toBeGreaterThan(2 ** 31);
  });

  it('answers EIO for what a handler throws by mistake, and goes on', async () => {
    expect((await mount.shell('ls bug; true')).stderr).toMatch(/Input\/output error/);
    expect(await shell('ls')).toBe('stalled\n');
  });

  it('gives back all references and handles', async () => {
    await waitUntil(async () => {
      const { lookups, handles } = await mount.call<{ lookups: number; handles: number }>('references');
      return lookups === 0 && handles === 0;
    });
  });

  it('unmounts, and lets the process end', async () => {
    await mount.call('unmount');
    await mount.exited;
    expect(await mountedOn(mount.path)).toBeUndefined();
  });
});
