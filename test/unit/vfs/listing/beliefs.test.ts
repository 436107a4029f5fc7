/** While the rate limit is spent, what has expired is believed by those that only look. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../../src/vfs/file-system.ts';
import type { DirectoryNode } from '../../../../src/vfs/model/node.ts';
import { type FileSystemParts, SvcFileSystem } from '../../../../src/vfs/svc-file-system.ts';
import { NEVER, ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';

const CONTEXT: RequestContext = { uid: 1, gid: 2, pid: 0, signal: NEVER };

let world: ReadingWorld;
let fs: SvcFileSystem;
let folder: DirectoryNode;

beforeEach(async () => {
  world = new ReadingWorld();
  const root = world.platform.rootOf('one');
  world.platform.addFile(root, 'f', { sizeBytes: 7 });
  world.platform.addFolder(root, 'unseen');
  folder = await world.directory('projects/ada/one');
  await world.list(folder);
  const { tree, directories } = world;
  fs = new SvcFileSystem({ tree, directories } as FileSystemParts);
  await world.clock.advance(TTL_MS);
  world.platform.taken();
});

const lookup = (name: string) => fs.lookup(folder.id, name, CONTEXT);

describe('while the rate limit is spent', () => {
  beforeEach(() => {
    world.platform.spent = true;
  });

  it('names, attributes and listings that have expired are believed, and counted', async () => {
    const { node, entryTtlMs } = await lookup('f');
    if (node === undefined) throw new Error('f is absent');
    expect(entryTtlMs).toBe(0);
    expect(await lookup('absent')).toEqual({ node: undefined, entryTtlMs: 0 });
    expect(await fs.getattr(node, undefined, CONTEXT)).toMatchObject({
      attributes: { sizeBytes: 7 },
      ttlMs: 0,
    });
    await fs.opendir(folder.id, CONTEXT);
    expect(await world.list(folder)).toEqual(['f', 'unseen']);
    expect(world.platform.taken()).toEqual([]);
    expect(world.beliefs.snapshot()).toEqual({ now: true, answers: 5 });
  });

  it('a file that is opened to be read is the one that is known', async () => {
    const known = folder.children.get('f');
    if (known?.kind !== 'present') throw new Error('not known');
    await world.tree.revalidate(known.node, NEVER, { onlyLooks: true });
    expect(world.platform.taken()).toEqual([]);
    await world.tree.revalidate(known.node, NEVER);
    expect(world.platform.taken()).toEqual(['files.get']);
  });

  it('what changes the tree still asks', async () => {
    await world.tree.childOf(folder, 'f', NEVER);
    expect(world.platform.taken()).toEqual(['files.find']);
    await world.tree.childrenOf(folder, NEVER);
    expect(world.platform.taken()).toEqual(['files.list']);
  });

  it('what was never seen, and what is to be asked for anew, is asked for', async () => {
    const unseen = await world.directory('projects/ada/one/unseen');
    world.platform.taken();
    expect(await world.list(unseen)).toEqual([]);
    expect(world.platform.taken()).toEqual(['files.list']);
    world.tree.expire(folder);
    await lookup('f');
    expect(world.platform.taken()).not.toEqual([]);
  });
});

it('while the limit is not spent nothing is believed', async () => {
  await lookup('f');
  expect(world.platform.taken()).toEqual(['files.find']);
  expect(world.beliefs.snapshot()).toEqual({ now: false, answers: 0 });
});
