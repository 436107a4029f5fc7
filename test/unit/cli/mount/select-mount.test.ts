import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { locate, locateAll } from '../../../../src/cli/mount/select-mount.ts';
import type { MountTable } from '../../../../src/fuse/mount-table.ts';

let root: string;
beforeEach(async () => {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(removeCallback);
  root = name;
  for (const folder of ['mnt', 'other', 'deep']) await mkdir(at(folder));
});

const at = (...names: readonly string[]): string => join(root, ...names);

/** On `mnt` a mount of svcfs, on `other` one of something else. Neither is there to be looked into. */
const readTable = async (): Promise<MountTable> => (path) => {
  if (path === at('mnt')) return { mountPoint: path, type: 'fuse.svcfs', deviceMinor: 1 };
  if (path === at('other')) return { mountPoint: path, type: 'ext4', deviceMinor: 2 };
  return undefined;
};

describe('the mount of a path', () => {
  it('is found for the mount itself, and for what is below it, there or not', async () => {
    for (const path of ['/', '/a', '/a/b/c']) {
      expect(await locate(at('mnt', path), readTable)).toMatchObject({
        mount: { mountPoint: at('mnt') },
        path,
      });
    }
  });

  it.each([
    ['to a folder in it', () => at('mnt', 'a', 'b')],
    ['from one directory to the next', () => '../mnt/a/b'],
  ])('is found over a link %s', async (_, target) => {
    await symlink(target(), at('deep', 'link'));
    await symlink('deep/link', at('link'));
    expect(await locate(at('link', 'c'), readTable)).toMatchObject({ path: '/a/b/c' });
  });

  it('is none for what is in another file system, beside it, nowhere, or a link to itself', async () => {
    await symlink('loop', at('loop'));
    for (const path of ['other/a', 'mnt2', 'absent/mnt', 'loop/a'])
      expect(await locate(at(path), readTable)).toBeUndefined();
  });

  it('is looked for in one reading of the table, for however many paths', async () => {
    const read = vi.fn(readTable);
    await locate(at('mnt/a/b/c'), read);
    expect(read).toHaveBeenCalledTimes(1);
    await locateAll([at('mnt/a'), at('other/a'), at('mnt/b')], read);
    expect(read).toHaveBeenCalledTimes(2);
  });
});

describe('several paths', () => {
  it('are told apart by whether they are in a mount', async () => {
    const { mounts, outside } = await locateAll([at('mnt/a'), at('other/a'), at('mnt/b')], readTable);
    expect(mounts).toMatchObject([{ mount: { mountPoint: at('mnt') }, paths: ['/a', '/b'] }]);
    expect(outside).toMatchObject({
      failures: [{ path: at('other/a'), reason: 'not in a mount of svcfs' }],
      failed: 1,
    });
  });

  it('of which none is in a mount are refused', async () => {
    await expect(locateAll([at('other/a'), root], readTable)).rejects.toMatchObject({ exit: 'notMounted' });
  });
});
