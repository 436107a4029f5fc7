import { chmod, chown, stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountedOn } from '../../../src/fuse/mount-table.ts';
import { run } from '../../support/run.ts';
import { mountPoint, ServedMount } from './served-mount.ts';

const NOBODY = 65534;

/** The reason why this test cannot run here; undefined when it can. */
async function obstacle(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can become another user';
  const helper = await stat('/usr/bin/fusermount3').catch(() => undefined);
  if (helper === undefined) return 'fusermount3 is not installed';
  if ((helper.mode & 0o4000) === 0) return 'fusermount3 is not set-user-id';
  return undefined;
}

const reason = await obstacle();

describe.skipIf(reason !== undefined)(
  `a mount by an ordinary user${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    let deviceMode: number;
    let mount: ServedMount;

    beforeAll(async () => {
      deviceMode = (await stat('/dev/fuse')).mode & 0o777;
      await chmod('/dev/fuse', 0o666);
      const path = mountPoint();
      await chown(path, NOBODY, NOBODY);
      mount = await ServedMount.start({ uid: NOBODY, path });
    });

    afterAll(async () => {
      await mount.stop();
      await chmod('/dev/fuse', deviceMode);
    });

    const asNobody = (script: string): ReturnType<typeof run> =>
      run('bash', ['--norc', '-euc', script], { uid: NOBODY, gid: NOBODY, env: { M: mount.path } });

    it('works for that user through fusermount3', async () => {
      const { stdout, stderr } = await asNobody(
        'cd $M; echo hello > a; mkdir d; mv a d; cat d/a; stat -c %U d/a; findmnt -n -o FSTYPE,OPTIONS --target .',
      );
      expect(stderr).toBe('');
      expect(stdout).toMatch(
        /^hello\nnobody\nfuse.svcfs +rw,nosuid,nodev,relatime,user_id=65534,.*default_permissions/,
      );
    });

    it('is closed to everyone else, root too', async () => {
      expect((await run('ls', [mount.path])).stderr).toMatch(/Permission denied/);
    });

    it('refuses to be shared unless the administrator allows it', async () => {
      const path = mountPoint();
      await chown(path, NOBODY, NOBODY);
      await expect(ServedMount.start({ uid: NOBODY, path, allowOther: true })).rejects.toThrow(
        /^no-permission: .*user_allow_other/,
      );
      await run('rmdir', [path]);
    });

    it('is refused on a directory of someone else', async () => {
      const path = mountPoint();
      await expect(ServedMount.start({ uid: NOBODY, path })).rejects.toThrow(/^no-permission: /);
      await run('rmdir', [path]);
    });

    it('is recovered by the next mount after a kill', async () => {
      mount.child.kill('SIGKILL');
      await mount.exited;
      mount = await ServedMount.start({ uid: NOBODY, path: mount.path });
      expect((await asNobody('ls $M')).stdout).toBe('stalled\n');
    });

    it.each(['unmount', 'detach', 'exit'] as const)('is taken away by %s', async (way) => {
      if (mount.child.exitCode !== null) mount = await ServedMount.start({ uid: NOBODY, path: mount.path });
      await mount.call(way).catch(() => undefined);
      await mount.exited;
      expect(await mountedOn(mount.path)).toBeUndefined();
    });
  },
);
