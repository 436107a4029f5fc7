/**
 * A mount whose process was killed while the kernel kept one of its threads: the process is a zombie, all that it had open
 * stays open, and whatever touches the mount waits. The thread writes an invalidation and waits for the lock of a folder. A
 * rename holds that lock, and waits for the process.
 */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { identify, lingers, type ProcessIdentity } from '../../src/lib/process-identity.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun, type RunResult, shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

/** From the kill to a mount point that can be used again. */
const HEALED_WITHIN_MS = 5000;
const TTL_S = 1;
const RENAME = 'import os, sys; os.rename(sys.argv[1], sys.argv[2])';

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

async function processOf(script: 'daemon' | 'watchdog'): Promise<ProcessIdentity> {
  const found = (await world.sandbox.processes()).find(({ command }) => command.includes(`${script}.js`));
  const identity = found && (await identify(found.pid));
  if (identity === undefined) throw new Error(await world.sandbox.describe());
  return identity;
}

/** Whether the kernel keeps a thread of the process in an invalidation. */
async function isInvalidating({ pid }: ProcessIdentity): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`);
  const places = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/wchan`, 'utf8'));
  return (await Promise.all(places)).some((place) => /inval|rwsem/.test(place));
}

async function entryOf(query: string, name: string): Promise<string> {
  const { items } = await world.api<{ items: readonly { id: string; name: string }[] }>(`/files?${query}`);
  return items.find((item) => item.name === name)?.id ?? '';
}

/**
 * A rename in a folder of which another client has just removed a file. The kernel locks the folder and looks the name up; the
 * mount finds the change then, and its invalidation waits for the lock. The rename itself waits at the service.
 */
async function renameDuringInvalidation(
  folder: string,
): Promise<{ readonly rename: BackgroundProcess; readonly daemon: ProcessIdentity }> {
  const path = world.own(folder);
  await shell(`mkdir '${path}' && cd '${path}' && echo a >removed && echo b >old && ls -l`);
  const removed = await entryOf(`parent=${await entryOf('project=ann/study', folder)}`, 'removed');
  const answer = await fetch(`${world.origin}/v2/files/${removed}`, {
    method: 'DELETE',
    headers: { 'X-SVC-Auth-Token': world.token },
  });
  expect(answer.status).toBe(204);
  await delay(TTL_S * 1000 + 100);
  const isChange = ({ method }: SeenRequest): boolean => method !== 'GET';
  world.proxy.inject({ kind: 'stall', afterBytes: 0 }, { when: isChange });
  const rename = new BackgroundProcess('python3', ['-c', RENAME, `${path}/old`, `${path}/new`]);
  const daemon = await processOf('daemon');
  await waitUntil(() => isInvalidating(daemon), { what: 'an invalidation that waits' });
  return { rename, daemon };
}

async function killWatchdog(): Promise<void> {
  const { pid } = await processOf('watchdog');
  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => (await identify(pid)) === undefined, { what: 'the watchdog ended' });
}

async function killDaemon(daemon: ProcessIdentity): Promise<void> {
  process.kill(daemon.pid, 'SIGKILL');
  await waitUntil(async () => (await identify(daemon.pid)) === undefined, { what: 'the process ended' });
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
    const { rename, daemon } = await renameDuringInvalidation('watched');
    await killDaemon(daemon);
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
    const { rename, daemon } = await renameDuringInvalidation('remounted');
    await killDaemon(daemon);
    expect(await lingers(daemon)).toBe(true);
    world.proxy.heal();
    await world.mount();
    expect(await rename.exited()).not.toBe(0);
    expect(await mustRun('ls', [world.own('remounted')])).toMatch(/^(old|new)$/m);
  });

  it('is taken away by svcfs unmount, and no command waits for it', async () => {
    await killWatchdog();
    const { rename, daemon } = await renameDuringInvalidation('unmounted');
    await killDaemon(daemon);
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
    const { pid } = await processOf('daemon');
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
    const daemon = await processOf('daemon');
    process.kill(daemon.pid, 'SIGSTOP');
    expect((await within(() => world.unmount(['--force']))).stderr).toBe('');
    expect(await identify(daemon.pid)).toBeUndefined();
    await world.mount();
    await mustRun('ls', [world.own()]);
  });
});
