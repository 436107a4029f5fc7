/** Requests of the platform's API that a change costs: they are money. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Api } from '../../../../src/api/api.ts';
import type { ProjectFolderNode } from '../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, O_TRUNC, O_WRONLY, withMethods } from '../../../support/changing-world.ts';

let world: ChangingWorld;
beforeEach(async () => {
  world = await ChangingWorld.start();
  // Known as `ls` knows it; what the service can do was asked for when the first file was published.
  await world.put('warm', 'up');
  await world.side.mutations.unlink({ parent: world.folder, name: 'warm' }, world.by());
  await world.tree.childrenOf(world.folder, world.by().signal);
});
afterEach(() => world.end());

async function costOf(work: () => unknown): Promise<number> {
  const { stats } = world.service.services;
  stats.reset();
  await work();
  await world.side.idle(world.by().signal);
  return stats.apiRequests;
}

it('a small new file costs one request', async () => {
  expect(await costOf(() => world.put('a', 'text'))).toBe(1);
});

it('a small new file with a mode and a time of its own costs one: they go with its bytes', async () => {
  const cost = await costOf(async () => {
    const { node, handle } = await world.create('a', { flags: O_WRONLY | O_TRUNC });
    await world.write(handle, 'text');
    const how = { handle, context: world.by() };
    await world.side.mutations.setattr(node, { mode: 0o755 }, how);
    await world.side.mutations.setattr(node, { mtimeNs: 10n ** 18n }, how);
    await world.close(handle);
  });
  expect(cost).toBe(1);
  const node = await world.child('a');
  if (node?.kind !== 'project-file') throw new Error('a is not there');
  expect(node.record?.metadata).toEqual({ 'svcfs.mode': '755', 'svcfs.mtime': '1000000000.000000000' });
});

it('a mode or a time that is set on a published file costs one request, and none when it has that', async () => {
  const node = await world.put('a', 'text');
  const how = { handle: undefined, context: world.by() };
  for (const changes of [{ mode: 0o755 }, { mtimeNs: 10n ** 18n }, { mode: 0o700, mtimeNs: 7n }]) {
    const set = () => world.side.mutations.setattr(node, changes, how);
    expect(await costOf(set)).toBe(1);
    expect(await costOf(set)).toBe(0);
  }
});

it('touch of a new file costs one', async () => {
  const cost = await costOf(async () => {
    const { node, handle } = await world.create('a');
    await world.side.openFiles.flush(handle, world.by());
    await world.side.mutations.setattr(node, { mtimeNs: 'now' }, { handle, context: world.by() });
    await world.side.openFiles.release(handle);
  });
  expect(cost).toBe(1);
});

it('a file written aside and renamed over the old one costs two', async () => {
  await world.put('a', 'old');
  const cost = await costOf(async () => {
    await world.put('sedX1y2Z3', 'new');
    await world.rename('sedX1y2Z3', 'a');
  });
  expect(cost).toBe(2);
});

it('a folder, a removal, a rename and a move cost one each', async () => {
  await world.put('a', 'text');
  await world.put('b', 'text');
  let folder: ProjectFolderNode | undefined;
  const mkdir = async (): Promise<void> => {
    const place = { parent: world.folder, name: 'd' };
    folder = (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
  };
  expect(await costOf(mkdir)).toBe(1);
  expect(await costOf(() => world.rename('a', 'c'))).toBe(1);
  expect(await costOf(() => world.rename('c', 'c', { toParent: folder! }))).toBe(1);
  expect(
    await costOf(() => world.side.mutations.unlink({ parent: world.folder, name: 'b' }, world.by())),
  ).toBe(1);
});

it('opening a file of which nothing was asked lately costs one where the service tells of it with its link', async () => {
  const node = await world.put('a', 'text');
  node.checkedMs = 0;
  const cost = await costOf(async () => {
    const handle = await world.open(node, O_RDONLY);
    expect(await world.read(handle)).toBe('text');
    await world.close(handle);
  });
  expect(cost).toBe(1);
});

it('elsewhere it costs two, its facts and its link at the same time', async () => {
  let linkIsAskedFor = (): void => {};
  const linkAskedFor = new Promise<void>((resolve) => {
    linkIsAskedFor = resolve;
  });
  const inParallel = (api: Api): Api => {
    const calls: Partial<Api['files']> = {
      get: async (...given) => {
        await linkAskedFor;
        return api.files.get(...given);
      },
      downloadInfo: (...given) => {
        linkIsAskedFor();
        return api.files.downloadInfo(...given);
      },
    };
    return withMethods(api, { files: withMethods(api.files, calls), isKnownToOffer: () => false });
  };
  const other = await ChangingWorld.start({ api: inParallel });
  try {
    const node = await other.put('a', 'text');
    node.checkedMs = 0;
    const { stats } = other.service.services;
    stats.reset();
    const handle = await other.open(node, O_RDONLY);
    expect(await other.read(handle)).toBe('text');
    expect(stats.apiRequests).toBe(2);
    await other.close(handle);
  } finally {
    await other.end();
  }
});

it('a copy inside the platform costs one', async () => {
  const node = await world.put('a', 'text');
  expect(await costOf(() => world.copy(node, 'b', world.folder))).toBe(1);
});

it('an open for writing without a write costs none', async () => {
  const node = await world.put('a', 'text');
  expect(await costOf(async () => world.close(await world.open(node, O_WRONLY)))).toBe(0);
});
