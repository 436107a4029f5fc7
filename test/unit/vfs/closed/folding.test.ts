/** `--write-back`: what a program does to a file soon after its close goes with the upload. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { TEMPORARY_IN_PROJECTS } from '../../../../src/config/temporary-names.ts';
import type { ProjectFileNode } from '../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../src/vfs/xattr/file-metadata.ts';
import { ChangingWorld, O_RDONLY, O_WRONLY } from '../../../support/changing-world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { HeldUploads } from '../../../support/held-uploads.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const FOLD_MS = 1000;
const TEMPORARY = '.a.X1y2Z3';
const OPTIONS = { writeBack: true, foldMs: FOLD_MS, temporaryInProjects: TEMPORARY_IN_PROJECTS };

let world: ChangingWorld;
let clock: FakeClock;
let uploads: HeldUploads;
beforeEach(async () => {
  clock = new FakeClock();
  uploads = new HeldUploads();
  world = await ChangingWorld.start({ clock, options: OPTIONS, api: (api) => uploads.over(api) });
  await world.put('warm', 'up');
  await idle();
  await world.side.mutations.unlink({ parent: world.folder, name: 'warm' }, world.by());
  await world.tree.childrenOf(world.folder, world.by().signal);
});
afterEach(() => world.end());

const idle = () => world.side.idle(world.by().signal);
const flush = () => world.side.flush('/', world.by().signal);
const metadata = () => new FileMetadata(world.tree);
const pair = (node: ProjectFileNode, key: string, value: string) =>
  metadata().merge(node, { [key]: value }, world.by().signal);
const setattr = (node: ProjectFileNode, changes: { readonly mode?: number; readonly mtimeNs?: bigint }) =>
  world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() });
const isThere = (name: string) => waitUntil(async () => name in (await world.onPlatform()));

async function costOf(work: () => unknown): Promise<number> {
  const { stats } = world.service.services;
  stats.reset();
  await work();
  return stats.apiRequests;
}

async function described(name: string, by = world) {
  const node = (await by.child(name)) as ProjectFileNode;
  const record = await by.tree.api.files.get(node.record!.id);
  return record.kind === 'file' ? { metadata: record.metadata, tags: record.tags } : undefined;
}

it('a rename, mode, time, pairs and tags cost one request with the upload', async () => {
  const cost = await costOf(async () => {
    const node = await world.put('a', 'text');
    await setattr(node, { mode: 0o600 });
    await setattr(node, { mtimeNs: 7n });
    for (let i = 0; i < 10; i += 1) await pair(node, `k${i}`, `v${i}`);
    await metadata().setTags(node, ['t'], world.by().signal);
    await world.rename('a', 'b');
    await clock.advance(FOLD_MS);
    await idle();
  });
  expect(cost).toBe(1);
  expect(await world.onPlatform()).toEqual({ b: 'text' });
  expect(await described('b')).toMatchObject({
    metadata: { k0: 'v0', k9: 'v9', 'svcfs.mode': '600' },
    tags: ['t'],
  });
});

it('an upload waits until nothing was done to the file for a second, and two at most', async () => {
  const node = await world.put('a', 'text');
  await clock.advance(FOLD_MS - 1);
  await pair(node, 'k', '1');
  await clock.advance(FOLD_MS - 1);
  await pair(node, 'k', '2');
  expect(await world.onPlatform()).toEqual({});
  await clock.advance(2);
  await isThere('a');
  await idle();
  expect((await described('a'))?.metadata).toEqual({ k: '2' });
  await world.put('b', 'text');
  await clock.advance(FOLD_MS);
  await isThere('b');
});

it('a file that waits for that is told as waiting, and a removed one is not', async () => {
  await world.put('a', 'text');
  await world.put('gone', 'text');
  await world.side.mutations.unlink({ parent: world.folder, name: 'gone' }, world.by());
  expect(world.writer.uploads()).toEqual([
    expect.objectContaining({ label: '/one/a', state: 'waiting', sizeBytes: 4, sentBytes: 0 }),
  ]);
  await flush();
  expect(world.writer.uploads()).toEqual([]);
});

it('what is written in place soon after is uploaded first as it was closed; what is appended is not', async () => {
  const node = await world.put('a', 'old');
  const handle = await world.open(node, O_WRONLY);
  await world.write(handle, ' and more', 3);
  expect(await world.onPlatform()).toEqual({});
  await world.close(handle);
  await world.put('a', 'new');
  expect(await world.onPlatform()).toEqual({ a: 'old and more' });
  await idle();
  expect(await world.onPlatform()).toEqual({ a: 'new' });
});

it('is written in place all the same when the upload fails', async () => {
  await world.put('a', 'old');
  uploads.held = true;
  const put = world.put('a', 'new');
  (await uploads.nth(1)).fail();
  uploads.held = false;
  await put;
  await idle();
  expect(await world.onPlatform()).toEqual({ a: 'new' });
});

it.each([
  ['svcfs flush', flush],
  ['the end of the mount', idle],
])('%s does not wait for that', async (_, end) => {
  await world.put('a', 'text');
  await end();
  expect(await world.onPlatform()).toEqual({ a: 'text' });
});

it('a file with a temporary name is renamed over another by one request, and keeps its metadata and tags', async () => {
  const old = await world.put('a', 'old');
  await pair(old, 'sample', 's1');
  await metadata().setTags(old, ['raw'], world.by().signal);
  await idle();
  const handle = await world.open((await world.child('a'))!, O_RDONLY);
  await world.close(handle);
  const cost = await costOf(async () => {
    await setattr(await world.put(TEMPORARY, 'new'), { mtimeNs: 7n });
    await world.rename(TEMPORARY, 'a');
    expect([await world.cat('a'), await world.onPlatform()]).toEqual(['new', { a: 'old' }]);
  });
  // Of the other client that looked.
  const looks = 2;
  expect(cost).toBe(looks);
  expect(await costOf(idle)).toBe(1);
  expect(await world.onPlatform()).toEqual({ a: 'new' });
  expect(await described('a')).toEqual({
    metadata: { sample: 's1', 'svcfs.mtime': '0.000000007' },
    tags: ['raw'],
  });
});

it('what is folded is done by the next mount, after a kill', async () => {
  await pair(await world.put('a', 'old'), 'sample', 's1');
  await idle();
  const node = await world.put(TEMPORARY, 'new');
  await pair(node, 'lane', '4');
  await setattr(node, { mode: 0o600, mtimeNs: 7n });
  await world.rename(TEMPORARY, 'a');
  const next = await world.afterKill({ options: OPTIONS });
  try {
    await next.side.flush('/', next.by().signal);
    expect(await world.onPlatform()).toEqual({ a: 'new' });
    expect((await described('a', next))?.metadata).toEqual({
      sample: 's1',
      lane: '4',
      'svcfs.mode': '600',
      'svcfs.mtime': '0.000000007',
    });
  } finally {
    await next.end();
  }
});

it('a refusal is told by flush, under the name that the file got', async () => {
  const node = await world.put('a', 'text');
  await pair(node, 'k', 'v');
  await world.rename('a', 'b');
  uploads.held = true;
  const flushed = flush();
  (await uploads.nth(1)).refuse();
  expect(await flushed).toMatchObject([
    { message: expect.stringContaining('/one/b was closed, and cannot be') },
  ]);
  expect([await world.cat('b'), metadata().pairs(node)]).toEqual(['text', { k: 'v' }]);
  uploads.held = false;
});

it('a file that is removed in time costs nothing', async () => {
  const cost = await costOf(async () => {
    await world.put('a', 'text');
    await world.rename('a', 'b');
    await world.side.mutations.unlink({ parent: world.folder, name: 'b' }, world.by());
    await idle();
  });
  expect(cost).toBe(0);
});
