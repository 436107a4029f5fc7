/**
 * A mount whose process was killed while the kernel kept one of its threads: the process is a zombie, all that it had open
 * stays open, and whatever touches the mount waits. The thread writes an invalidation and waits for the lock of a folder. A
 * rename holds that lock, and waits for the process.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { identify, lingers } from '../../src/lib/process-identity.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { killed, processOf, renameDuringInvalidation, TTL_S } from '../support/held-rename.ts';
import { mustRun, type RunResult } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

/** From the kill to a mount point that can be used again. */
const HEALED_WITHIN_MS = 5000;

let world: FaultWorld;
let mountPoint: string;
beforeAll(async () => {
  world = await FaultWorld.start({ mountArgs: ['--metadata-ttl', String(TTL_S)] });
  ({ mountPoint } = world.sandbox);
});
afterEach(async () => {
  world.proxy.heal();
  if ((await mountedOn(mountPoint)) !== undefined) await world.unmount(['--force']);
});
beforeEach(async () => {
  if ((await mountedOn(mountPoint)) === undefined) await world.mount();
});
afterAll(() => world?.clean());

async function killWatchdog(): Promise<void> {
  await killed(await processOf(world, 'watchdog'));
}

/** Long enough for programs on a busy machine, and far less than for ever. */
async function within(work: () => Promise<RunResult>): Promise<RunResult> {
  const startMs = Date.now();
  const result = await work();
  expect(Date.now() - startMs).toBeLessThan(HEALED_WITHIN_MS);
  return result;
}

describe('a mount whose killed process the kernel keeps', () => {
  it('is taken away by its watchdog, and the mount point can be used again', async () => {
    const { rename, daemon } = await renameDuringInvalidation(world, 'watched');
    await killed(daemon);
    await waitUntil(async () => (await mountedOn(mountPoint)) === undefined, {
      what: 'unmounted',
      timeoutMs: HEALED_WITHIN_MS,
    });
    expect(await rename.exited()).not.toBe(0);
    world.proxy.heal();
    await world.mount();
    expect(await mustRun('ls', [world.own('watched')])).toMatch(/^(old|new)$/m);
  });

  it('is taken away by the next mount where its watchdog is gone, too', async () => {
    await killWatchdog();
    const { rename, daemon } = await renameDuringInvalidation(world, 'remounted');
    await killed(daemon);
    expect(await lingers(daemon)).toBe(true);
    world.proxy.heal();
    await world.mount();
    expect(await rename.exited()).not.toBe(0);
    expect(await mustRun('ls', [world.own('remounted')])).toMatch(/^(old|new)$/m);
  });

  it('is taken away by svcfs unmount, and no command waits for it', async () => {
    await killWatchdog();
    const { rename, daemon } = await renameDuringInvalidation(world, 'unmounted');
    await killed(daemon);
    expect(await lingers(daemon)).toBe(true);
    expect(await within(() => world.unmount())).toMatchObject({ code: 0 });
    expect(await mountedOn(mountPoint)).toBeUndefined();
    expect(await rename.exited()).not.toBe(0);
    world.proxy.heal();
    await world.mount();
  });
});

describe('a mount whose process is stopped', () => {
  it('is told by every command that asks it, which names what helps, and goes on unharmed', async () => {
    const { pid } = await processOf(world, 'daemon');
    const inMount = world.own('nothing');
    process.kill(pid, 'SIGSTOP');
    const commands = [
      ['status'],
      ['status', mountPoint],
      ['mount', mountPoint],
      ['unmount', mountPoint],
      ['jobs', 'list'],
      ['jobs', 'wait', 'some-job'],
      ['flush', inMount],
      ['why', inMount],
      ['cache', mountPoint],
      ['cache', inMount],
      ['cache', 'evict', '--all', mountPoint],
      ['warmup', inMount],
      ['demo', mountPoint],
    ];
    const env = { SVC_API_ENDPOINT: `${world.origin}/v2`, SVC_AUTH_TOKEN: world.token };
    const outcomes = await Promise.all(
      commands.map(async (command) => {
        const result = await world.sandbox.svcfs(command, { env, timeoutMs: 60_000 });
        return { command: command.join(' '), ...result };
      }),
    );
    process.kill(pid, 'SIGCONT');
    for (const { command, code, stderr } of outcomes) {
      expect(code, command).toBe(command.startsWith('mount') || command === `demo ${mountPoint}` ? 8 : 1);
      expect(stderr, command).toMatch(
        new RegExp(`process ${pid} has not answered since \\d{4}-\\S+Z \\(\\d+ s\\)`),
      );
      expect(stderr, command).toContain(`kill -CONT ${pid}`);
      expect(stderr, command).toContain(`svcfs unmount --force ${mountPoint}`);
    }
    await mustRun('ls', [world.own()]);
    expect(await world.unmount()).toMatchObject({ code: 0 });
  });

  it('is taken away by svcfs unmount --force, and leaves room for the next', async () => {
    const daemon = await processOf(world, 'daemon');
    process.kill(daemon.pid, 'SIGSTOP');
    expect((await within(() => world.unmount(['--force']))).stderr).toBe('');
    expect(await identify(daemon.pid)).toBeUndefined();
    await world.mount();
    await mustRun('ls', [world.own()]);
  });
});
