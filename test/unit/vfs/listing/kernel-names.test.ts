/**
 * The names that the kernel may give to the next reader of a directory by itself (`KernelNames`, as `OpenDirectories`
 * uses it).
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { OpenDirectories } from '../../../../src/vfs/listing/open-directories.ts';
import type { DirectoryNode } from '../../../../src/vfs/model/node.ts';
import { ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let world: ReadingWorld;
let root: string;
let folder: DirectoryNode;
beforeEach(async () => {
  world = new ReadingWorld();
  root = world.platform.rootOf('one');
  world.platform.addFiles(root, 150);
  folder = await world.directory('projects/ada/one');
});

/** Whether an open of the folder lets the kernel give them again. */
function kept(folder: DirectoryNode): boolean {
  const handle = world.directories.open(folder);
  const same = world.directories.givesTheSame(handle);
  world.directories.release(handle);
  return same;
}

describe('the names the kernel kept of a folder', () => {
  it('are good for the next reader, and the one after', async () => {
    expect(kept(folder)).toBe(false);
    await world.list(folder);
    expect(kept(folder)).toBe(true);
    expect(kept(folder)).toBe(true);
  });

  it('are forgotten when there are too many of them, last used first', async () => {
    Object.assign(world, { directories: new OpenDirectories(world.tree, 300) });
    const others: DirectoryNode[] = [];
    for (const name of ['two', 'three']) {
      world.platform.addFiles(world.platform.addFolder(root, name).id, 100);
      others.push(await world.directory(`projects/ada/one/${name}`));
    }
    for (const each of [folder, ...others]) await world.list(each);
    expect([folder, ...others].map(kept)).toEqual([false, true, true]);
  });

  it('are not of who began to read before they were forgotten', async () => {
    Object.assign(world, { directories: new OpenDirectories(world.tree, 200) });
    world.platform.addFiles(world.platform.addFolder(root, 'two').id, 100);
    const other = await world.directory('projects/ada/one/two');
    const [early, late] = [world.directories.open(folder), world.directories.open(folder)];
    await world.readAll(early);
    world.directories.release(early);
    await world.list(other);
    await world.readAll(late);
    world.directories.release(late);
    expect(kept(folder)).toBe(false);
  });

  it('are not once a name came or went by our own doing', async () => {
    await world.list(folder);
    world.tree.detach(await world.at('projects/ada/one/f000001'));
    expect(kept(folder)).toBe(false);
    await world.list(folder);
    expect(kept(folder)).toBe(true);
    if (folder.kind !== 'project-folder') throw new Error('no folder');
    world.tree.placedRecord(folder, { ...world.platform.addFile('elsewhere', 'made'), parent: root });
    expect(kept(folder)).toBe(false);
  });

  it('are not while the kernel may add to them what a reader was told before a name went', async () => {
    const early = world.directories.open(folder);
    await world.readAll(early);
    world.tree.detach(await world.at('projects/ada/one/f000001'));
    await world.list(folder);
    expect(kept(folder)).toBe(false);
    await world.list(folder);
    expect(kept(folder)).toBe(false);
    world.directories.release(early);
    await world.list(folder);
    expect(kept(folder)).toBe(true);
  });

  it('are what readers at once were told together', async () => {
    const [one, two] = [world.directories.open(folder), world.directories.open(folder)];
    expect(await world.readAll(one)).toEqual(await world.readAll(two));
    expect(kept(folder)).toBe(true);
    world.directories.release(one);
    world.directories.release(two);
  });

  it('are not once a name came or went elsewhere, or means another file', async () => {
    await world.list(folder);
    world.platform.addFile(root, 'new');
    await world.clock.advance(TTL_MS);
    expect(kept(folder)).toBe(false);
    await world.list(folder);
    expect(kept(folder)).toBe(true);
    world.tree.invalidate(folder, 'f000001');
    expect(kept(folder)).toBe(false);
  });

  it('are not when one of them went while they were listed', async () => {
    const release = world.platform.hold('files.list', 1);
    const listing = world.list(folder);
    await waitUntil(() => world.platform.calls.filter((call) => call === 'files.list').length === 2);
    world.tree.detach(await world.at('projects/ada/one/f000001'));
    release();
    await listing;
    expect(kept(folder)).toBe(false);
  });

  it('mean the same to a reader who asks us for the rest of them', async () => {
    await world.list(folder);
    const first = world.directories.open(folder);
    const { entries } = await world.read(first, 0, 52);
    for (const { name } of entries.slice(2)) world.tree.detach(await world.at(`projects/ada/one/${name}`));
    const second = world.directories.open(folder);
    const rest = await world.readAll(second, 50, entries.at(-1)!.nextOffset);
    expect(rest.map(({ name }) => name)).toEqual(
      Array.from({ length: 100 }, (_, index) => `f${String(index + 50).padStart(6, '0')}`),
    );
    for (const handle of [first, second]) world.directories.release(handle);
  });
});
