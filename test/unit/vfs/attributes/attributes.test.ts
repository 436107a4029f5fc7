import { describe, expect, it } from 'vitest';
import { isReservedKey } from '../../../../src/metadata/own-pairs.ts';
import { readReservedPairs, reservedPairs } from '../../../../src/vfs/attributes/reserved-pairs.ts';
import { inodeNumber } from '../../../../src/vfs/model/inode-number.ts';
import { NodeMaker } from '../../../../src/vfs/model/node-maker.ts';
import { ReadingWorld } from '../../../support/reading-world.ts';

async function modeOf(world: ReadingWorld, path: string): Promise<number> {
  return world.tree.attributesOf(await world.at(path)).attributes.mode;
}

describe('attributes', () => {
  it('belong to who mounted, with one link for directories', async () => {
    const world = new ReadingWorld();
    const { attributes } = world.tree.attributesOf(await world.at('projects/ada/one'));
    expect(attributes).toMatchObject({ uid: 1, gid: 2, nlink: 1, mode: 0o040_755 });
  });

  it('of a file are those of its record, but for what was set and what is being written', async () => {
    const world = new ReadingWorld();
    const metadata = { 'svcfs.mode': '750', 'svcfs.mtime': '1234' };
    world.platform.addFile(world.platform.rootOf('one'), 'f', { sizeBytes: 5, metadata });
    const node = await world.file('projects/ada/one/f');
    const shown = () => world.tree.attributesOf(node).attributes;
    expect(shown()).toMatchObject({ mode: 0o100_750, mtimeNs: 1_234_000_000n, sizeBytes: 5 });
    node.mode = 0o600;
    node.mtimeNs = 99n;
    expect(shown()).toMatchObject({ mode: 0o100_600, mtimeNs: 99n });
  });

  it('have no write bits where nothing can be written', async () => {
    const world = new ReadingWorld({ readOnly: true });
    world.platform.addFile(world.platform.rootOf('one'), 'f');
    expect(await modeOf(world, 'projects/ada/one/f')).toBe(0o100_444);
    expect(await modeOf(world, 'projects')).toBe(0o040_555);
    const other = new ReadingWorld();
    const project = await other.directory('projects/ada/one');
    await other.list(project);
    if (project.kind !== 'project-folder' || !project.project.record) throw new Error('no details');
    const { permissions } = project.project.record;
    project.project.record = { ...project.project.record, permissions: { ...permissions, write: false } };
    expect(await modeOf(other, 'projects/ada/one')).toBe(0o040_555);
  });

  it('of .svcfs are those of the user who mounted alone, whatever --uid and --umask say', async () => {
    const world = new ReadingWorld({ uid: 7, gid: 8, mounter: { uid: 1, gid: 2 }, umask: 0 });
    const source = { isPrivate: true, ttlMs: 0, entries: () => ({ entries: [] }) };
    const make = new NodeMaker(world.tree.nodes, world.tree.folderState);
    const directory = make.virtualDirectory({ parent: world.tree.root, name: '.svcfs' }, source);
    const owner = { uid: 1, gid: 2 };
    expect(world.tree.attributesOf(directory).attributes).toMatchObject({ ...owner, mode: 0o040_700 });
    expect(world.tree.attributesOf(world.tree.root).attributes).toMatchObject({ uid: 7, mode: 0o040_777 });
  });

  it('of a project are not kept by the kernel before its details are known', async () => {
    const world = new ReadingWorld();
    const project = await world.directory('projects/ada/one');
    expect(world.tree.attributesOf(project).ttlMs).toBe(0);
    expect(world.tree.entryOf(project).entryTtlMs).toBeGreaterThan(0);
    await world.list(project);
    expect(world.tree.attributesOf(project).ttlMs).toBeGreaterThan(0);
  });
});

describe('inode numbers', () => {
  it('are the same for the same id, and never those that mean something else', () => {
    expect(inodeNumber('a')).toBe(inodeNumber('a'));
    expect(inodeNumber('a')).not.toBe(inodeNumber('b'));
    expect(inodeNumber('a')).toBeGreaterThan(1n);
    expect(inodeNumber('a')).toBeLessThan(2n ** 64n);
  });
});

describe('pairs of our own', () => {
  it('are read as they were written', () => {
    const facts = { mode: 0o644, mtimeNs: 1_700_000_000_123_456_789n };
    const pairs = reservedPairs(facts);
    expect(Object.keys(pairs).every(isReservedKey)).toBe(true);
    expect(readReservedPairs(pairs)).toEqual(facts);
  });

  it('that have a time in milliseconds, as earlier versions wrote it, are read', () => {
    expect(readReservedPairs({ 'svcfs.mtime': '-1500' })).toEqual({ mtimeNs: -1_500_000_000n });
  });

  it('that someone else wrote are left alone', () => {
    expect(readReservedPairs({ 'svcfs.mode': 'rwx', 'svcfs.mtime': 'noon' })).toEqual({});
  });
});
