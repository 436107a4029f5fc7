/** Attributes that the platform has no place for: accepted and counted, or refused (`--unkept`). */
import { afterEach, describe, expect, it } from 'vitest';
import { nanosecondsOf } from '../../../../../src/lib/nanoseconds.ts';
import type { AttributeChanges } from '../../../../../src/vfs/file-system.ts';
import type { Node, VolumeDirectoryNode } from '../../../../../src/vfs/model/node.ts';
import type { TreeOptions } from '../../../../../src/vfs/model/tree.ts';
import { ChangingWorld } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
let volume: VolumeDirectoryNode;
async function start(options: Partial<TreeOptions> = {}): Promise<void> {
  world = await ChangingWorld.start({ staging: true, options: { temporaryNames: ['*~'], ...options } });
  volume = await world.volume('bucket', { 'there/object': 'old' });
}
afterEach(() => world.end());

async function set(node: Node, changes: AttributeChanges): Promise<void> {
  await world.side.mutations.setattr(node, changes, { handle: undefined, context: world.by() });
}

const shown = (node: Node) => world.tree.attributesOf(node).attributes;
const level = async () => (await world.child('there', volume)) as VolumeDirectoryNode;
const object = async () => (await world.child('object', await level()))!;

const JUNE = nanosecondsOf(Date.UTC(2020, 5, 1));

describe('an owner', () => {
  it('is accepted and forgotten, and the mode that is set with it is kept', async () => {
    await start();
    const node = await world.put('f', 'text');
    await set(node, { uid: 0, gid: 0, mode: 0o640 });
    await set(world.folder, { uid: 0 });
    expect(shown(node)).toMatchObject({ uid: 1000, gid: 1000, mode: 0o100_640 });
    expect(shown(world.folder)).toMatchObject({ uid: 1000, gid: 1000 });
    expect(world.tree.unkept.snapshot()).toEqual({ owner: 2, mode: 0, time: 0 });
  });

  it('is not counted when it is the one that is shown', async () => {
    await start();
    await set(await world.put('f', 'text'), { uid: 1000, gid: 1000 });
    expect(world.tree.unkept.snapshot()).toEqual({ owner: 0, mode: 0, time: 0 });
  });

  it('is EPERM with a reason when it is to be refused, and nothing is set', async () => {
    await start({ unkept: 'refuse' });
    const node = await world.put('f', 'text');
    await expect(set(node, { uid: 0, mode: 0o600 })).rejects.toMatchObject({
      errno: 'EPERM',
      message: expect.stringMatching(/^f gets no other owner: .*--owner kept.*--unkept refuse/),
    });
    expect(shown(node)).toMatchObject({ mode: 0o100_644 });
    await set(node, { uid: 1000, mode: 0o600 });
    expect(shown(node)).toMatchObject({ mode: 0o100_600 });
  });

  it('of what the file system makes itself cannot be set', async () => {
    await start();
    await expect(set(world.tree.root, { uid: 0 })).rejects.toMatchObject({ errno: 'EPERM' });
  });
});

describe('mode and time of what is on a volume', () => {
  it('are accepted and forgotten, of objects and of levels', async () => {
    await start();
    for (const node of [await object(), await level(), volume]) {
      const before = shown(node);
      await set(node, { mode: 0o600, mtimeNs: JUNE });
      expect(shown(node)).toEqual(before);
    }
    expect(world.tree.unkept.snapshot()).toEqual({ owner: 0, mode: 3, time: 3 });
    expect(await world.onVolume(volume)).toMatchObject({ 'there/object': 'old' });
  });

  it('are accepted of an object that is being written', async () => {
    await start();
    const { node, handle } = await world.create('new', { parent: volume });
    await world.write(handle, 'text');
    await set(node, { uid: 0, mode: 0o600, mtimeNs: JUNE });
    await world.close(handle);
    expect(await world.onVolume(volume)).toMatchObject({ new: 'text' });
    expect(world.tree.unkept.snapshot()).toEqual({ owner: 1, mode: 1, time: 1 });
  });

  it.each([{ mode: 0o600 }, { mtimeNs: JUNE }, { uid: 0 }])(
    'are EPERM when they are to be refused: %o',
    async (changes) => {
      await start({ unkept: 'refuse' });
      for (const node of [await object(), await level()])
        await expect(set(node, changes)).rejects.toMatchObject({ errno: 'EPERM' });
      expect(world.tree.unkept.snapshot()).toEqual({ owner: 0, mode: 0, time: 0 });
    },
  );

  it('count neither for touch of a file being written, nor while the file stays here for its name', async () => {
    await start({ unkept: 'refuse' });
    const { node, handle } = await world.create('new', { parent: volume });
    await set(node, { mtimeNs: 'now' });
    await world.close(handle);
    const temporary = await world.put('new~', 'text', volume);
    await set(temporary, { mode: 0o600, mtimeNs: JUNE });
    expect(shown(temporary)).toMatchObject({ mode: 0o100_600, mtimeNs: JUNE });
    await expect(set(temporary, { uid: 0 })).rejects.toMatchObject({ errno: 'EPERM' });
  });
});
