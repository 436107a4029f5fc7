/** Attributes that were set on a file that is being written, and not sent yet, go to the file that takes its name. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import { ChangingWorld } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
beforeEach(async () => {
  world = await ChangingWorld.start();
});
afterEach(() => world.end());

const metadata = () => new FileMetadata(world.tree);

/** As setfattr(1) and the tags attribute have it. */
async function describedAs(node: ProjectFileNode, pairs: Record<string, string>, tag: string): Promise<void> {
  const { signal } = world.by();
  await metadata().merge(node, pairs, signal);
  await metadata().setTags(node, [tag], signal);
}

/** A new file with a pair and a tag, being written. */
async function draft(name: string, pairs: Record<string, string>, parent = world.folder) {
  const { node, handle } = await world.create(name, { parent });
  await world.write(handle, name);
  await describedAs(node, pairs, name);
  return { node, handle };
}

/** The file as another client sees it. */
async function onPlatform(name: string, parent: ProjectFolderNode = world.folder) {
  const node = (await world.child(name, parent)) as ProjectFileNode;
  const record = await world.tree.api.files.get(node.record!.id);
  if (record.kind !== 'file') throw new Error(`${name} is a folder`);
  return { metadata: record.metadata, tags: record.tags };
}

describe('a file renamed over one that is being written', () => {
  it('that is new has what was set on that, but for what it has itself', async () => {
    await draft('f', { sample: 's1', lane: '4' });
    const { node, handle } = await world.create('x');
    await world.write(handle, 'x');
    await metadata().merge(node, { lane: '5' }, world.by().signal);
    await world.rename('x', 'f');
    expect(metadata().pairs(node)).toEqual({ sample: 's1', lane: '5' });
    await world.close(handle);
    expect(await onPlatform('f')).toEqual({ metadata: { sample: 's1', lane: '5' }, tags: ['f'] });
  });

  it('has what that had taken the name of as well', async () => {
    const old = await world.put('f', 'old');
    await world.tree.api.files.edit(old.record!.id, { metadata: { run: 'r1', md5_sum: 'of old' } });
    await world.tree.revalidate(old, world.by().signal);
    world.tree.expire(world.folder);
    await world.tree.childrenOf(world.folder, world.by().signal);
    await draft('y', { sample: 's1' });
    await world.rename('y', 'f');
    const { handle } = await world.create('x');
    await world.write(handle, 'x');
    await world.rename('x', 'f');
    await world.close(handle);
    expect(await onPlatform('f')).toEqual({ metadata: { run: 'r1', sample: 's1' }, tags: ['y'] });
  });

  it.each(['folder', 'otherProject'] as const)(
    'in %s has what was set on that when it is on the platform itself',
    async (place) => {
      const parent = world[place];
      await draft('f', { sample: 's1' }, parent);
      await world.put('x', 'x');
      await world.rename('x', 'f', { toParent: parent });
      expect(await onPlatform('f', parent)).toEqual({ metadata: { sample: 's1' }, tags: ['f'] });
    },
  );

  it('that changes one on the platform has what both have', async () => {
    const old = await world.put('f', 'old');
    await metadata().merge(old, { run: 'r1' }, world.by().signal);
    const handle = await world.open(old, 1);
    await world.write(handle, 'new');
    await describedAs(old, { sample: 's1' }, 'raw');
    await world.put('x', 'x');
    await world.rename('x', 'f');
    expect(await onPlatform('f')).toEqual({ metadata: { run: 'r1', sample: 's1' }, tags: ['raw'] });
    await world.close(handle);
  });
});

it('a new file is not renamed over one whose metadata it could not hold together with its own', async () => {
  const pairs = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 'v']));
  await metadata().merge(await world.put('f', 'old'), pairs, world.by().signal);
  const { node, handle } = await world.create('x');
  await world.write(handle, 'x');
  await metadata().merge(node, { sample: 's1' }, world.by().signal);
  await expect(world.rename('x', 'f')).rejects.toMatchObject({ errno: 'ENOSPC' });
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ f: 'old', x: 'x' });
  expect(await onPlatform('f')).toEqual({ metadata: pairs, tags: [] });
});

it('the MD5 of a file is not that of the one that takes its name', async () => {
  const old = await world.put('f', 'old');
  await metadata().merge(old, { md5_sum: 'of old', run: 'r1' }, world.by().signal);
  await world.put('x', 'x');
  await world.rename('x', 'f');
  expect(await onPlatform('f')).toEqual({ metadata: { run: 'r1' }, tags: [] });
});
