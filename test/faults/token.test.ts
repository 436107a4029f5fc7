/** A token that is good no more while the mount lives. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attempt, errorOf, FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

const LIFETIME_MS = 8000;

let world: FaultWorld;
let small: string;
beforeAll(async () => {
  world = await FaultWorld.start();
  small = world.outside('small');
  await shell(`echo small > ${small}; cd ${world.own()}; mkdir folder; cp ${small} file`);
});
afterAll(() => world?.clean());

/** Every program is refused, and can read why; what it began leaves nothing behind. */
async function expectRefusals(): Promise<void> {
  const scripts = [
    `cat ${world.own('file')}`,
    `cp ${small} ${world.own('new')}`,
    `cp ${small} ${world.own('file')}`,
    `mkdir ${world.own('new-folder')}`,
    `mv ${world.own('file')} ${world.own('renamed')}`,
    `rm ${world.own('file')}`,
    `setfattr -n user.sample -v s1 ${world.own('file')}`,
  ];
  for (const script of scripts) {
    const { code, stderr } = await attempt('bash', ['-c', script], { timeoutMs: 20_000 });
    expect({ script, code: code === 0, stderr }).toEqual({
      script,
      code: false,
      stderr: expect.stringContaining('Permission denied'),
    });
  }
  const reason = /token.*EACCES, code 90001, request \S+\).*run svcfs login/;
  expect(await mustRun('cat', [world.sandbox.path('.svcfs/errors')])).toMatch(reason);
  expect(await world.sandbox.logs()).toMatch(reason);
  const { stdout: status } = await world.sandbox.svcfs(['status', world.sandbox.mountPoint]);
  expect(status).toMatch(/service: refuses the token since /);
  expect(await world.files()).toEqual(['file', 'folder']);
  expect(await world.leftovers()).toEqual([]);
}

it('revoked while mounted: EACCES with a reason, and a mount with another token goes on', async () => {
  await world.operate((operator) => operator.revokeToken(world.token));
  await expectRefusals();
  await world.remountWithNewToken();
  expect(await mustRun('cat', [world.own('file')])).toBe('small\n');
});

it('expired while mounted: EACCES with a reason, and a mount with another token goes on', async () => {
  await world.remountWithNewToken({ expiresMs: Date.now() + LIFETIME_MS });
  await mustRun('ls', [world.own()]);
  // Opening a file asks the service whether it is still that file.
  const isRefused = async (): Promise<boolean> => (await attempt('cat', [world.own('file')])).code !== 0;
  await waitUntil(isRefused, { timeoutMs: 2 * LIFETIME_MS, everyMs: 500 });
  await expectRefusals();
  await world.remountWithNewToken();
  await shell(`cp ${small} ${world.own('new')} && cmp ${small} ${world.own('new')}`);
  expect(await errorOf(world.own('new'))).toBe('');
});
