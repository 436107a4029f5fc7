/** Attributes that are set on a file whose next content is being written, or on its way. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import { ChangingWorld, O_TRUNC, O_WRONLY, withMethods } from '../../../../support/changing-world.ts';
import { Gate } from '../../../../support/gate.ts';

let world: ChangingWorld;
let metadata: FileMetadata;
const signal = new AbortController().signal;

beforeEach(async () => {
  world = await ChangingWorld.start();
  metadata = new FileMetadata(world.tree);
});
afterEach(() => world.end());

async function pairsOnPlatform(node: ProjectFileNode): Promise<object> {
  const record = await world.tree.api.files.get(node.record!.id);
  return record.kind === 'file' ? record.metadata : {};
}

describe('the MD5 that is set of the next content', () => {
  it.each([
    ['as a pair', (node: ProjectFileNode) => metadata.merge(node, { md5_sum: 'of new' }, signal)],
    [
      'with all metadata',
      (node: ProjectFileNode) => metadata.replaceAll(node, { md5_sum: 'of new' }, signal),
    ],
  ])('comes with it: %s', async (_, set) => {
    const node = await world.put('f', 'text');
    await metadata.merge(node, { md5_sum: 'of old' }, signal);
    const handle = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(handle, 'more text');
    await set(node);
    expect(metadata.pairs(node)).toEqual({ md5_sum: 'of new' });
    await world.close(handle);
    expect(await pairsOnPlatform(node)).toEqual({ md5_sum: 'of new' });
  });
});

describe('pairs and tags that are set when the new content is there, and the close does not know it yet', () => {
  it.each([
    ['as large', 'TEXT'],
    ['larger', 'more text'],
  ])('are taken: of content %s', async (_, text) => {
    const node = await world.put('f', 'text');
    await metadata.merge(node, { kept: '1', removed: '1' }, signal);
    const handle = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(handle, text);
    const [isThere, goingOn] = [new Gate(), new Gate()];
    const draft = node.draft!;
    const publish: typeof draft.publish = async (...args) => {
      const file = await draft.publish(...args);
      isThere.open();
      await goingOn.opened;
      return file;
    };
    node.draft = withMethods(draft, { publish });
    const closed = world.close(handle);
    await isThere.opened;
    await metadata.merge(node, { set: '1' }, signal);
    await metadata.removePair(node, 'removed', signal);
    await metadata.setTags(node, ['set'], signal);
    goingOn.open();
    await closed;
    expect(await pairsOnPlatform(node)).toEqual({ kept: '1', set: '1' });
    expect(node.record).toMatchObject({ tags: ['set'], metadata: { kept: '1', set: '1' } });
  });
});

it('content is not replaced when the service would refuse the metadata that it is to keep', async () => {
  const node = await world.put('f', 'text');
  node.record = { ...node.record!, metadata: { long: 'x'.repeat(301) } };
  const handle = await world.open(node, O_WRONLY | O_TRUNC);
  await world.write(handle, 'more text');
  await expect(world.close(handle)).rejects.toMatchObject({ errno: 'E2BIG' });
  expect(await world.onPlatform()).toEqual({ f: 'text' });
});

describe('with as many pairs as a file may have', () => {
  const pairs = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 'v']));
  const errno = { errno: 'ENOSPC' };

  async function chmod(node: ProjectFileNode, mode: number): Promise<void> {
    await world.side.mutations.setattr(node, { mode }, { handle: undefined, context: world.by() });
  }

  async function touch(node: ProjectFileNode): Promise<void> {
    await world.side.mutations.setattr(node, { mtimeNs: 7n }, { handle: undefined, context: world.by() });
  }

  async function writeAnew(node: ProjectFileNode): Promise<void> {
    const handle = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(handle, 'more text');
    await touch(node);
    await chmod(node, 0o600);
    await world.close(handle);
  }

  async function full(name: string): Promise<ProjectFileNode> {
    const node = await world.put(name, 'text');
    await metadata.replaceAll(node, pairs, signal);
    return node;
  }

  it('a mode and a time are left out, which is told once', async () => {
    const node = await full('f');
    const told = vi.spyOn(world.tree, 'recordError');
    await chmod(node, 0o600);
    await touch(node);
    expect(await pairsOnPlatform(node)).toEqual(pairs);
    expect(world.tree.attributesOf(node).attributes.mode).toBe(0o100644);
    expect(told).toHaveBeenCalledOnce();
    expect(world.tree.errors.lastAt('/one/f')).toMatchObject({ op: 'setattr', errno: 'ENOSPC' });
  });

  it.each([
    ['it is written anew with a mode and a time, as cp -p does', writeAnew],
    [
      'its mode is set and it is appended to',
      async (node: ProjectFileNode) => {
        await chmod(node, 0o600);
        const handle = await world.open(node, O_WRONLY);
        await world.write(handle, 'more text', 4);
        await world.close(handle);
      },
    ],
    [
      'its mode is set and it gets another name',
      async (node: ProjectFileNode) => {
        await chmod(node, 0o600);
        await world.rename('f', 'g');
      },
    ],
  ])('a file keeps all of them when %s', async (_, change) => {
    const node = await full('f');
    await change(node);
    expect(await pairsOnPlatform(node)).toEqual(pairs);
  });

  it.each(['in its folder', 'from another folder'])(
    'a file is replaced by one that has a mode and a time, which inherits all of them: %s',
    async (where) => {
      await full('f');
      const place = { parent: world.folder, name: 'd' };
      await world.side.mutations.mkdir(place, 0o755, world.by());
      const node = await world.put('new', 'new text');
      await chmod(node, 0o600);
      await touch(node);
      if (where === 'in its folder') await world.rename('new', 'f');
      else {
        const folder = (await world.child('d')) as ProjectFolderNode;
        await world.rename('new', 'new', { toParent: folder });
        await world.rename('new', 'f', { parent: folder, toParent: world.folder });
      }
      expect(await pairsOnPlatform(node)).toEqual(pairs);
      expect(await world.onPlatform()).toMatchObject({ f: 'new text' });
    },
  );

  it.each([
    ['one by one', (node: ProjectFileNode) => metadata.merge(node, pairs, signal)],
    ['all at once', (node: ProjectFileNode) => metadata.replaceAll(node, pairs, signal)],
  ])('they take the place of a mode and a time, set %s', async (_, set) => {
    const node = await world.put('f', 'text');
    await chmod(node, 0o600);
    await touch(node);
    await set(node);
    expect(await pairsOnPlatform(node)).toEqual(pairs);
    await expect(metadata.merge(node, { more: '1' }, signal)).rejects.toMatchObject(errno);
  });

  it('they take the place of a mode that is set while the file is written', async () => {
    const { node, handle } = await world.create('f');
    await world.write(handle, 'text');
    await chmod(node, 0o600);
    await metadata.merge(node, pairs, signal);
    await world.close(handle);
    expect(await pairsOnPlatform(node)).toEqual(pairs);
    expect(world.tree.attributesOf(node).attributes.mode).toBe(0o100644);
  });

  it('another takes the place of what describes the old content', async () => {
    const node = await world.put('f', 'text');
    const { k0, ...others } = pairs;
    await metadata.replaceAll(node, { ...others, md5_sum: 'of old' }, signal);
    const handle = await world.open(node, O_WRONLY | O_TRUNC);
    await world.write(handle, 'more text');
    await metadata.merge(node, { k0: k0! }, signal);
    await world.close(handle);
    expect(await pairsOnPlatform(node)).toEqual(pairs);
  });
});
