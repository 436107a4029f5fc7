/** What is set on a file whose next content is being written, or on its way. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProjectFileNode } from '../../../src/vfs/node.ts';
import { FileMetadata } from '../../../src/vfs/xattr/file-metadata.ts';
import { ChangingWorld, O_TRUNC, O_WRONLY, withMethods } from '../../support/changing-world.ts';
import { Gate } from '../../support/gate.ts';

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

describe('with as many pairs as a file may have', () => {
  const pairs = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, 'v']));
  const errno = { errno: 'ENOSPC' };

  async function chmod(node: ProjectFileNode, mode: number): Promise<void> {
    await world.side.mutations.setattr(node, { mode }, { handle: undefined, context: world.by() });
  }

  it('a mode, which is one, is refused, and the file is published', async () => {
    const { node, handle } = await world.create('f');
    await world.write(handle, 'text');
    await metadata.merge(node, pairs, signal);
    await expect(chmod(node, 0o600)).rejects.toMatchObject(errno);
    await world.close(handle);
    expect(await pairsOnPlatform(node)).toEqual(pairs);
    await expect(chmod(node, 0o600)).rejects.toMatchObject(errno);
    expect(world.tree.attributesOf(node).attributes.mode).toBe(0o100644);
  });

  it.each([
    ['one by one', (node: ProjectFileNode) => metadata.merge(node, pairs, signal)],
    ['all at once', (node: ProjectFileNode) => metadata.replaceAll(node, pairs, signal)],
  ])('they are refused to a file that has a mode, set %s, and it is published', async (_, set) => {
    const { node, handle } = await world.create('f');
    await world.write(handle, 'text');
    await chmod(node, 0o600);
    await expect(set(node)).rejects.toMatchObject(errno);
    await world.close(handle);
    expect(await pairsOnPlatform(node)).toEqual({ 'svcfs.mode': '600' });
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
