/** The service is gone for a while under the mount: what is asked meanwhile waits, and nothing waits for ever. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BackgroundProcess } from '../support/background-process.ts';
import { attempt, errorOf, FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

const BIG_BYTES = 24 * 1024 * 1024;
/** Waiting that long shows that something waits. */
const PATIENCE_MS = 1500;

let world: FaultWorld;
let big: string;
let small: string;
beforeAll(async () => {
  world = await FaultWorld.start();
  big = world.outside('big');
  small = world.outside('small');
  await shell(`head -c ${BIG_BYTES} /dev/urandom > ${big}; echo small > ${small}`);
  await shell(`cd ${world.own()}; mkdir -p folder/sub; cp ${small} folder/; cp ${big} uncached`);
});
afterAll(() => world?.clean());

/** No connection can be made; the service itself ends and begins anew. */
async function goAway(): Promise<void> {
  await world.proxy.down();
  await world.stopService();
}

async function comeBack(): Promise<void> {
  await world.startService();
  await world.proxy.up();
}

/** Programs that use the mount, ended with the test if they do not end by themselves. */
function start(...scripts: readonly string[]): readonly BackgroundProcess[] {
  const programs = scripts.map((script) => new BackgroundProcess('bash', ['-c', script], { LC_ALL: 'C' }));
  onTestFinished(async () => {
    for (const program of programs) await program.end();
  });
  return programs;
}

describe('a mount of which the service was stopped', () => {
  // Knows nothing yet, so that everything has to be asked for.
  beforeEach(() => world.remount());

  it('lets programs wait, and go on when it is started again', async () => {
    await mustRun('ls', [world.own()]);
    await goAway();
    const waiting = start(
      `ls ${world.own('folder')}`,
      `cmp ${big} ${world.own('uncached')}`,
      `cp ${small} ${world.own('small')}`,
      `cp ${big} ${world.own('copied')}`,
      `mkdir ${world.own('made')}`,
      `setfattr -n user.sample -v s1 ${world.own('uncached')}`,
    );
    await delay(PATIENCE_MS);
    expect(waiting.map(({ running }) => running)).toEqual(waiting.map(() => true));
    await comeBack();
    const ends = await Promise.all(waiting.map(async (program) => [await program.exited(), program.stderr]));
    expect(ends).toEqual(waiting.map(() => [0, '']));
    expect(waiting[0]?.stdout).toBe('small\nsub\n');
    expect(await world.files()).toEqual(['copied', 'folder', 'made', 'small', 'uncached']);
    await mustRun('cmp', [big, world.own('copied')]);
    expect(await world.leftovers()).toEqual([]);
  });

  it('lets Ctrl-C end a program that waits', async () => {
    await mustRun('ls', [world.own()]);
    await goAway();
    const waiting = start(
      `exec ls ${world.own('folder')}`,
      `exec cat ${world.own('uncached')}`,
      `exec cp ${small} ${world.own('interrupted')}`,
      `exec mkdir ${world.own('interrupted-folder')}`,
    );
    await delay(PATIENCE_MS);
    const since = Date.now();
    for (const program of waiting) program.signal('SIGINT');
    await Promise.all(waiting.map((program) => program.exited()));
    expect(Date.now() - since).toBeLessThan(2000);
    await comeBack();
    // The call may still have been carried out, but whole.
    await world.remount();
    expect(await world.leftovers()).toEqual([]);
  });

  it('can be unmounted', async () => {
    await mustRun('ls', [world.own()]);
    await goAway();
    const unmounted = await world.unmount();
    await comeBack();
    expect(unmounted).toMatchObject({ code: 0 });
    await world.mount();
  });

  it('can be unmounted by force while a program waits; its file is finished by the next mount', async () => {
    await mustRun('ls', [world.own()]);
    await goAway();
    const [copy] = start(`exec cp ${big} ${world.own('later')}`);
    await delay(PATIENCE_MS);
    const unmounted = await world.unmount(['--force']);
    await copy?.exited();
    expect(unmounted).toMatchObject({ code: 16, stderr: expect.stringContaining(world.own('later')) });
    expect(await world.sandbox.processes()).toEqual([]);
    await comeBack();
    await world.mount();
    await waitUntil(async () => (await world.files()).includes('later'));
    await mustRun('cmp', [big, world.own('later')]);
    await waitUntil(async () => (await world.leftovers()).length === 0);
  });
});

describe('a mount with a short --retry-timeout', () => {
  beforeAll(() => world.remount(['--retry-timeout', '2']));

  it('answers EIO with a reason after that time, leaves nothing behind, and works when the service is back', async () => {
    await mustRun('ls', [world.own()]);
    await goAway();
    const scripts = {
      ls: `ls ${world.own('folder')}`,
      cat: `cat ${world.own('uncached')}`,
      cp: `cp ${small} ${world.own('never')}`,
      mkdir: `mkdir ${world.own('never-made')}`,
      setfattr: `setfattr -n user.sample -v s2 ${world.own('uncached')}`,
    };
    const ends = await Promise.all(
      Object.entries(scripts).map(async ([name, script]) => {
        const { code, stderr } = await attempt('bash', ['-c', script], { timeoutMs: 30_000 });
        return { name, failed: code !== 0, says: stderr.includes('Input/output error') };
      }),
    );
    expect(ends).toEqual(Object.keys(scripts).map((name) => ({ name, failed: true, says: true })));
    const errors = await mustRun('cat', [world.sandbox.path('.svcfs/errors')]);
    for (const name of ['folder', 'uncached', 'never', 'never-made']) {
      expect(errors).toMatch(new RegExp(`/${name}: .*EIO.*did not answer`));
    }
    await comeBack();
    expect(await errorOf(world.own('uncached'))).toMatch(/EIO.*did not answer/);
    expect(await errorOf(world.own())).toMatch(/EIO.*did not answer/);
    expect(await world.leftovers()).toEqual([]);
    await shell(Object.values(scripts).join('\n'));
    expect(await world.files()).toEqual(expect.arrayContaining(['never', 'never-made']));
  });

  it('answers EIO when it is the store that does not answer, and reads when it does again', async () => {
    await world.remount(['--retry-timeout', '2']);
    const heal = world.proxy.inject({ kind: 'drop' }, { when: ({ path }) => !path.startsWith('/v2/') });
    const { code, stderr } = await attempt('cat', [world.own('uncached')], { timeoutMs: 20_000 });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('Input/output error') });
    expect(await errorOf(world.own('uncached'))).toMatch(/EIO/);
    heal();
    await mustRun('cmp', [big, world.own('uncached')]);
  });

  it.each([
    ['drips a byte at a time', { kind: 'drip', everyMs: 200 }],
    ['does not come', { kind: 'silence' }],
  ] as const)('answers EIO when an answer %s', async (_, fault) => {
    await world.remount(['--retry-timeout', '2']);
    const heal = world.proxy.inject(fault, { when: ({ path }) => /\/files\/[^/]+\/list/.test(path) });
    onTestFinished(heal);
    const since = Date.now();
    const { code, stderr } = await attempt('ls', [world.own('folder')], { timeoutMs: 30_000 });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Input/output error') });
    // Twice the limit and more: the machine may be busy. An answer would take minutes.
    expect(Date.now() - since).toBeLessThan(15_000);
    heal();
    await mustRun('ls', [world.own('folder')]);
  });
});
