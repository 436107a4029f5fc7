import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { AsideJournal } from '../../../../../src/vfs/change/aside/aside-journal.ts';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import type { ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
beforeEach(async () => {
  world = await ChangingWorld.start();
});
afterEach(() => world.end());

const unlink = (name: string): unknown =>
  world.side.mutations.unlink({ parent: world.folder, name }, world.by());
const rmdir = (name: string): unknown =>
  world.side.mutations.rmdir({ parent: world.folder, name }, world.by());
const mkdir = (name: string, parent = world.folder): unknown =>
  world.side.mutations.mkdir({ parent, name }, 0o755, world.by());

async function failure(work: unknown): Promise<string | undefined> {
  try {
    await work;
  } catch (error) {
    return errnoOf(error);
  }
  return undefined;
}

it('deletes a file', async () => {
  await world.put('a', 'text');
  await unlink('a');
  expect(await world.onPlatform()).toEqual({});
  expect(await world.child('a')).toBeUndefined();
});

it('keeps an unlinked file readable until it is closed, then deletes it', async () => {
  const node = await world.put('a', 'text');
  const handle = await world.open(node, O_RDONLY);
  await unlink('a');
  expect(await world.child('a')).toBeUndefined();
  expect(await world.read(handle)).toBe('text');
  expect(world.tree.attributesOf(node).attributes).toMatchObject({ nlink: 0, sizeBytes: 4 });
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({});
});

/** Of what is only deleted with its last handle nothing can be noted: the disk is full by then. */
function withFullJournal(): void {
  const { put } = AsideJournal.prototype;
  const full = vi.spyOn(AsideJournal.prototype, 'put').mockImplementation(function (
    this: AsideJournal,
    entry,
  ) {
    const isFull = entry.kind === 'unlinked';
    return isFull
      ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
      : put.call(this, entry);
  });
  onTestFinished(() => full.mockRestore());
}

it('leaves an open file where it is when the journal cannot be written', async () => {
  const handle = await world.open(await world.put('a', 'text'), O_RDONLY);
  withFullJournal();
  expect(await failure(unlink('a'))).toBeDefined();
  expect(await world.onPlatform()).toEqual({ a: 'text' });
  await world.close(handle);
});

it('replaces an open file though the journal cannot be written any more, and deletes it with its last handle', async () => {
  const handle = await world.open(await world.put('a', 'old'), O_RDONLY);
  await world.put('new', 'text');
  withFullJournal();
  await world.rename('new', 'a');
  expect(await world.cat('a')).toBe('text');
  expect(await world.read(handle)).toBe('old');
  expect(world.tree.errors.lastAt('/one/a')).toBeDefined();
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ a: 'text' });
});

it('the next mount deletes a file that was replaced though that could not be noted', async () => {
  await world.open(await world.put('a', 'old'), O_RDONLY);
  await world.put('new', 'text');
  withFullJournal();
  await world.rename('new', 'a');
  const next = await world.afterKill();
  expect(await next.onPlatform()).toEqual({ a: 'text' });
  await next.end();
});

it('shows an unlinked file that is still open in no listing', async () => {
  const handle = await world.open(await world.put('a', 'text'), O_RDONLY);
  await unlink('a');
  const [aside = ''] = Object.keys(await world.onPlatform());
  world.tree.expire(world.folder);
  expect(await world.tree.childrenOf(world.folder, world.by().signal)).toEqual([]);
  expect(await world.child(aside)).toBeUndefined();
  await world.close(handle);
});

it('never publishes a file that was unlinked before it was closed', async () => {
  const { handle } = await world.create('tmp');
  await world.write(handle, 'scratch');
  await unlink('tmp');
  expect(await world.read(handle)).toBe('scratch');
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({});
});

it('lets a new file have the name of an unlinked one that is still open', async () => {
  const { handle } = await world.create('tmp');
  await world.write(handle, 'scratch');
  await unlink('tmp');
  await world.put('tmp', 'new');
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ tmp: 'new' });
});

it('removes an empty folder and no other', async () => {
  const sub = (await mkdir('sub')) as ProjectFolderNode;
  await world.put('file', 'text', sub);
  expect(await failure(rmdir('sub'))).toBe('ENOTEMPTY');
  await world.side.mutations.unlink({ parent: sub, name: 'file' }, world.by());
  await rmdir('sub');
  expect(await world.onPlatform()).toEqual({});
});

it('does not remove a folder in which another client put something', async () => {
  const sub = (await mkdir('sub')) as ProjectFolderNode;
  await world.user.upload(sub.record!.id, 'theirs', 'text');
  expect(await failure(rmdir('sub'))).toBe('ENOTEMPTY');
  expect(await world.child('theirs', sub)).toBeDefined();
});

it('removes a folder that another client has emptied', async () => {
  const sub = (await mkdir('sub')) as ProjectFolderNode;
  const { record } = await world.put('file', 'text', sub);
  await world.user.call('DELETE', `/files/${record!.id}`);
  await rmdir('sub');
  expect(await world.onPlatform()).toEqual({});
});

it('does not remove a folder with a file that is not published yet', async () => {
  const sub = (await mkdir('sub')) as ProjectFolderNode;
  const { handle } = await world.create('new', { parent: sub });
  expect(await failure(rmdir('sub'))).toBe('ENOTEMPTY');
  await world.close(handle);
  expect(await world.onPlatform(sub)).toEqual({ new: '' });
});
