import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { refuseOwnFilesBelow } from '../../../src/cli/mount/own-files.ts';

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
