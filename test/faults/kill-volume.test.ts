/** `kill -9` of a mount on which a program writes to a volume: the next mount brings the object to where it was to go. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BackgroundProcess } from '../support/background-process.ts';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
const PARTS = 2;
const STAGING = ['--staging-project', 'ann/study'];

let world: FaultWorld;
let big: string;
beforeAll(async () => {
  world = await FaultWorld.start({ mountArgs: STAGING });
  big = world.outside('big');
  await shell(`head -c ${PARTS * 16 * MIB} /dev/urandom > ${big}`);
});
afterEach(() => world.proxy.heal());
afterAll(() => world?.clean());

const isPart = ({ method }: SeenRequest): boolean => method === 'PUT';
const isExport = ({ method, path }: SeenRequest): boolean => method === 'POST' && path.includes('/exports');
const count = (what: (request: SeenRequest) => boolean): number => world.proxy.requests.filter(what).length;

const object = (name: string): string => world.volume('results', name);
const staged = (): Promise<string[]> => readdir(world.own('.svcfs-staging'));

/** Copies to the volume, and kills the mount when the copy waits in close(2), such a request was seen and has done its work. */
async function killAtThe(
  request: (request: SeenRequest) => boolean,
  name: string,
  isDone: () => Promise<boolean> = async () => true,
): Promise<void> {
  const before = count(request);
  const copy = new BackgroundProcess('cp', [big, object(name)]);
  onTestFinished(() => copy.end());
  await waitUntil(() => count(request) > before, { timeoutMs: 30_000 });
  await waitUntil(async () => !/"state":\s*"writing"/.test(await uploads()));
  await waitUntil(isDone, { timeoutMs: 30_000 });
  await world.killMount();
  expect(await copy.exited()).not.toBe(0);
  world.proxy.heal();
}

const uploads = (): Promise<string> => shell(`cat ${world.sandbox.path('.svcfs/uploads')}/* || true`);

async function arrives(name: string): Promise<void> {
  await waitUntil(() => isThere(name), { timeoutMs: 30_000 });
  await waitUntil(async () => (await staged()).length === 0 && (await world.leftovers()).length === 0);
  await world.remount();
  await mustRun('cmp', [big, object(name)]);
}

/** Where the service keeps the volume. */
const bucket = (...names: string[]): string => join(world.sandbox.root, 'service/buckets/results', ...names);
const isThere = async (name: string): Promise<boolean> => (await readdir(bucket())).includes(name);

/** The kept file, once it is there. */
async function recovered(name: string): Promise<string> {
  const state = join(world.sandbox.root, 'state');
  let found: string | undefined;
  await waitUntil(
    async () => {
      const paths = await readdir(state, { recursive: true });
      found = paths.find((path) => path.includes(`/recovered/${name}.`));
      return found !== undefined;
    },
    { what: 'a file was kept', timeoutMs: 30_000 },
  );
  return join(state, found ?? '');
}

it('before all parts are sent', async () => {
  world.proxy.inject({ kind: 'slow-uplink', bytesPerSecond: MIB }, { when: isPart });
  await killAtThe(isPart, 'in-parts');
  await world.mount();
  await arrives('in-parts');
});

it('before the export is asked for', async () => {
  world.proxy.inject({ kind: 'answer', status: 503 }, { when: isExport });
  await killAtThe(isExport, 'uploaded');
  const parts = count(isPart);
  await world.mount();
  await arrives('uploaded');
  expect(count(isPart)).toBe(parts);
});

it('before it hears of the export that it asked for', async () => {
  world.proxy.inject({ kind: 'stall', afterBytes: 0 }, { when: isExport });
  await killAtThe(isExport, 'exported', () => isThere('exported'));
  await world.mount();
  await arrives('exported');
});

it('before what was uploaded for it could be removed', async () => {
  const isRemoval = ({ method, path }: SeenRequest): boolean =>
    method === 'DELETE' && path.startsWith('/v2/files/');
  world.proxy.inject({ kind: 'answer', status: 500 }, { when: isRemoval });
  await mustRun('cp', [big, object('removed-late')]);
  expect(await staged()).toHaveLength(1);
  await world.killMount();
  world.proxy.heal();
  await world.mount();
  await arrives('removed-late');
});

it('after it was closed under a name that tools use for a moment: it goes to the staging folder', async () => {
  await mustRun('cp', [big, object('.reads.2FDMwM')]);
  expect(await isThere('.reads.2FDMwM')).toBe(false);
  await world.killMount();
  await world.mount();
  await waitUntil(async () => (await world.leftovers()).length === 0, { timeoutMs: 30_000 });
  await world.remount();
  const [name = ''] = await staged();
  expect(name).toMatch(/^\.reads\.2FDMwM\./);
  await mustRun('cmp', [big, world.own('.svcfs-staging', name)]);
  await rm(world.own('.svcfs-staging', name));
});

it('after its close was acknowledged with --write-back, and before its --export-delay is over', async () => {
  await world.remount([...STAGING, '--write-back', '--export-delay', '600']);
  await mustRun('cp', [big, object('delayed')]);
  await mustRun('cmp', [big, object('delayed')]);
  expect(await isThere('delayed')).toBe(false);
  await world.killMount();
  await world.mount(STAGING);
  const isOver = /results\/delayed".*upload finished/;
  await waitUntil(async () => isOver.test(await world.sandbox.logs()), { timeoutMs: 30_000 });
  await arrives('delayed');
});

it('before another client puts an object there: that object stays, and the written file is kept for a person', async () => {
  world.proxy.inject({ kind: 'answer', status: 503 }, { when: isExport });
  await killAtThe(isExport, 'disputed');
  await shell(`echo other > ${world.outside('other')}`);
  await mustRun('cp', [world.outside('other'), bucket('disputed')]);
  await world.mount();
  await waitUntil(async () => (await staged()).length === 0 && (await world.leftovers()).length === 0);
  await mustRun('cmp', [world.outside('other'), object('disputed')]);
  const kept = await recovered('disputed');
  await mustRun('cmp', [big, kept]);
  expect(await world.sandbox.logs()).toContain(kept);
  expect(await world.sandbox.svcfs(['recover', 'drop', '--yes', kept])).toMatchObject({ code: 0 });
});

describe('before a mount without a staging project: it says so, and the mount after it brings the file there', () => {
  it.each([
    ['uploaded before', isExport, { kind: 'answer', status: 503 }],
    ['uploaded by it', isPart, { kind: 'slow-uplink', bytesPerSecond: MIB }],
  ] as const)('%s', async (when, request, fault) => {
    const name = when.replaceAll(' ', '-');
    world.proxy.inject(fault, { when: request });
    await killAtThe(request, name);
    await world.mount([]);
    const told = new RegExp(`results/${name}.*--staging-project`);
    await waitUntil(async () => told.test(await world.sandbox.logs()), { timeoutMs: 30_000 });
    expect(await isThere(name)).toBe(false);
    expect(await world.unmount()).toMatchObject({ code: 16, stderr: expect.stringContaining(name) });
    await world.mount(STAGING);
    await arrives(name);
  });
});
