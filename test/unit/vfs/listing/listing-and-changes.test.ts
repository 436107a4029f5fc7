import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';

let world: ReadingWorld;
let root: string;
beforeEach(() => {
  world = new ReadingWorld();
  root = world.platform.rootOf('one');
});

/** Lets promise chains run out. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('the kernel', () => {
  it('is told of a name that it may hold to be absent', async () => {
    const folder = await world.directory('projects/ada/one');
    folder.lookups = 1;
    world.platform.addFile(root, 'first');
    await world.list(folder);
    expect(world.kernel.entries).toEqual([]);
    world.platform.addFile(root, 'new');
    await world.clock.advance(TTL_MS);
    await world.list(folder);
    expect(world.kernel.entries).toEqual([`${folder.id}/new`]);
  });

  it('is told of facts that changed', async () => {
    const file = world.platform.addFile(root, 'f');
    const folder = await world.directory('projects/ada/one');
    await world.list(folder);
    const node = await world.at('projects/ada/one/f');
    node.lookups = 1;
    world.platform.files.set(file.id, { ...file, modifiedMs: file.modifiedMs + 1 });
    await world.clock.advance(TTL_MS);
    await world.list(folder);
    expect(world.kernel.nodes).toEqual([node.id]);
  });
});

it('has the pages that wait in the background hurry when a person reads the folder', async () => {
  world.platform.addFiles(root, 3);
  const folder = await world.directory('projects/ada/one');
  const list = vi.spyOn(world.tree.api.files, 'list');
  const release = world.platform.hold('files.list');
  const ahead = world.tree.listings.ahead(folder, 'background');
  await settled();
  const options = list.mock.calls[0]?.[2];
  expect(options).toMatchObject({ priority: 'background', urgent: { aborted: false } });
  const listing = world.list(folder);
  expect(options?.urgent?.aborted).toBe(true);
  release();
  expect(await listing).toHaveLength(3);
  await ahead;
  expect(list).toHaveBeenCalledTimes(1);
});

describe('a listing begun before a change of our own', () => {
  it('does not bring back what we removed, nor hide what we made', async () => {
    world.platform.addFiles(root, 3);
    const folder = await world.directory('projects/ada/one');
    if (folder.kind !== 'project-folder') throw new Error('no folder');
    await world.list(folder);
    const node = await world.at('projects/ada/one/f000001');
    world.tree.expire(folder);
    const release = world.platform.hold('files.list');
    const listing = world.list(folder);
    await settled();
    world.tree.detach(node);
    world.tree.placedRecord(folder, { ...world.platform.addFile('elsewhere', 'made'), parent: root });
    release();
    expect((await listing).sort()).toEqual(['f000000', 'f000002', 'made']);
    expect(await world.lookup('projects/ada/one/f000001')).toBeUndefined();
    expect(await world.lookup('projects/ada/one/made')).toBeDefined();
  });

  it('does not say that a name is free of which we know no more what it is', async () => {
    const folder = await world.directory('projects/ada/one');
    const release = world.platform.hold('files.list');
    const listing = world.list(folder);
    await settled();
    const made = world.platform.addFile('elsewhere', 'imported');
    release();
    world.tree.invalidate(folder, 'imported');
    await listing;
    world.platform.files.set(made.id, { ...made, parent: root });
    expect(await world.lookup('projects/ada/one/imported')).toBeDefined();
  });
});
