import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { TransportError } from '../../../../src/api/errors.ts';
import { errnoOf } from '../../../../src/vfs/errors/errno-of.ts';
import { Placement } from '../../../../src/vfs/listing/placement.ts';
import { ChildCache } from '../../../../src/vfs/model/child-cache.ts';
import type { DirectoryNode } from '../../../../src/vfs/model/node.ts';
import { NEVER, ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let world: ReadingWorld;
let root: string;
beforeEach(() => {
  world = new ReadingWorld();
  root = world.platform.rootOf('one');
});

/** The name that `FakeApi.addFiles` gives to a file. */
function nameOf(index: number): string {
  return `f${String(index).padStart(6, '0')}`;
}

/** Lets promise chains run out. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('listing a folder', () => {
  it('of 250 files takes 3 requests, and none when repeated', async () => {
    world.platform.addFiles(root, 250);
    const folder = await world.directory('projects/ada/one');
    await world.lookup('projects/ada/one/f000000');
    world.platform.taken();
    world.tree.expire(folder);
    expect(await world.list(folder)).toHaveLength(250);
    expect(world.platform.taken()).toEqual(['files.list', 'files.list', 'files.list']);
    expect(await world.list(folder)).toHaveLength(250);
    await world.file('projects/ada/one/f000249');
    expect(world.platform.taken()).toEqual([]);
  });

  it('gives names in order and each once, however small the replies are', async () => {
    world.platform.addFiles(root, 330);
    const names = await world.list(await world.directory('projects/ada/one'), 7);
    expect(names).toEqual([...new Set(names)].sort());
    expect(names).toHaveLength(330);
  });

  it('costs one request while it is open and not read, however large it is, and the others when it is read', async () => {
    world.platform.addFiles(root, 2000);
    const folder = await world.directory('projects/ada/one');
    await world.lookup('projects/ada/one/f000000');
    await world.clock.advance(2000);
    world.platform.taken();
    const begun = await world.tree.confirm(folder, NEVER);
    const handle = world.directories.open(folder, begun);
    await settled();
    expect(world.platform.taken()).toEqual(['files.list']);
    world.directories.release(handle);
    await settled();
    expect(world.platform.taken()).toEqual([]);
    await world.clock.advance(2000);
    const again = world.directories.open(folder, await world.tree.confirm(folder, NEVER));
    expect(await world.readAll(again)).toHaveLength(2002);
    expect(world.platform.taken()).toEqual(Array(20).fill('files.list'));
    world.directories.release(again);
  });

  it('that was opened long ago and is read now is asked for anew, for its first page is old', async () => {
    world.platform.addFiles(root, 2000);
    const folder = await world.directory('projects/ada/one');
    await world.clock.advance(2000);
    const handle = world.directories.open(folder, await world.tree.confirm(folder, NEVER));
    world.platform.addFile(root, 'f000000-new');
    await world.clock.advance(2000);
    world.platform.taken();
    const other = world.directories.open(folder, await world.tree.confirm(folder, NEVER));
    for (const each of [other, handle]) {
      expect((await world.readAll(each)).map(({ name }) => name)).toContain('f000000-new');
      world.directories.release(each);
    }
    expect(world.platform.taken()).toEqual(Array(21).fill('files.list'));
  });

  it('whose time is over fails who began it, and is asked for anew by who joined it', async () => {
    world.platform.addFiles(root, 3);
    const folder = await world.directory('projects/ada/one');
    const { list } = world.platform;
    world.platform.list = () => {
      world.platform.list = list;
      throw new TransportError('timed out', { call: 'GET /files' });
    };
    const [first, second] = await Promise.allSettled([
      world.tree.childrenOf(folder, NEVER),
      world.tree.childrenOf(folder, NEVER),
    ]);
    expect(first).toMatchObject({ status: 'rejected' });
    expect(second).toMatchObject({ status: 'fulfilled', value: { length: 3 } });
  });

  it('leaves out what cannot be shown and tells of it once, and takes nothing known for gone', async () => {
    world.platform.addFiles(root, 250);
    const folder = await world.directory('projects/ada/one');
    const known = await world.at('projects/ada/one/f000007');
    for (const id of ['file-8', 'file-120']) world.platform.unusable.add(id);
    world.tree.expire(folder);
    world.platform.taken();
    const names = await world.list(folder);
    expect(world.platform.taken()).toEqual(['files.list', 'files.list', 'files.list']);
    expect(names).toHaveLength(249);
    expect(names).toContain('f000007');
    expect(names).not.toContain('f000119');
    expect(await world.at('projects/ada/one/f000007')).toBe(known);
    expect(await world.lookup('projects/ada/one/absent')).toBeUndefined();
    expect(await world.at('projects/ada/one/f000119')).toMatchObject({ name: 'f000119' });
    await world.list(folder);
    expect(world.log).toHaveLength(1);
    expect(world.tree.errors.list()).toMatchObject([
      { op: 'readdir', path: '/projects/ada/one', text: expect.stringContaining('has no name') },
    ]);
  });

  it('gives the first entries before the last page is there', async () => {
    world.platform.addFiles(root, 450);
    const release = world.platform.hold('files.list', 2);
    const handle = world.directories.open(await world.directory('projects/ada/one'));
    const first = await world.read(handle, 0, 1_000);
    expect(first.entries.length).toBeGreaterThanOrEqual(102);
    expect(first.entries.length).toBeLessThanOrEqual(202);
    release();
    const rest = await world.readAll(handle, 1_000, first.entries.at(-1)!.nextOffset);
    expect(first.entries.length + rest.length).toBe(452);
    world.directories.release(handle);
  });

  it('asks for the pages after the first in parallel', async () => {
    world.platform.addFiles(root, 450);
    const release = world.platform.hold('files.list', 1);
    const listing = world.list(await world.directory('projects/ada/one'));
    await waitUntil(() => world.platform.calls.filter((call) => call === 'files.list').length === 5);
    release();
    expect(await listing).toHaveLength(450);
  });

  it('is asked for once by those who list at the same time', async () => {
    world.platform.addFiles(root, 120);
    const folder = await world.directory('projects/ada/one');
    world.platform.taken();
    const lists = await Promise.all([world.list(folder), world.list(folder), world.list(folder)]);
    expect(lists.map((names) => names.length)).toEqual([120, 120, 120]);
    expect(world.platform.taken().filter((call) => call === 'files.list')).toHaveLength(2);
  });

  it('stops asking for pages when nobody reads it any more', async () => {
    world.platform.crowds.set(root, 100_000);
    const handle = world.directories.open(await world.directory('projects/ada/one'));
    await world.read(handle, 0, 3);
    world.directories.release(handle);
    await settled();
    const asked = world.platform.taken().length;
    await settled();
    expect(world.platform.taken()).toEqual([]);
    expect(asked).toBeLessThan(50);
  });

  it('fails with what the platform said, after the entries that came before that', async () => {
    world.platform.addFiles(root, 150);
    const folder = await world.directory('projects/ada/one');
    const handle = world.directories.open(folder);
    await world.read(handle, 0, 1);
    world.directories.release(handle);
    world.tree.expire(folder);
    world.platform.failing.set('files.list', 1);
    const again = world.directories.open(folder);
    const { entries } = await world.read(again, 0, 1_000);
    expect(entries).toHaveLength(102);
    await expect(world.read(again, entries.at(-1)!.nextOffset, 10)).rejects.toThrow('no answer');
    world.directories.release(again);
    world.platform.failing.clear();
    expect(await world.list(folder)).toHaveLength(150);
  });

  describe('without end', () => {
    let folder: DirectoryNode;
    beforeEach(async () => {
      world = new ReadingWorld({}, { mostEntries: 1_000 });
      folder = await world.directory('projects/ada/one');
    });

    it('is cut: EFBIG after the entries that fit', async () => {
      world.platform.crowds.set(root, 1_000_000_000);
      const handle = world.directories.open(folder);
      const { entries } = await world.read(handle, 0, 2_000);
      const rest = await world
        .readAll(handle, 2_000, entries.at(-1)!.nextOffset)
        .catch((error) => errnoOf(error));
      expect(rest).toBe('EFBIG');
      expect(folder.children.size).toBe(1_000);
      world.directories.release(handle);
      expect(world.platform.taken().length).toBeLessThan(40);
    });

    it('is cut when it gives the same entries again and again', async () => {
      world.platform.addFiles(root, 100);
      const items = [...world.platform.files.values()];
      world.platform.list = () => ({ items, total: 1_000_000_000 });
      await expect(world.list(folder, 2_000)).rejects.toMatchObject({ errno: 'EFBIG' });
    });

    it('has its names found one by one', async () => {
      world.platform.crowds.set(root, 1_000_000_000);
      world.platform.addFile(root, 'named');
      await world.list(folder, 2_000).catch(() => undefined);
      expect(await world.at('projects/ada/one/named')).toMatchObject({ name: 'named' });
    });
  });

  it('reads once more when entries came or went while it was read', async () => {
    world.platform.addFiles(root, 250);
    const release = world.platform.hold('files.list', 1);
    const listing = world.list(await world.directory('projects/ada/one'));
    await waitUntil(() => world.platform.calls.filter((call) => call === 'files.list').length === 3);
    // The first of all goes, so that every page holds one entry less than its offset says.
    world.platform.files.delete('file-1');
    release();
    const names = await listing;
    expect(names.slice(1).sort()).toEqual(Array.from({ length: 249 }, (_, index) => nameOf(index + 1)));
  });

  /** Does something as another client when the first page is here and the others are asked for. */
  async function amid(change: () => void): Promise<string[]> {
    const release = world.platform.hold('files.list', 1);
    const folder = await world.directory('projects/ada/one');
    const listing = world.list(folder);
    await waitUntil(() => world.platform.calls.filter((call) => call === 'files.list').length === 3);
    change();
    release();
    return listing;
  }

  it('hides no file for one that another client renames meanwhile', async () => {
    world.platform.addFiles(root, 250);
    const first = [...world.platform.files.values()][0]!;
    const names = await amid(() => world.platform.files.set(first.id, { ...first, name: 'zz' }));
    expect(names).toContain(nameOf(100));
    expect(await world.lookup(`projects/ada/one/${nameOf(100)}`)).toBeDefined();
    expect(await world.lookup(`projects/ada/one/${nameOf(0)}`)).toBeUndefined();
  });

  it('hides no file for others that go all the while', async () => {
    world.platform.addFiles(root, 450);
    const folder = await world.directory('projects/ada/one');
    const { list } = world.platform;
    let gone = 0;
    world.platform.list = (...asked) => {
      world.platform.files.delete(`file-${++gone}`);
      return list(...asked);
    };
    const names = await world.list(folder);
    world.platform.list = list;
    const staying = Array.from({ length: 450 - gone }, (_, index) => nameOf(gone + index));
    expect(names).toEqual(expect.arrayContaining(staying));
    expect(await world.list(folder)).toEqual(expect.arrayContaining(staying));
    for (const name of staying) expect(await world.lookup(`projects/ada/one/${name}`)).toBeDefined();
  });

  it('fails when its pages cannot be put together, and takes nothing for gone', async () => {
    world.platform.addFiles(root, 250);
    const folder = await world.directory('projects/ada/one');
    await world.list(folder);
    const node = await world.at(`projects/ada/one/${nameOf(249)}`);
    await world.clock.advance(TTL_MS);
    const { list } = world.platform;
    world.platform.list = (parent, page) => {
      const { items, total } = list(parent, page);
      return { items: page.offset === 0 ? items : [], total };
    };
    await expect(world.list(folder)).rejects.toThrow('one changes faster than it can be listed');
    world.platform.list = list;
    expect(node.parent).toBe(folder);
    world.platform.taken();
    expect(await world.list(folder)).toHaveLength(250);
    expect(world.platform.taken()).toHaveLength(3);
  });

  it('that takes longer than the TTL is known when it is there', async () => {
    world.platform.addFiles(root, 250);
    const release = world.platform.hold('files.list', 1);
    const folder = await world.directory('projects/ada/one');
    const listing = world.list(folder);
    await waitUntil(() => world.platform.calls.filter((call) => call === 'files.list').length === 3);
    await world.clock.advance(TTL_MS);
    release();
    expect(await listing).toHaveLength(250);
    world.platform.taken();
    expect(await world.list(folder)).toHaveLength(250);
    expect(world.platform.taken()).toEqual([]);
  });

  it('keeps cookies good while entries go', async () => {
    world.platform.addFiles(root, 30);
    const folder = await world.directory('projects/ada/one');
    const handle = world.directories.open(folder);
    const { entries } = await world.read(handle, 0, 12);
    for (const { name } of entries.slice(2)) {
      world.tree.detach(await world.at(`projects/ada/one/${name}`));
    }
    const rest = await world.readAll(handle, 50, entries.at(-1)!.nextOffset);
    expect(rest.map(({ name }) => name)).toEqual(
      Array.from({ length: 20 }, (_, index) => nameOf(index + 10)),
    );
    world.directories.release(handle);
  });

  it('asks again after the TTL, and keeps the nodes of what stayed', async () => {
    const kept = world.platform.addFile(root, 'kept');
    const gone = world.platform.addFile(root, 'gone');
    const folder = await world.directory('projects/ada/one');
    await world.list(folder);
    const [node, lost] = [await world.at('projects/ada/one/kept'), await world.at('projects/ada/one/gone')];
    lost.lookups = 1;
    world.platform.files.delete(gone.id);
    world.platform.files.set(kept.id, { ...kept, sizeBytes: 10, metadata: { a: '1' } });
    await world.clock.advance(TTL_MS);
    expect(await world.list(folder)).toEqual(['kept']);
    expect(await world.at('projects/ada/one/kept')).toBe(node);
    expect(node.kind === 'project-file' && node.record?.metadata).toEqual({ a: '1' });
    expect(world.kernel.entries).toEqual([`${folder.id}/gone`]);
    expect(lost.parent).toBeUndefined();
  });

  it('counts a lookup for each entry that fits, and none for . and ..', async () => {
    world.platform.addFiles(root, 3);
    const folder = await world.directory('projects/ada/one');
    const handle = world.directories.open(folder);
    const { found } = await world.read(handle, 0, 4);
    expect(found).toHaveLength(2);
    const lookups = [...folder.children.nodes()].map((node) => node.lookups);
    expect(lookups).toEqual([1, 1, 0]);
    expect(folder.lookups).toBe(0);
    world.directories.release(handle);
  });

  it('of 100,000 entries is 1,000 requests, takes each entry in once, and goes through them all once more', async () => {
    world.platform.crowds.set(root, 100_000);
    const folder = await world.directory('projects/ada/one');
    const takenIn = vi.spyOn(Placement.prototype, 'learn');
    const goneThrough = vi.spyOn(ChildCache.prototype, 'nodes');
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await world.list(folder, 500)).toHaveLength(100_000);
    expect(world.platform.taken().filter((call) => call === 'files.list')).toHaveLength(1_000);
    expect(takenIn).toHaveBeenCalledTimes(100_000);
    expect(goneThrough).toHaveBeenCalledTimes(1);
    expect(world.tree.nodes.size).toBeLessThan(100_020);
  });

  it('shows files that exist only here, and does not lose them to the platform', async () => {
    world.platform.addFile(root, 'there');
    const folder = await world.directory('projects/ada/one');
    if (folder.kind !== 'project-folder') throw new Error('no folder');
    const draft = world.tree.newFile(folder, 'new');
    world.tree.placed(draft);
    expect((await world.list(folder)).sort()).toEqual(['new', 'there']);
    await world.clock.advance(TTL_MS);
    expect((await world.list(folder)).sort()).toEqual(['new', 'there']);
    expect(await world.at('projects/ada/one/new')).toBe(draft);
  });
});
