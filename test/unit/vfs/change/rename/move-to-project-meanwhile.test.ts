import { afterEach, expect, it, vi } from 'vitest';
import { ContentTable } from '../../../../../src/vfs/model/content-table.ts';
import type { ProjectFileNode } from '../../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import { ChangingWorld, O_TRUNC, O_WRONLY } from '../../../../support/changing-world.ts';
import { Gate } from '../../../../support/gate.ts';

let world: ChangingWorld;
afterEach(() => world.end());

it('a file is not written while it is moved to another project: whoever opens it looks its name up again', async () => {
  world = await ChangingWorld.start();
  const node = await world.put('a', 'moved');
  const { asyncFiles } = world.tree.api;
  const start = asyncFiles.start.bind(asyncFiles);
  const opening = new Gate<Promise<unknown>>();
  vi.spyOn(asyncFiles, 'start').mockImplementationOnce(async (...given) => {
    const started = await start(...given);
    opening.open(world.open(node, O_WRONLY | O_TRUNC).catch((error: unknown) => error));
    return started;
  });
  await world.rename('a', 'b', { toParent: world.otherProject });
  expect(await opening.opened).toMatchObject({ errno: 'ESTALE' });
  expect(await world.child('a')).toBeUndefined();
  expect(await world.onPlatform(world.otherProject)).toEqual({ b: 'moved' });
});

it('a file that is written anew just before its move takes on what it replaces', async () => {
  world = await ChangingWorld.start();
  const old = await world.put('b', 'old', world.otherProject);
  await new FileMetadata(world.tree).merge(old, { sample: 's1' }, world.by().signal);
  await world.put('a', 'first');
  const { holding } = ContentTable.prototype;
  vi.spyOn(ContentTable.prototype, 'holding').mockImplementationOnce(async function (
    this: ContentTable,
    ...given
  ) {
    await world.put('a', 'second');
    return holding.apply(this, given) as Promise<never>;
  });
  await world.rename('a', 'b', { toParent: world.otherProject });
  expect(await world.onPlatform(world.otherProject)).toEqual({ b: 'second' });
  const { record } = (await world.child('b', world.otherProject)) as ProjectFileNode;
  expect(record?.metadata).toEqual({ sample: 's1' });
});
