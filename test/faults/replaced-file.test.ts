/** A file is renamed over another while it is still being written: the old one is lost by nothing that can go wrong. */
import { afterAll, afterEach, beforeAll, expect, it, onTestFinished } from 'vitest';
import { BackgroundProcess } from '../support/background-process.ts';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { attempt, FaultWorld } from '../support/fault-world.ts';
import { shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start();
});
afterEach(() => world.proxy.heal());
afterAll(() => world?.clean());

const isUpload = ({ path }: SeenRequest): boolean => path.includes('/upload/');

/** Reads what it opened when it gets SIGUSR1. */
const READ_LATER = `
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
with open(sys.argv[1]) as old:
  print('opened', flush=True)
  signal.sigwait([signal.SIGUSR1])
  print('has', old.read(), flush=True)
`;

/** As Python programs save files: the new one is closed after it was renamed. */
const REPLACE = `
import os, sys
with open(sys.argv[1] + '.tmp', 'w') as new:
  new.write('ne')
  new.flush()
  os.fsync(new.fileno())
  os.replace(new.name, sys.argv[1])
  new.write('w')
`;

function start(...args: readonly string[]): BackgroundProcess {
  const program = new BackgroundProcess('python3', ['-c', ...args]);
  onTestFinished(() => program.end());
  return program;
}

/** A file with `old` in it, and a program that has it open. */
async function reader(name: string): Promise<BackgroundProcess> {
  await shell(`printf old > ${world.own(name)}`);
  const program = start(READ_LATER, world.own(name));
  await program.says(/opened/);
  return program;
}

async function expectOld(program: BackgroundProcess): Promise<void> {
  program.signal('SIGUSR1');
  await program.says(/has old/);
  expect(await program.exited()).toBe(0);
}

/** At the service. */
const asides = async (): Promise<readonly string[]> =>
  (await world.files()).filter((name) => name.startsWith('.svcfs-aside-'));
const hasNoAsides = async (): Promise<boolean> => (await asides()).length === 0;
const contentOf = async (name: string): Promise<string> => (await world.content(name)).toString();

it('a file that is read while it is replaced goes when both are done', async () => {
  const program = await reader('kept');
  expect(await attempt('python3', ['-c', REPLACE, world.own('kept')])).toMatchObject({ code: 0 });
  expect(await contentOf('kept')).toBe('new');
  await expectOld(program);
  await waitUntil(hasNoAsides);
  expect(await contentOf('kept')).toBe('new');
});

it.each(['read', 'not read'])(
  'a file that is %s has its name again when the new one does not arrive',
  async (how) => {
    const name = `back-${how.replace(' ', '-')}`;
    const program = await reader(name);
    if (how === 'not read') await expectOld(program);
    world.proxy.inject({ kind: 'answer', status: 500 }, { when: isUpload });
    expect(await attempt('python3', ['-c', REPLACE, world.own(name)])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Errno 5'),
    });
    world.proxy.heal();
    expect(await shell(`cat ${world.own(name)}`)).toBe('old');
    expect(await contentOf(name)).toBe('old');
    expect(await asides()).toEqual([]);
    expect(await attempt('python3', ['-c', REPLACE, world.own(name)])).toMatchObject({ code: 0 });
    if (how === 'read') await expectOld(program);
    await waitUntil(hasNoAsides);
    expect(await shell(`cat ${world.own(name)}`)).toBe('new');
    expect(await contentOf(name)).toBe('new');
  },
);

it('a file that is read goes with the publication of the new one by the next mount, when this one is killed before it', async () => {
  const program = await reader('killed');
  const before = world.proxy.requests.filter(isUpload).length;
  world.proxy.inject({ kind: 'answer', status: 503 }, { when: isUpload });
  const writer = start(REPLACE, world.own('killed'));
  await waitUntil(() => world.proxy.requests.filter(isUpload).length > before);
  expect(await asides()).toHaveLength(1);
  await world.killMount();
  expect(await writer.exited()).not.toBe(0);
  await program.end();
  world.proxy.heal();
  await world.mount();
  await waitUntil(async () => (await world.files()).includes('killed'), { timeoutMs: 30_000 });
  await waitUntil(hasNoAsides);
  expect(await contentOf('killed')).toBe('new');
});

it('a file that is read has its name again when the mount is killed before the new one is closed', async () => {
  const program = await reader('half');
  const writer = start(
    `${REPLACE.replace("  new.write('w')\n", '')}  print('replaced', flush=True); import time; time.sleep(60)`,
    world.own('half'),
  );
  await writer.says(/replaced/);
  await world.killMount();
  await program.end();
  await writer.end();
  await world.mount();
  expect(await contentOf('half')).toBe('old');
  expect(await shell(`cat ${world.own('half')}`)).toBe('old');
  expect(await asides()).toEqual([]);
});
