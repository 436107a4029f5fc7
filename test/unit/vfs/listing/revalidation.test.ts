import { beforeEach, describe, expect, it } from 'vitest';
import type { Draft } from '../../../../src/content/ports.ts';

import { NEVER, ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';

let world: ReadingWorld;
let root: string;
beforeEach(async () => {
  world = new ReadingWorld();
  root = world.platform.rootOf('one');
});

/** Lists the folder, lets what was learnt become older than an open accepts, and forgets what was asked so far. */
async function listAndWait(): Promise<void> {
  await world.list(await world.directory('projects/ada/one'));
  await world.clock.advance(1_500);
  world.platform.taken();
}

describe('opening a file', () => {
  it('asks nothing when its facts are at most a second old', async () => {
    world.platform.addFile(root, 'f');
    const node = await world.file('projects/ada/one/f');
    world.platform.taken();
    await world.clock.advance(1_000);
    await world.tree.revalidate(node, NEVER);
    expect(world.platform.taken()).toEqual([]);
  });

  it('asks once for older facts, and the answer counts', async () => {
    world.platform.addFile(root, 'f');
    await listAndWait();
    const node = await world.file('projects/ada/one/f');
    await world.tree.revalidate(node, NEVER);
    await world.tree.revalidate(node, NEVER);
    expect(world.platform.taken()).toEqual(['files.get']);
  });

  it('asks though the time of day was set back meanwhile', async () => {
    world.platform.addFile(root, 'f');
    await listAndWait();
    const node = await world.file('projects/ada/one/f');
    world.clock.set(-3_600_000);
    await world.tree.revalidate(node, NEVER);
    expect(world.platform.taken()).toEqual(['files.get']);
  });

  it('asks nothing of its own when the service tells of the file with the link', async () => {
    const record = world.platform.addFile(root, 'f');
    await listAndWait();
    const node = await world.file('projects/ada/one/f');
    await world.tree.revalidate(node, NEVER, { prepare: async () => ({ ...record, sizeBytes: 77 }) });
    expect(world.platform.taken()).toEqual([]);
    expect(node.record?.sizeBytes).toBe(77);
  });

  it('asks itself when the link is refused', async () => {
    world.platform.addFile(root, 'f');
    await listAndWait();
    const node = await world.file('projects/ada/one/f');
    const prepare = (): Promise<never> => Promise.reject(new Error('no copy permission'));
    await world.tree.revalidate(node, NEVER, { prepare });
    expect(world.platform.taken()).toEqual(['files.get']);
  });

  it.each([
    ['replaced', (id: string) => world.platform.files.delete(id) && world.platform.addFile(root, 'f')],
    ['deleted', (id: string) => world.platform.files.delete(id)],
    [
      'renamed',
      (id: string) => world.platform.files.set(id, { ...world.platform.files.get(id)!, name: 'other' }),
    ],
    [
      'moved',
      (id: string) => world.platform.files.set(id, { ...world.platform.files.get(id)!, parent: 'folder-x' }),
    ],
  ])('that was %s elsewhere gives ESTALE, and the kernel is told', async (_, change) => {
    const { id } = world.platform.addFile(root, 'f');
    await listAndWait();
    const node = await world.file('projects/ada/one/f');
    node.lookups = 1;
    change(id);
    await expect(world.tree.revalidate(node, NEVER)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(world.kernel.entries).toHaveLength(1);
    expect(node.parent).toBeUndefined();
    expect(await world.lookup('projects/ada/one/f')).not.toBe(node);
  });

  it('that is begun to be written while it is asked about leaves it where it is', async () => {
    const { id } = world.platform.addFile(root, 'f');
    await listAndWait();
    const node = await world.file('projects/ada/one/f');
    world.platform.files.delete(id);
    const asking = world.tree.revalidate(node, NEVER);
    node.draft = {} as Draft;
    await asking;
    expect(await world.lookup('projects/ada/one/f')).toBe(node);
  });

  it('of many in one folder asks in bulk from the third on', async () => {
    world.platform.addFiles(root, 250);
    await listAndWait();
    const folder = await world.directory('projects/ada/one');
    for (const node of [...folder.children.nodes()]) await world.tree.revalidate(node, NEVER);
    expect(world.platform.taken()).toEqual(['files.get', 'files.get', ...Array(3).fill('files.bulkGet')]);
  });

  it('of many at once shares one bulk get, and a file that is gone fails alone', async () => {
    world.platform.addFiles(root, 50);
    await listAndWait();
    const folder = await world.directory('projects/ada/one');
    const nodes = [...folder.children.nodes()];
    world.platform.files.delete('file-20');
    const opens = await Promise.allSettled(nodes.map(async (node) => world.tree.revalidate(node, NEVER)));
    expect(world.platform.taken()).toEqual(['files.get', 'files.get', 'files.bulkGet']);
    expect(opens.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([19]);
  });

  it('of one that a bulk get fails to tell of asks for it alone, whoever waited', async () => {
    world.platform.addFiles(root, 50);
    await listAndWait();
    const folder = await world.directory('projects/ada/one');
    const nodes = [...folder.children.nodes()];
    world.platform.files.delete('file-20');
    for (const id of ['file-3', 'file-20', 'file-21']) world.platform.unanswered.add(id);
    const opens = await Promise.allSettled(nodes.map(async (node) => world.tree.revalidate(node, NEVER)));
    const asked = [...Array(2).fill('files.get'), 'files.bulkGet', ...Array(3).fill('files.get')];
    expect(world.platform.taken()).toEqual(asked);
    expect(opens.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([19]);
  });

  it('asks nothing for what exists only here', async () => {
    const folder = await world.directory('projects/ada/one');
    if (folder.kind !== 'project-folder') throw new Error('no folder');
    const node = world.tree.newFile(folder, 'new');
    world.tree.placed(node);
    await world.clock.advance(TTL_MS);
    world.platform.taken();
    await world.tree.revalidate(node, NEVER);
    expect(world.platform.taken()).toEqual([]);
  });

  it('of a volume object goes by its ETag', async () => {
    world.platform.addObject('o');
    const node = await world.at('volumes/ada/bucket/o');
    await world.clock.advance(1_500);
    await world.tree.revalidate(node, NEVER);
    await world.clock.advance(1_500);
    world.platform.addObject('o', { etag: 'another' });
    await expect(world.tree.revalidate(node, NEVER)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(await world.at('volumes/ada/bucket/o')).toMatchObject({ record: { etag: 'another' } });
  });
});

describe('identity', () => {
  it('of a name is another when the file is, and the same when only its facts changed', async () => {
    const { id } = world.platform.addFile(root, 'f');
    const first = await world.file('projects/ada/one/f');
    await world.clock.advance(TTL_MS);
    world.platform.files.set(id, { ...world.platform.files.get(id)!, modifiedMs: 5, createdMs: 1 });
    expect(await world.file('projects/ada/one/f')).toBe(first);
    await world.clock.advance(TTL_MS);
    world.platform.files.delete(id);
    world.platform.addFile(root, 'f');
    const second = await world.file('projects/ada/one/f');
    expect(second.id).toBeGreaterThan(first.id);
    expect(second.ino).not.toBe(first.ino);
  });

  it('stays with the node when we overwrite or rename it ourselves', async () => {
    world.platform.addFile(root, 'f');
    const node = await world.file('projects/ada/one/f');
    const { ino } = node;
    const next = world.platform.addFile(root, 'g');
    world.tree.published(node, { ...next, name: 'f' });
    const folder = await world.directory('projects/ada/one');
    world.tree.moved(node, { parent: folder, name: 'g' });
    expect(await world.file('projects/ada/one/g')).toBe(node);
    expect(node.ino).toBe(ino);
    expect(await world.lookup('projects/ada/one/f')).toBeUndefined();
  });

  it('of a folder that the platform gave another id stays, and what is in it is asked for anew', async () => {
    const old = world.platform.addFolder(root, 'd');
    world.platform.addFile(old.id, 'x');
    const folder = await world.directory('projects/ada/one/d');
    await world.list(folder);
    world.platform.files.delete(old.id);
    world.platform.addFolder(root, 'd');
    await world.clock.advance(30_000);
    world.tree.expire(await world.directory('projects/ada/one'));
    expect(await world.directory('projects/ada/one/d')).toBe(folder);
    expect(await world.list(folder)).toEqual([]);
  });

  it('of a file being written stays when another takes its name, and is as old as it was', async () => {
    const { id } = world.platform.addFile(root, 'f');
    const node = await world.file('projects/ada/one/f');
    const { checkedMs } = node;
    node.draft = { dirty: true, sizeBytes: 3 } as Draft;
    world.platform.files.delete(id);
    world.platform.addFile(root, 'f');
    await world.clock.advance(TTL_MS);
    await world.list(await world.directory('projects/ada/one'));
    expect(await world.file('projects/ada/one/f')).toBe(node);
    expect(node).toMatchObject({ record: { id }, checkedMs });
  });

  it('serves who has it open after another took its name', async () => {
    world.platform.addFile(root, 'f', { sizeBytes: 7 });
    await listAndWait();
    const node = await world.file('projects/ada/one/f');
    node.lookups = 1;
    world.platform.files.clear();
    await world.clock.advance(TTL_MS);
    expect(await world.tree.currentAttributesOf(node, NEVER)).toMatchObject({ attributes: { sizeBytes: 7 } });
    expect(world.tree.nodes.get(node.id)).toBe(node);
    world.tree.nodes.forget(node.id, 1);
    expect(() => world.tree.nodes.get(node.id)).toThrow('no longer known');
  });
});
