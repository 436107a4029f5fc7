/** Files that are written in a folder while it gets another name: it, and each folder in it, has another id then. */
import { constants } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api, AsyncFilesApi, FilesApi } from '../../../../../src/api/api.ts';
import { folderIdOf, type Node, type ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_WRONLY, withMethods } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
let outer: ProjectFolderNode;
let inner: ProjectFolderNode;
/** The work done here while the platform is moving a folder. */
let meanwhile: () => Promise<unknown>;
/** The work done here when it is moved, and nobody was told yet. */
let untold: () => Promise<unknown>;
/** How many listings fail from now on. */
let failing: number;

function troubled(api: Api): Api {
  const start: AsyncFilesApi['start'] = async (...given) => {
    await meanwhile();
    return api.asyncFiles.start(...given);
  };
  const get: AsyncFilesApi['get'] = async (...given) => {
    const job = await api.asyncFiles.get(...given);
    if (job.state === 'FINISHED') await untold();
    return job;
  };
  const list: FilesApi['list'] = (...given) => {
    if (failing === 0) return api.files.list(...given);
    failing -= 1;
    return Promise.reject(new Error('the service is away'));
  };
  return withMethods(api, {
    asyncFiles: withMethods(api.asyncFiles, { start, get }),
    files: withMethods(api.files, { list }),
  });
}

beforeEach(async () => {
  meanwhile = untold = async () => {};
  failing = 0;
  world = await ChangingWorld.start({ api: troubled });
  outer = await folder('outer', world.folder);
  inner = await folder('inner', outer);
});
afterEach(() => world.end());

async function folder(name: string, parent: ProjectFolderNode): Promise<ProjectFolderNode> {
  const place = { parent, name };
  return (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
}

/** Begins a file, and answers what ends it. */
async function begin(name: string, parent: ProjectFolderNode): Promise<() => Promise<void>> {
  const { handle } = await world.create(name, { parent });
  await world.write(handle, name);
  return () => world.close(handle);
}

function unlinkIn(parent: ProjectFolderNode, name: string): Promise<unknown> {
  return Promise.resolve(world.side.mutations.unlink({ parent, name }, world.by()));
}

/** The platform's, by another client's look. */
async function isComplete(): Promise<void> {
  const moved = (await world.child('other')) as ProjectFolderNode;
  expect(await world.onPlatform(moved)).toEqual({ half: 'half', inner: '/' });
  expect(await world.onPlatform((await world.child('inner', moved)) as ProjectFolderNode)).toEqual({
    deep: 'deep',
  });
}

it('completes what is begun in it meanwhile where the folder is by then', async () => {
  const ends: (() => Promise<void>)[] = [];
  meanwhile = async () => {
    ends.push(await begin('half', outer), await begin('deep', inner));
  };
  await world.rename('outer', 'other');
  for (const end of ends) await end();
  await isComplete();
});

it('completes what is closed in it after it was moved, and before that was told', async () => {
  const closing: Promise<void>[] = [];
  untold = async () => {
    for (const end of [await begin('half', outer), await begin('deep', inner)]) closing.push(end());
  };
  await world.rename('outer', 'other');
  await Promise.all(closing);
  await isComplete();
});

describe('goes to another project', () => {
  const moved = async () => (await world.child('other', world.otherProject)) as ProjectFolderNode;

  it('with what is begun in it meanwhile', async () => {
    await world.put('old', 'old', outer);
    const ends: (() => Promise<void>)[] = [];
    meanwhile = async () => {
      const handle = await world.open((await world.child('old', outer))!, O_WRONLY);
      await world.write(handle, 'W');
      ends.push(() => world.close(handle), await begin('half', outer), await begin('deep', inner));
    };
    await world.rename('outer', 'other', { toParent: world.otherProject });
    for (const end of ends) await end();
    expect(await world.onPlatform(await moved())).toEqual({ old: 'Wld', half: 'half', inner: '/' });
    const inIt = (await world.child('inner', await moved())) as ProjectFolderNode;
    expect(await world.onPlatform(inIt)).toEqual({ deep: 'deep' });
    expect(await world.cat('old', await moved())).toBe('Wld');
    expect((await world.child('half', await moved()))?.parent).toBe(await moved());
  });

  it('with the named pipes that are made in it meanwhile', async () => {
    const made: Node[] = [];
    meanwhile = async () => {
      for (const parent of [outer, inner])
        made.push(
          await world.side.mutations.mknod({ parent, name: 'pipe' }, constants.S_IFIFO | 0o600, world.by()),
        );
    };
    await world.rename('outer', 'other', { toParent: world.otherProject });
    const inIt = (await world.child('inner', await moved())) as ProjectFolderNode;
    expect([await world.child('pipe', await moved()), await world.child('pipe', inIt)]).toEqual(made);
  });

  it('with what is closed in it after it was moved, and before that was told', async () => {
    const closing: Promise<void>[] = [];
    untold = async () => {
      for (const end of [await begin('half', outer), await begin('deep', inner)]) closing.push(end());
    };
    await world.rename('outer', 'other', { toParent: world.otherProject });
    await Promise.all(closing);
    expect(await world.onPlatform(await moved())).toEqual({ half: 'half', inner: '/' });
  });
});

describe('is not taken for gone by who', () => {
  it.each([
    ['lists its folder', () => world.tree.listings.ahead(world.folder, 'background')],
    [
      'looks it up',
      () => {
        world.tree.expire(world.folder);
        return world.child('outer');
      },
    ],
  ])('%s before its move is told', async (_, look) => {
    await world.put('f', 'text', outer);
    const ends = [await begin('half', outer), await begin('deep', inner)];
    untold = look;
    await world.rename('outer', 'other');
    expect(await world.child('other')).toBe(outer);
    expect(await world.child('outer')).toBeUndefined();
    const inIt = (await world.tree.childrenOf(outer, world.by().signal)).filter(
      ({ parent }) => parent === outer,
    );
    expect(inIt.map(({ name }) => name).sort()).toEqual(['f', 'half', 'inner']);
    expect(await world.cat('f', outer)).toBe('text');
    for (const end of ends) await end();
    await unlinkIn(outer, 'f');
    await isComplete();
  });
});

describe('when nothing can be listed after the move', () => {
  it('is renamed all the same, and what is written in it is completed there', async () => {
    const ends = [await begin('half', outer), await begin('deep', inner)];
    meanwhile = async () => {
      failing = 1;
    };
    await world.rename('outer', 'other');
    expect(world.tree.errors.lastAt('/one/other')).toMatchObject({ text: expect.stringContaining('away') });
    for (const end of ends) await end();
    await isComplete();
  });

  it('has the folders in it asked for at their next use', async () => {
    const before = folderIdOf(inner);
    const told: string[] = [];
    world.tree.kernel.attach({
      invalidateEntry: (_parent, name) => told.push(name),
      lookedUp: () => undefined,
      invalidateNode: () => undefined,
    });
    meanwhile = async () => {
      failing = 1;
    };
    await world.rename('outer', 'other');
    expect(told).toContain('inner');
    expect(await world.child('inner', outer)).toBe(inner);
    expect(folderIdOf(inner)).not.toBe(before);
  });
});
