import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProjectFileNode, VolumeDirectoryNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, O_WRONLY } from '../../../../support/changing-world.ts';

let world: ChangingWorld;

let volume: VolumeDirectoryNode;

beforeEach(async ({ task }) => {
  world = await ChangingWorld.start({ staging: task.suite?.name === 'with a staging project' });
  volume = await world.volume('bucket', { 'in/reads.txt': 'ACGT', 'in/deep/more.txt': 'TTTT', plain: 'N' });
});

afterEach(() => world.end());

describe('cp', () => {
  it('copies a file inside the platform', async () => {
    const node = await world.put('a', 'text');
    world.storageBytes();
    await world.copy(node, 'b', world.folder);
    await world.copy(node, 'a', world.otherProject);
    expect(world.storageBytes()).toBe(0);
    expect(await world.onPlatform()).toEqual({ a: 'text', b: 'text' });
    expect(await world.onPlatform(world.otherProject)).toEqual({ a: 'text' });
    expect(await world.cat('b')).toBe('text');
  });

  it('copies over a file, which keeps its metadata', async () => {
    const target = await world.put('b', 'old');
    await world.tree.api.files.edit(target.record!.id, { metadata: { sample: 's1' } });
    world.tree.expire(world.folder);
    const source = await world.put('a', 'new');
    world.storageBytes();
    await world.copy(source, 'b', world.folder);
    expect(world.storageBytes()).toBe(0);
    expect(await world.onPlatform()).toEqual({ a: 'new', b: 'new' });
    expect(((await world.child('b')) as ProjectFileNode).record?.metadata).toEqual({ sample: 's1' });
  });

  it('exports a copy to a volume; the file stays what it was', async () => {
    const node = await world.put('a', 'text');
    world.storageBytes();
    await world.copy(node, 'a', volume);
    expect(world.storageBytes()).toBe(0);
    expect(await world.onVolume(volume)).toMatchObject({ a: 'text' });
    expect(((await world.child('a')) as ProjectFileNode).record?.storage.kind).toBe('platform');
    expect(await world.cat('a', volume)).toBe('text');
  });

  it('imports an object as an alias', async () => {
    const object = await world.child('plain', volume);
    world.storageBytes();
    await world.copy(object!, 'p', world.folder);
    expect(world.storageBytes()).toBe(0);
    expect(((await world.child('p')) as ProjectFileNode).record?.storage.kind).toBe('volume');
    expect(await world.cat('p')).toBe('N');
  });

  it('sends the bytes when the copy was changed before it was closed', async () => {
    const source = await world.put('a', 'text');
    const from = await world.open(source, O_RDONLY);
    const { handle } = await world.create('b');
    await world.side.openFiles.copyFileRange(
      { handle: from, offset: 0 },
      { handle, offset: 0 },
      { length: 100, context: world.by() },
    );
    await world.write(handle, 'T', 0);
    await world.close(handle);
    await world.close(from);
    expect(await world.onPlatform()).toEqual({ a: 'text', b: 'Text' });
  });

  it('sends the caller back to reading and writing while the source has changes of its own', async () => {
    const { handle: from } = await world.create('a');
    await world.write(from, 'text');
    const { handle } = await world.create('b');
    const copying = world.side.openFiles.copyFileRange(
      { handle: from, offset: 0 },
      { handle, offset: 0 },
      { length: 4, context: world.by() },
    );
    await expect(copying).rejects.toMatchObject({ errno: 'EXDEV' });
    await world.close(handle);
    await world.close(from);
  });

  it('refuses an empty file on a volume when it is closed', async () => {
    const { handle } = await world.create('new', { parent: volume });
    await expect(world.close(handle)).rejects.toMatchObject({ errno: 'EROFS' });
    expect(await world.child('new', volume)).toBeUndefined();
  });

  it('refuses bytes for a volume, leaves nothing there, and says what would help', async () => {
    const { handle } = await world.create('new', { parent: volume });
    await expect(world.write(handle, 'text')).rejects.toMatchObject({
      errno: 'EROFS',
      message: expect.stringContaining('staging project'),
    });
    await expect(world.close(handle)).rejects.toMatchObject({ errno: 'EROFS' });
    expect(await world.child('new', volume)).toBeUndefined();
    expect(Object.keys(await world.onVolume(volume))).not.toContain('new');
  });
});

describe('with a staging project', () => {
  it('puts a file there that mknod made', async () => {
    await world.side.mutations.mknod({ parent: volume, name: 'new' }, 0o100644, world.by());
    expect(await world.side.idle(world.by().signal)).toEqual({ waiting: [], refused: [] });
    expect(await world.onVolume(volume)).toMatchObject({ new: '' });
  });

  it('writes bytes to a volume, and leaves nothing behind', async () => {
    await world.put('new', 'written here', volume);
    expect(await world.onVolume(volume)).toMatchObject({ new: 'written here' });
    expect(await world.onPlatform(world.otherProject)).toEqual({});
    expect(await world.cat('new', volume)).toBe('written here');
  });

  it('writes over an object, and into one', async () => {
    await world.put('plain', 'replaced', volume);
    expect(await world.cat('plain', volume)).toBe('replaced');
    const handle = await world.open((await world.child('plain', volume))!, O_WRONLY);
    await world.write(handle, 'RE', 0);
    await world.close(handle);
    expect(await world.onVolume(volume)).toMatchObject({ plain: 'REplaced' });
  });

  it('copies an alias, which the platform does not export, by its bytes', async () => {
    await world.rename('plain', 'p', { parent: volume, toParent: world.folder });
    await world.copy((await world.child('p'))!, 'again', volume);
    expect(await world.onVolume(volume)).toMatchObject({ again: 'N' });
  });
});
