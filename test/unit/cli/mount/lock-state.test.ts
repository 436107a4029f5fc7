import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { isHeldToMount, writeHolder } from '../../../../src/cli/mount/lock-holder.ts';
import { lockState } from '../../../../src/cli/mount/lock-state.ts';
import { type LockRecord, readRecord, writeRecord } from '../../../../src/cli/record.ts';
import { mountDirectoryAt } from '../../../../src/config/directories.ts';
import { identify, lingers } from '../../../../src/lib/process-identity.ts';
import { createLogger } from '../../../../src/observe/logger.ts';
import { BackgroundProcess } from '../../../support/background-process.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const LOG = createLogger({ fd: 2, level: 'error' });

/** Locks a file and, when it is told, ends except for a thread. */
const LINGER = `
import ctypes, fcntl, signal, sys, threading, time
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
lock = open(sys.argv[1], 'a')
fcntl.flock(lock, fcntl.LOCK_EX)
threading.Thread(target=lambda: time.sleep(600)).start()
print('locked', flush=True)
signal.sigwait([signal.SIGUSR1])
ctypes.CDLL(None).pthread_exit(None)
`;

let root: string;
let killed: BackgroundProcess;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svcfs-state-'));
  killed = new BackgroundProcess('python3', ['-c', LINGER, join(root, 'lock')]);
  await killed.says(/locked/);
  await linger();
});
afterEach(async () => {
  await end();
  await rm(root, { recursive: true });
});

/** The lock is its own by the record too. */
async function linger(): Promise<void> {
  const path = join(root, 'lock-holder');
  await writeHolder(root, { mounts: true });
  const [record, daemon] = await Promise.all([readRecord<LockRecord>(path), identify(killed.pid)]);
  if (record === undefined || daemon === undefined) throw new Error('nobody holds the lock');
  await writeRecord<LockRecord>(path, { ...record, daemon });
  killed.signal('SIGUSR1');
  await waitUntil(() => lingers(daemon));
}

async function end(): Promise<void> {
  killed.signal('SIGKILL');
  await killed.exited();
}

it('gives the lock of a process that lingers to one process alone, also when that ends meanwhile', async () => {
  const directory = mountDirectoryAt(root);
  const first = lockState(directory, LOG);
  // The second one still waits for the file that the first one replaces, when it does so.
  await delay(1000);
  const second = lockState(directory, LOG).then(
    () => 'has the lock as well',
    (error: Error) => error.message,
  );
  const lock = await first;
  expect(lock.wasTaken).toBe(true);
  await end();
  expect(await second).toMatch(/another svcfs process serves/);
  await lock.unlock();
  const next = await lockState(directory, LOG);
  expect(next.wasTaken).toBe(false);
  await next.unlock();
});

it('tells a watchdog whether the process that has the lock may have another mount there', async () => {
  await end();
  const directory = mountDirectoryAt(root);
  for (const mounts of [true, false]) {
    const lock = await lockState(directory, LOG, { mounts });
    expect(await isHeldToMount(root)).toBe(mounts);
    await lock.unlock();
    expect(await isHeldToMount(root)).toBe(false);
  }
});

it('goes on without a lock where there are none, but not when it cannot tell whether another has it', async () => {
  await end();
  await rm(join(root, 'lock'));
  await mkdir(join(root, 'lock'));
  const directory = mountDirectoryAt(root);
  await expect(lockState(directory, LOG)).rejects.toThrow(
    `cannot lock ${root}: illegal operation on a directory; set XDG_STATE_HOME`,
  );
  await rm(join(root, 'lock'), { recursive: true });
  vi.stubEnv('PATH', root);
  onTestFinished(() => void vi.unstubAllEnvs());
  await (await lockState(directory, LOG)).unlock();
});
