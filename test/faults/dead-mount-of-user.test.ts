/**
 * As in `dead-mount.test.ts`, of a mount by an ordinary user, through fusermount3. The user who mounted may abort the
 * connection through fusectl. Where that is not mounted nobody but root can: the mount point comes away all the same, and
 * programs that wait in the dead mount wait until root ends the connection.
 */
import { chmod, stat, writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { killed, renameDuringInvalidation, TTL_S } from '../support/held-rename.ts';
import { mustRun, run } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

const NOBODY = 65534;
const CONNECTIONS = '/sys/fs/fuse/connections';
const HEALED_WITHIN_MS = 5000;

/** The reason why these tests cannot run here; undefined when they can. */
async function obstacle(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can become another user';
  const helper = await stat('/usr/bin/fusermount3').catch(() => undefined);
  return helper && (helper.mode & 0o4000) !== 0 ? undefined : 'fusermount3 is not set-user-id, or not there';
}

const reason = await obstacle();
const hasFusectl = (await run('mountpoint', ['-q', CONNECTIONS])).code === 0;

describe.skipIf(reason !== undefined)(
  `an ordinary user's mount whose killed process the kernel keeps${reason ? ` (skipped: ${reason})` : ''}`,
  () => {
    let world: FaultWorld;
    let deviceMode: number;
    beforeAll(async () => {
      deviceMode = (await stat('/dev/fuse')).mode & 0o777;
      await chmod('/dev/fuse', 0o666);
      world = await FaultWorld.start({ mountArgs: ['--metadata-ttl', String(TTL_S)], uid: NOBODY });
    });
    afterEach(() => world.proxy.heal());
    afterAll(async () => {
      await world?.clean();
      await chmod('/dev/fuse', deviceMode);
    });

    const mountFusectl = (): Promise<string> => mustRun('mount', ['-t', 'fusectl', 'none', CONNECTIONS]);
    const unmountFusectl = (): Promise<string> => mustRun('umount', [CONNECTIONS]);

    /** Answers the rename that waits, and the connection of the mount that was taken away. */
    async function killHeld(folder: string) {
      const connection = (await mountedOn(world.sandbox.mountPoint))?.deviceMinor;
      const { rename, daemon } = await renameDuringInvalidation(world, folder, NOBODY);
      await killed(daemon);
      await waitUntil(async () => (await mountedOn(world.sandbox.mountPoint)) === undefined, {
        what: 'unmounted',
        timeoutMs: HEALED_WITHIN_MS,
      });
      world.proxy.heal();
      await world.mount();
      const as = ['--reuid=65534', '--regid=65534', '--clear-groups', 'ls', world.own(folder)];
      expect(await mustRun('setpriv', as)).toMatch(/^(old|new)$/m);
      return { rename, connection };
    }

    it('is taken away, and its programs go on, where fusectl is mounted', async () => {
      if (!hasFusectl) await mountFusectl();
      try {
        const { rename } = await killHeld('aborted');
        expect(await rename.exited()).not.toBe(0);
      } finally {
        if (!hasFusectl) await unmountFusectl();
      }
    });

    it.skipIf(hasFusectl)(
      'leaves its mount point for the next one where fusectl is not mounted; root ends what waits in it',
      async () => {
        const { rename, connection } = await killHeld('detached');
        await mountFusectl();
        try {
          await writeFile(`${CONNECTIONS}/${connection}/abort`, '1');
          expect(await rename.exited()).not.toBe(0);
        } finally {
          await unmountFusectl();
        }
      },
    );
  },
);
