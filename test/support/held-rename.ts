/**
 * A rename that waits at the service while an invalidation of its folder waits inside the kernel for the rename: whoever kills
 * the mount's process then leaves one that the kernel keeps.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { identify, type ProcessIdentity } from '../../src/lib/process-identity.ts';
import { BackgroundProcess } from './background-process.ts';
import type { SeenRequest } from './fault-proxy.ts';
import type { FaultWorld } from './fault-world.ts';
import { mustRun, run } from './run.ts';
import { waitUntil } from './wait-until.ts';

/** Of the mount. */
export const TTL_S = 1;
/** Of the system's Perl, which every user may run. */
const RENAME = 'rename $ARGV[0], $ARGV[1] or exit 1';

export async function processOf(
  { sandbox }: FaultWorld,
  script: 'daemon' | 'watchdog',
): Promise<ProcessIdentity> {
  const found = (await sandbox.processes()).find(({ command }) => command.includes(`${script}.js`));
  const identity = found && (await identify(found.pid));
  if (identity === undefined) throw new Error(await sandbox.describe());
  return identity;
}

export async function killed({ pid }: ProcessIdentity): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => (await identify(pid)) === undefined, { what: 'the process ended' });
}

/** Whether the kernel keeps a thread of the process in an invalidation; `as` has the process's own user look. */
async function isInvalidating({ pid }: ProcessIdentity, as: readonly string[]): Promise<boolean> {
  const { stdout } = await run('setpriv', [...as, 'bash', '-c', `cat /proc/${pid}/task/*/wchan`]);
  return /inval|rwsem/.test(stdout);
}

async function entryOf(world: FaultWorld, query: string, name: string): Promise<string> {
  const { items } = await world.api<{ items: readonly { id: string; name: string }[] }>(`/files?${query}`);
  return items.find((item) => item.name === name)?.id ?? '';
}

/**
 * A rename in a folder of which another client has just removed a file. The kernel locks the folder and looks the name up; the
 * mount finds the change then, and its invalidation waits for the lock. The rename itself waits at the service.
 */
export async function renameDuringInvalidation(
  world: FaultWorld,
  folder: string,
  uid = 0,
): Promise<{ readonly rename: BackgroundProcess; readonly daemon: ProcessIdentity }> {
  const path = world.own(folder);
  const as = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
  const script = `mkdir '${path}' && cd '${path}' && echo a >removed && echo b >old && ls -l`;
  await mustRun('setpriv', [...as, 'bash', '-euc', script]);
  const removed = await entryOf(
    world,
    `parent=${await entryOf(world, 'project=ann/study', folder)}`,
    'removed',
  );
  const answer = await fetch(`${world.origin}/v2/files/${removed}`, {
    method: 'DELETE',
    headers: { 'X-SVC-Auth-Token': world.token },
  });
  expect(answer.status).toBe(204);
  await delay(TTL_S * 1000 + 100);
  const isChange = ({ method }: SeenRequest): boolean => method !== 'GET';
  world.proxy.inject({ kind: 'stall', afterBytes: 0 }, { when: isChange });
  const rename = new BackgroundProcess('setpriv', [
    ...as,
    '/usr/bin/perl',
    '-e',
    RENAME,
    `${path}/old`,
    `${path}/new`,
  ]);
  const daemon = await processOf(world, 'daemon');
  await waitUntil(() => isInvalidating(daemon, as), { what: 'an invalidation that waits' });
  return { rename, daemon };
}
