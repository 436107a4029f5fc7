import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { leadsInto, refuseOwnFilesBelow } from '../../../../src/cli/mount/own-files.ts';
import { mustRun } from '../../../support/run.ts';
import { MAY_MOUNT } from '../../../support/small-disk.ts';

async function directories(): Promise<{ mountPoint: string; elsewhere: string }> {
  const root = dirSync({ unsafeCleanup: true });
  onTestFinished(() => root.removeCallback());
  const mountPoint = join(root.name, 'mnt');
  const elsewhere = join(root.name, 'mnt-state');
  await mkdir(mountPoint);
  await mkdir(elsewhere);
  return { mountPoint, elsewhere };
}

describe('a mount point', () => {
  it('is refused when it is, or holds, a place svcfs uses', async () => {
    const { mountPoint } = await directories();
    for (const path of [mountPoint, join(mountPoint, 'state'), join(mountPoint, 'not', 'made', 'yet')]) {
      await expect(refuseOwnFilesBelow(mountPoint, [{ what: 'state', path }])).rejects.toMatchObject({
        exit: 'mountPointUnfit',
      });
    }
  });

  it('is refused when a link leads into it', async () => {
    const { mountPoint, elsewhere } = await directories();
    await symlink(mountPoint, join(elsewhere, 'link'));
    const path = join(elsewhere, 'link', 'cache');
    await expect(refuseOwnFilesBelow(mountPoint, [{ what: 'cache', path }])).rejects.toThrow(
      /svcfs's own cache/,
    );
  });

  it('may lie beside a place of almost the same name', async () => {
    const { mountPoint, elsewhere } = await directories();
    await refuseOwnFilesBelow(mountPoint, [{ what: 'state', path: join(elsewhere, '..odd', 'x') }]);
  });
});

describe('a path leads into a mount point', () => {
  it('that it is, or lies in, or that a link on its way points to', async () => {
    const { mountPoint, elsewhere } = await directories();
    await symlink(mountPoint, join(elsewhere, 'link'));
    const paths = [mountPoint, join(mountPoint, 'not', 'made', 'yet'), join(elsewhere, 'link', 'cache')];
    for (const path of paths) expect(await leadsInto(mountPoint, path)).toBe(true);
    for (const path of [elsewhere, join(elsewhere, 'cache'), '/'])
      expect(await leadsInto(mountPoint, path)).toBe(false);
  });

  it.skipIf(!MAY_MOUNT)('that is mounted on its way too', async () => {
    const { mountPoint, elsewhere } = await directories();
    await mustRun('mount', ['--bind', mountPoint, elsewhere]);
    onTestFinished(async () => void (await mustRun('umount', [elsewhere])));
    expect(await leadsInto(mountPoint, join(elsewhere, 'cache'))).toBe(true);
  });
});
