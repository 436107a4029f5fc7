/** `kill -9` of the mount or of the service while a file goes up: nothing that was acknowledged is lost. */
import { readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { UploadProgress } from '../../src/content/ports.ts';
import { encodeEntry } from '../../src/content/write/journal/journal-entry.ts';
import { journalLines } from '../../src/content/write/journal/journal-lines.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
const PARTS = 3;

let world: FaultWorld;
let big: string;
beforeAll(async () => {
  world = await FaultWorld.start();
  big = world.outside('big');
  await shell(`head -c ${PARTS * 16 * MIB} /dev/urandom > ${big}`);
});
afterEach(() => world.proxy.heal());
afterAll(() => world?.clean());

const isPart = ({ method }: SeenRequest): boolean => method === 'PUT';

function start(command: string, ...args: readonly string[]): BackgroundProcess {
  const program = new BackgroundProcess(command, args);
  onTestFinished(() => program.end());
  return program;
}

/** A copy that waits in close(2): its first part has arrived, the others take their time. */
async function copyHalf(name: string): Promise<BackgroundProcess> {
  const before = partsSent();
  world.proxy.inject({ kind: 'slow-uplink', bytesPerSecond: 16 * MIB }, { when: isPart, times: 1 });
  world.proxy.inject({ kind: 'slow-uplink', bytesPerSecond: MIB }, { when: isPart });
  const copy = start('cp', big, world.own(name));
  await waitUntil(() => partsSent() === before + PARTS);
  await waitUntil(async () => {
    const upload = await shell(`cat ${world.sandbox.path('.svcfs/uploads')}/*`);
    const { state, storedBytes } = JSON.parse(upload) as UploadProgress;
    return state === 'publishing' && storedBytes > 0;
  });
  return copy;
}

const partsSent = (): number => world.proxy.requests.filter(isPart).length;

describe('the mount killed', () => {
  it('while a file is closed: the next mount finishes it, and sends only the parts that had not arrived', async () => {
    const copy = await copyHalf('closed');
    await world.killMount();
    expect(await copy.exited()).not.toBe(0);
    world.proxy.heal();
    const before = partsSent();
    await world.mount();
    await waitUntil(async () => (await world.files()).includes('closed'), { timeoutMs: 30_000 });
    expect(partsSent() - before).toBe(PARTS - 1);
    await waitUntil(async () => (await world.leftovers()).length === 0);
    await world.remount();
    await mustRun('cmp', [big, world.own('closed')]);
  });

  it('while a file is closed, and the machine restarted: what was not synced is kept for a person', async () => {
    const copy = await copyHalf('restarted');
    await world.killMount();
    expect(await copy.exited()).not.toBe(0);
    await asOfEarlierRun();
    world.proxy.heal();
    await world.mount();
    await waitUntil(async () => (await world.leftovers()).length === 0);
    expect(await world.files()).not.toContain('restarted');
    const kept = await recovered('restarted');
    await mustRun('cmp', [big, kept]);
    const log = await world.sandbox.logs();
    expect(log).toMatch(
      /restarted[^\n]*machine may have been restarted before all of its bytes were on the disk/,
    );
    expect(log).toContain(kept);
    expect(await world.sandbox.svcfs(['recover', 'drop', '--yes', kept])).toMatchObject({ code: 0 });
  });

  it('while a file is open: what was synced is kept for a person, and the name stays free', async () => {
    const program = start('python3', '-c', SYNC_AND_WAIT, big, world.own('open'));
    await program.says(/synced/);
    await world.killMount();
    await program.end();
    await world.mount();
    expect(await world.files()).not.toContain('open');
    await waitUntil(async () => (await world.leftovers()).length === 0);
    const kept = await recovered('open');
    await mustRun('cmp', [big, kept]);
    const log = await world.sandbox.logs();
    expect(log).toContain(kept);
    expect(log).toMatch(/still being written when the mount ended/);
    expect(await world.sandbox.svcfs(['recover', 'drop', '--yes', kept])).toMatchObject({ code: 0 });
  });
});

/** The journals, as if the machine had been started again since. */
async function asOfEarlierRun(): Promise<void> {
  const state = join(world.sandbox.root, 'state');
  const paths = await readdir(state, { recursive: true });
  for (const path of paths.filter((each) => basename(each) === 'journal')) {
    const earlier: string[] = [];
    for await (const { entry } of journalLines(join(state, path))) {
      if (entry?.type === 'draft')
        earlier.push(encodeEntry({ ...entry, draft: { ...entry.draft, bootId: 'earlier' } }));
      else if (entry) earlier.push(encodeEntry(entry));
    }
    await writeFile(join(state, path), earlier.join(''));
  }
}

const SYNC_AND_WAIT = `
import os, shutil, sys, time
with open(sys.argv[1], 'rb') as source, open(sys.argv[2], 'wb') as target:
  shutil.copyfileobj(source, target)
  target.flush()
  os.fsync(target.fileno())
  print('synced', flush=True)
  time.sleep(60)
`;

async function recovered(name: string): Promise<string> {
  const state = join(world.sandbox.root, 'state');
  const paths = await readdir(state, { recursive: true });
  const [path, ...others] = paths.filter((each) => each.includes(`/recovered/${name}.`));
  expect(others).toEqual([]);
  return join(state, path ?? 'nothing was kept');
}

describe('the service killed', () => {
  it('while a file goes up: it arrives when the service is back', async () => {
    const copy = await copyHalf('through');
    await world.stopService('SIGKILL');
    world.proxy.heal();
    await world.startService();
    expect(await copy.exited()).toBe(0);
    await world.remount();
    await mustRun('cmp', [big, world.own('through')]);
    expect(await world.leftovers()).toEqual([]);
  });
});
