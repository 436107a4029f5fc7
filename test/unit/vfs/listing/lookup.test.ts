import { beforeEach, describe, expect, it, vi } from 'vitest';

import type { DirectoryNode } from '../../../../src/vfs/model/node.ts';
import { versionOf } from '../../../../src/vfs/model/version-of.ts';
import { type FileSystemParts, SvcFileSystem } from '../../../../src/vfs/svc-file-system.ts';
import { NEVER, ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let world: ReadingWorld;
let root: string;
beforeEach(async () => {
  world = new ReadingWorld();
  root = world.platform.rootOf('one');
  await world.at('projects/ada/one');
  world.platform.taken();
});

let folder: DirectoryNode;

/** In a folder of 8 pages, after its first page was asked for. */
async function askForEight(): Promise<void> {
  world.platform.addFiles(root, 701);
  folder = await world.directory('projects/ada/one');
  await world.file('projects/ada/one/f000600');
  await world.file('projects/ada/one/f000000');
  expect(await taken()).toEqual(['files.find', 'files.list']);
  for (let i = 100; i < 108; i += 1) await world.file(`projects/ada/one/f000${i}`);
  expect(await taken()).toEqual(Array(8).fill('files.find'));
}

async function taken(): Promise<string[]> {
  return world.platform.taken().filter((call) => call !== 'projects.get');
}

describe('a lookup', () => {
  it('of the first name in a project asks for it beside the details of the project', async () => {
    const other = world.platform.rootOf('two');
    world.platform.addFile(other, 'f');
    const release = world.platform.hold('projects.get');
    const looking = world.file('projects/ada/two/f');
    await waitUntil(() => world.platform.calls.includes('files.find'));
    release();
    expect((await looking).record?.parent).toBe(other);
    expect(world.platform.taken().sort()).toEqual(['files.find', 'projects.get']);
  });

  it('makes known which directory has a name, and asks nobody then', async () => {
    world.platform.addFile(root, 'f');
    const project = await world.directory('projects/ada/one');
    await world.file('projects/ada/one/f');
    await taken();
    const fs = new SvcFileSystem({ tree: world.tree } as FileSystemParts);
    const known = (id: DirectoryNode['id'], name: string) => fs.knownDirectory(id, name);
    const owner = await world.directory('projects/ada');
    expect(known(owner.id, 'one')).toBe(project.id);
    expect(known(project.id, 'f')).toBeUndefined();
    expect(known(project.id, 'none')).toBeUndefined();
    expect(await taken()).toEqual([]);
  });

  it('of one name is one request and lists nothing', async () => {
    world.platform.addFiles(root, 250);
    await world.file('projects/ada/one/f000200');
    expect(await taken()).toEqual(['files.find']);
  });

  it('that follows another in the folder fetches a small folder, which answers all that follow', async () => {
    world.platform.addFiles(root, 250);
    await world.file('projects/ada/one/f000200');
    await world.file('projects/ada/one/f000201');
    expect(await taken()).toEqual(['files.find', 'files.list', 'files.list', 'files.list']);
    await world.file('projects/ada/one/f000007');
    expect(await world.lookup('projects/ada/one/none')).toBeUndefined();
    expect(await taken()).toEqual([]);
  });

  it('that follows another in a large folder fetches its first page, once', async () => {
    world.platform.addFiles(root, 501);
    await world.file('projects/ada/one/f000400');
    await world.file('projects/ada/one/f000050');
    expect(await taken()).toEqual(['files.find', 'files.list']);
    await world.file('projects/ada/one/f000051');
    expect(await taken()).toEqual([]);
    await world.file('projects/ada/one/f000300');
    expect(await taken()).toEqual(['files.find']);
  });

  it('of one name after the other lists a large folder when they have cost as much as that', async () => {
    world.platform.room.add('prefetch');
    await askForEight();
    await world.file('projects/ada/one/f000300');
    await waitUntil(() => folder.children.completeMs !== undefined);
    expect((await taken()).sort()).toEqual(['files.find', ...Array(8).fill('files.list')]);
    for (let i = 200; i < 700; i += 1) await world.file(`projects/ada/one/f000${i}`);
    expect(await world.lookup('projects/ada/one/none')).toBeUndefined();
    expect(await taken()).toEqual([]);
  });

  it('of one name after the other lists nothing while the rate budget has no room for it', async () => {
    await askForEight();
    await world.file('projects/ada/one/f000300');
    expect(await taken()).toEqual(['files.find']);
    world.platform.room.add('prefetch');
    await world.file('projects/ada/one/f000301');
    await waitUntil(() => folder.children.completeMs !== undefined);
  });

  it('asks for its name alone before the folder that others had listed has come', async () => {
    world.platform.room.add('prefetch');
    await askForEight();
    const release = world.platform.hold('files.list');
    for (let i = 300; i < 310; i += 1) await world.file(`projects/ada/one/f000${i}`);
    expect((await taken()).sort()).toEqual([...Array(10).fill('files.find'), 'files.list']);
    release();
    await waitUntil(() => folder.children.completeMs !== undefined);
  });

  it('does not fail with the listing that others had begun', async () => {
    world.platform.room.add('prefetch');
    await askForEight();
    const release = world.platform.hold('files.list');
    world.platform.failing.set('files.list', 0);
    const looking = ['f000300', 'f000301'].map((name) => world.file(`projects/ada/one/${name}`));
    release();
    await Promise.all(looking);
    expect((await taken()).sort()).toEqual(['files.find', 'files.find', 'files.list']);
  });

  it('long after the last asks for its name alone', async () => {
    world.platform.addFiles(root, 3);
    await world.file('projects/ada/one/f000000');
    await world.clock.advance(30_000);
    await world.file('projects/ada/one/f000001');
    expect(await taken()).toEqual(['files.find', 'files.find']);
  });

  it('remembers that there is nothing, for as long as the kernel is told', async () => {
    const folder = await world.directory('projects/ada/one');
    expect(await world.lookup('projects/ada/one/none')).toBeUndefined();
    await world.clock.advance(20_000);
    expect(await world.lookup('projects/ada/one/none')).toBeUndefined();
    expect(await taken()).toEqual(['files.find']);
    expect(world.tree.absenceTtl(folder, 'none')).toBe(TTL_MS - 20_000);
    await world.clock.advance(40_000);
    world.platform.addFile(root, 'none');
    expect(await world.lookup('projects/ada/one/none')).toBeDefined();
  });

  it('is shared by those who ask for the same name, and outlives one that gives up', async () => {
    world.platform.addFile(root, 'f');
    const folder = await world.directory('projects/ada/one');
    const release = world.platform.hold('files.find');
    const impatient = new AbortController();
    const lost = world.tree.childOf(folder, 'f', impatient.signal);
    const kept = world.tree.childOf(folder, 'f', NEVER);
    impatient.abort(new Error('interrupted'));
    await expect(lost).rejects.toThrow('interrupted');
    release();
    expect(await kept).toMatchObject({ name: 'f' });
    expect((await taken()).filter((call) => call === 'files.find')).toHaveLength(1);
  });

  it('gives attributes for what is left of the TTL', async () => {
    world.platform.addFile(root, 'f');
    const node = await world.file('projects/ada/one/f');
    await world.clock.advance(45_000);
    expect(world.tree.entryOf(node)).toMatchObject({ entryTtlMs: 15_000, attributesTtlMs: 15_000 });
  });

  it('does not hide a file made while it was under way', async () => {
    const folder = await world.directory('projects/ada/one');
    if (folder.kind !== 'project-folder') throw new Error('no folder');
    await world.lookup('projects/ada/one/x');
    await world.clock.advance(TTL_MS);
    const release = world.platform.hold('files.find');
    const asked = world.tree.childOf(folder, 'new', NEVER);
    await new Promise((resolve) => setImmediate(resolve));
    const made = world.tree.newFile(folder, 'new');
    world.tree.placed(made);
    release();
    expect(await asked).toBe(made);
  });

  it('does not hide what came into being elsewhere, and was told of, while it was under way', async () => {
    const folder = await world.directory('projects/ada/one');
    const release = world.platform.hold('files.find');
    const asked = world.tree.childOf(folder, 'new', NEVER);
    await waitUntil(() => world.platform.calls.includes('files.find'));
    world.tree.invalidate(folder, 'new');
    release();
    expect(await asked).toBeUndefined();
    world.platform.addFile(root, 'new');
    expect(await world.lookup('projects/ada/one/new')).toBeDefined();
  });

  it('remembers that what was there is gone', async () => {
    const { id } = world.platform.addFile(root, 'f');
    const { parent } = await world.file('projects/ada/one/f');
    await world.clock.advance(TTL_MS);
    world.platform.files.delete(id);
    world.platform.taken();
    for (let times = 0; times < 2; times++)
      expect(await world.tree.childOf(parent!, 'f', NEVER)).toBeUndefined();
    expect(await taken()).toEqual(['files.find']);
  });

  it('of names that Linux does not take goes by their escaped form', async () => {
    world.platform.addFile(root, '..');
    world.platform.addFile(root, 'x'.repeat(300));
    const folder = await world.directory('projects/ada/one');
    const names = await world.list(folder);
    expect(names[0]).toBe('svc~..');
    expect(names[1]).toMatch(/^svc~x+%~[0-9a-f]{32}$/);
    for (const name of names) {
      world.tree.expire(folder);
      expect(await world.lookup(`projects/ada/one/${name}`)).toBeDefined();
    }
  });

  it('of a name that only a digest stands for finds what is to be asked about anew in a folder that is known', async () => {
    world.platform.addFile(root, 'x'.repeat(300));
    const folder = await world.directory('projects/ada/one');
    const [name] = await world.list(folder);
    const node = await world.file(`projects/ada/one/${name}`);
    world.tree.doubt(node);
    expect(await world.lookup(`projects/ada/one/${name}`)).toBe(node);
  });
});

describe('the top directories', () => {
  it('show projects and volumes by owner for one request each', async () => {
    expect(await world.list(world.tree.root)).toEqual(['projects', 'volumes', 'apps', 'tasks', 'billing']);
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['one', 'two']);
    expect(await world.list(await world.directory('volumes/ada'))).toEqual(['bucket']);
    expect(world.platform.taken()).toEqual(['volumes.list']);
  });

  it('take names by exact case', async () => {
    expect(await world.lookup('projects/Ada/one')).toBeUndefined();
    expect(await world.lookup('projects/ada/One')).toBeUndefined();
  });

  it('list a new project after the TTL, and keep the others', async () => {
    const before = await world.at('projects/ada/two');
    world.platform.projects.push('three');
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['one', 'two']);
    await world.clock.advance(2 * TTL_MS);
    expect(await world.list(await world.directory('projects/ada'))).toEqual(['one', 'two', 'three']);
    expect(await world.at('projects/ada/two')).toBe(before);
  });
});

describe('a volume', () => {
  it('shows the levels of its keys, one request each', async () => {
    world.platform.addObject('in/a.bam');
    world.platform.addObject('in/b/c.bam');
    world.platform.addObject('top');
    expect(await world.at('volumes/ada/bucket/in/b/c.bam')).toMatchObject({ location: 'in/b/c.bam' });
    const calls = world.platform.taken().filter((call) => !/list|get/.test(call));
    expect(calls).toEqual(['volumes.contents', 'volumes.contents', 'volumes.contents']);
    expect(await world.list(await world.directory('volumes/ada/bucket'))).toEqual(['top', 'in']);
    expect(world.platform.taken()).toEqual([]);
  });

  it('shows keys that are no paths under an escaped name, and finds them by it', async () => {
    for (const key of ['a', 'a/b', 'dir/', 'dir//deep', 'dir/x']) world.platform.addObject(key);
    const top = await world.directory('volumes/ada/bucket');
    expect(await world.list(top)).toEqual(['a', 'svc~a%2F', 'dir']);
    const dir = await world.directory('volumes/ada/bucket/dir');
    expect(await world.list(dir)).toEqual(['svc~', 'x', 'svc~%2F']);
    world.tree.expire(top);
    world.tree.expire(dir);
    for (const [path, location] of [
      ['a', 'a'],
      ['svc~a%2F/b', 'a/b'],
      ['dir/svc~', 'dir/'],
      ['dir/svc~%2F/deep', 'dir//deep'],
    ]) {
      expect(await world.at(`volumes/ada/bucket/${path}`)).toMatchObject({ location });
    }
  });

  it('finds what is beyond the first page of a level', async () => {
    world.platform.volumePage = 2;
    for (const key of ['a', 'b', 'c', 'd/e', 'f']) world.platform.addObject(key);
    await world.directory('volumes/ada/bucket');
    world.platform.taken();
    await world.at('volumes/ada/bucket/f');
    expect(world.platform.taken()).toEqual(['volumes.get', 'volumes.contents', 'volumes.object']);
    await world.at('volumes/ada/bucket/d');
    expect(world.platform.taken()).toEqual(['volumes.object', 'volumes.contents']);
    expect(await world.lookup('volumes/ada/bucket/none')).toBeUndefined();
    expect(world.platform.taken()).toEqual(['volumes.object', 'volumes.contents']);
    expect(await world.list(await world.directory('volumes/ada/bucket'))).toEqual(['a', 'b', 'c', 'd', 'f']);
  });

  it('finds a level whose first page is empty', async () => {
    world.platform.volumePage = 2;
    for (const key of ['a', 'b', 'c', 'd/a', 'd/b', 'd/c', 'e/a']) world.platform.addObject(key);
    for (const key of ['d/a', 'd/b', 'e/a']) world.platform.passedOver.add(key);
    const level = await world.directory('volumes/ada/bucket/d');
    expect(await world.list(level)).toEqual(['c']);
    expect(await world.lookup('volumes/ada/bucket/e')).toBeUndefined();
  });

  it('keeps folders made here until others are known', async () => {
    const top = await world.directory('volumes/ada/bucket');
    if (top.kind !== 'volume-directory') throw new Error('no volume');
    const made = world.tree.newVolumeDirectory(top, 'made');
    world.tree.placed(made);
    world.platform.taken();
    expect(await world.lookup('volumes/ada/bucket/made/none')).toBeUndefined();
    expect(world.platform.taken()).toEqual([]);
    expect(await world.list(top)).toEqual(['made']);
    await world.clock.advance(TTL_MS);
    expect(await world.list(top)).toEqual(['made']);
  });

  it('keeps the size of an object that is listed without one', async () => {
    world.platform.addObject('o');
    const full = world.platform.objects.get('o')!;
    const node = await world.at('volumes/ada/bucket/o');
    world.platform.objects.set('o', { ...full, sizeBytes: undefined });
    await world.clock.advance(TTL_MS);
    await world.list(await world.directory('volumes/ada/bucket'));
    expect(await world.at('volumes/ada/bucket/o')).toBe(node);
    expect(node).toMatchObject({ record: { sizeBytes: 5 } });
  });

  it('keeps what was asked of an object when the store lists it with nothing, and asks again who wants to know', async () => {
    world.platform.addObject('o');
    const full = world.platform.objects.get('o')!;
    const bare = { ...full, sizeBytes: undefined, etag: undefined, modifiedMs: undefined };
    world.platform.objects.set('o', bare);
    const node = await world.at('volumes/ada/bucket/o');
    if (node.kind !== 'volume-object') throw new Error('no object');
    world.platform.objects.set('o', full);
    await world.tree.revalidate(node, NEVER);
    const opened = versionOf(node);
    world.platform.objects.set('o', bare);
    await world.clock.advance(TTL_MS);
    await world.list(await world.directory('volumes/ada/bucket'));
    expect(versionOf(node)).toEqual(opened);
    world.platform.objects.set('o', { ...full, etag: undefined, modifiedMs: undefined, sizeBytes: 6 });
    await expect(world.tree.revalidate(node, NEVER)).rejects.toMatchObject({ errno: 'ESTALE' });
  });

  it('asks for the size of an object that the store lists without one', async () => {
    world.platform.addObject('o');
    const full = world.platform.objects.get('o')!;
    world.platform.objects.set('o', { ...full, sizeBytes: undefined });
    const node = await world.at('volumes/ada/bucket/o');
    world.platform.objects.set('o', full);
    expect(await world.tree.currentAttributesOf(node, NEVER)).toMatchObject({ attributes: { sizeBytes: 5 } });
    expect(await world.at('volumes/ada/bucket/o')).toBe(node);
  });
});

describe('what the kernel is to forget of a name', () => {
  it.each([
    ['need not be told once a lookup has told what has the name', false],
    ['is still told when another client takes the name while the lookup goes on', true],
  ])('%s', async (_, isGone) => {
    world.platform.addFile(root, 'f');
    const parent = await world.directory('projects/ada/one');
    const node = await world.file('projects/ada/one/f');
    vi.spyOn(world.tree, 'childToShow').mockImplementation(async () => {
      if (isGone) parent.children.remove('f', world.clock.now());
      return node;
    });
    const lookedUp = vi.spyOn(world.kernel, 'lookedUp');
    const fs = new SvcFileSystem({ tree: world.tree } as FileSystemParts);
    const context = { signal: NEVER } as Parameters<SvcFileSystem['lookup']>[2];
    await fs.lookup(parent.id, 'f', context);
    expect(lookedUp.mock.calls).toEqual(isGone ? [] : [[parent.id, 'f']]);
  });
});
