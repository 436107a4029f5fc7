/** A rename to a name that was free when it was looked up, and that another client has taken since. */
import { afterEach, describe, expect, it } from 'vitest';
import type { AsyncFilesApi, FilesApi } from '../../../../../src/api/api.ts';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import type { ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, withMethods } from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

let world: ChangingWorld;
afterEach(() => world.end());

const upload = (to: ProjectFolderNode, name: string, text: string) =>
  world.user.upload(folderIdOf(to), name, text);

describe('a file moved to another project, where another client has made one since the name was looked up,', () => {
  /** Before each move on the platform, `before` is called with its number. */
  async function start(before: (move: number) => unknown = () => {}): Promise<void> {
    let moves = 0;
    world = await ChangingWorld.start({
      api: (api) => {
        const begin: AsyncFilesApi['start'] = async (...given) => {
          await before(++moves);
          return api.asyncFiles.start(...given);
        };
        return withMethods(api, { asyncFiles: withMethods(api.asyncFiles, { start: begin }) });
      },
    });
    await world.put('a', 'ours');
    expect(await world.child('f', world.otherProject)).toBeUndefined();
    const theirs = await upload(world.otherProject, 'f', 'theirs');
    await world.user.call('PATCH', `/files/${theirs.id}/metadata`, { body: { sample: 's1' } });
  }

  it('replaces it, as in one project', async () => {
    await start();
    await world.rename('a', 'f', { toParent: world.otherProject });
    expect(await world.onPlatform()).toEqual({});
    expect(await world.onPlatform(world.otherProject)).toEqual({ f: 'ours' });
    expect(await world.cat('f', world.otherProject)).toBe('ours');
    expect(await world.child('f', world.otherProject)).toMatchObject({
      record: { metadata: { sample: 's1' } },
    });
  });

  /** One that is known, and in whose place another client puts another one when it has just gone aside. */
  async function startOvertaken(): Promise<void> {
    let takes = false;
    await start(async (move) => {
      if (takes && move === 1) await upload(world.otherProject, 'f', 'newer');
    });
    takes = true;
    world.tree.expire(world.otherProject);
    expect(await world.cat('f', world.otherProject)).toBe('theirs');
  }

  it('lets nothing of what it replaced come back with the next mount, whatever has the name by then', async () => {
    await startOvertaken();
    await world.rename('a', 'f', { toParent: world.otherProject });
    await world.rename('f', 'g', { parent: world.otherProject });
    await world.side.recover();
    expect(await world.onPlatform(world.otherProject)).toEqual({ g: 'ours' });
    expect(await world.asides()).toEqual([]);
  });

  it('lets who reads what it replaced go on', async () => {
    await startOvertaken();
    const reader = await world.open((await world.child('f', world.otherProject))!, O_RDONLY);
    await world.rename('a', 'f', { toParent: world.otherProject });
    await world.rename('f', 'g', { parent: world.otherProject });
    expect(await world.read(reader)).toBe('theirs');
    await world.close(reader);
    await world.side.recover();
    expect(await world.onPlatform(world.otherProject)).toEqual({ g: 'ours' });
  });

  it('replaces it, also when it came in the place of one that was to be replaced, and has just gone aside', async () => {
    await startOvertaken();
    await world.rename('a', 'f', { toParent: world.otherProject });
    expect(await world.onPlatform()).toEqual({});
    expect(await world.cat('f', world.otherProject)).toBe('ours');
    await world.side.recover();
    expect(await world.onPlatform(world.otherProject)).toEqual({ f: 'ours' });
  });

  it('is back where it was when it may replace nothing: EEXIST', async () => {
    await start();
    const from = { parent: world.folder, name: 'a' };
    const to = { parent: world.otherProject, name: 'f' };
    const flags = { noReplace: true, exchange: false, whiteout: false };
    const renaming = world.side.mutations.rename(from, to, { flags, context: world.by() });
    await expect(renaming).rejects.toMatchObject({ errno: 'EEXIST' });
    expect(await world.onPlatform()).toEqual({ a: 'ours' });
    expect(await world.onPlatform(world.otherProject)).toEqual({ f: 'theirs' });
    expect(await world.cat('a')).toBe('ours');
  });

  it('is told of where it is when it cannot go back under its name', async () => {
    await start(async (move) => {
      if (move === 2) await upload(world.folder, 'a', 'another');
    });
    const renaming = world.rename('a', 'f', { toParent: world.otherProject });
    await expect(renaming).rejects.toThrow('f was taken meanwhile, and the moved entry is _1_a in /one now');
    expect(await world.onPlatform()).toEqual({ a: 'another', _1_a: 'ours' });
    expect(await world.onPlatform(world.otherProject)).toEqual({ f: 'theirs' });
    expect(await world.cat('_1_a')).toBe('ours');
    expect(await world.cat('f', world.otherProject)).toBe('theirs');
  });

  it('is told of where it is when it cannot go back at all', async () => {
    await start((move) => {
      if (move === 2) throw new Error('the service is away');
    });
    const renaming = world.rename('a', 'f', { toParent: world.otherProject });
    const where = 'f was taken meanwhile, and the moved entry is _1_f in /two now: the service is away';
    await expect(renaming).rejects.toThrow(where);
    expect(await world.cat('_1_f', world.otherProject)).toBe('ours');
    expect(await world.child('a')).toBeUndefined();
  });
});

describe.each(['folder', 'otherProject'] as const)('a file moved within %s, over one', (place) => {
  it('that is written here, and whose name another client has taken meanwhile, replaces both', async () => {
    world = await ChangingWorld.start();
    const parent = world[place];
    await world.put('a', 'ours');
    const { handle } = await world.create('f', { parent });
    await world.write(handle, 'half');
    const theirs = await upload(parent, 'f', 'theirs');
    await world.user.call('PATCH', `/files/${theirs.id}/metadata`, { body: { sample: 's1' } });
    await world.rename('a', 'f', { toParent: parent });
    expect(await world.cat('f', parent)).toBe('ours');
    expect(await world.child('f', parent)).toMatchObject({ record: { metadata: { sample: 's1' } } });
    await world.write(handle, 'more', 4);
    await world.close(handle);
    expect(await world.onPlatform(parent)).toEqual({ f: 'ours' });
    expect(await world.onPlatform(world.folder)).not.toHaveProperty('a');
  });
});

describe.each(['folder', 'otherProject'] as const)('a folder moved within %s', (place) => {
  let target: ProjectFolderNode;

  /** Another client makes a folder `taken` there, so many seconds after this one has seen that it is free. */
  async function takenAfter(seconds: number): Promise<string> {
    const clock = new FakeClock();
    world = await ChangingWorld.start({ clock });
    target = world[place];
    const ours = { parent: world.folder, name: 'ours' };
    const folder = await world.side.mutations.mkdir(ours, 0o755, world.by());
    await world.put('a', 'ours', folder as ProjectFolderNode);
    expect(await world.child('taken', target)).toBeUndefined();
    await clock.advance(seconds * 1000);
    return (await world.user.folder(folderIdOf(target), 'taken')).id;
  }

  it('is not put into one that another client made since its name was looked up: ENOTEMPTY', async () => {
    const theirs = await takenAfter(2);
    await world.user.upload(theirs, 'b', 'theirs');
    expect(await world.rename('ours', 'taken', { toParent: target }).catch(errnoOf)).toBe('ENOTEMPTY');
    const taken = (await world.child('taken', target)) as ProjectFolderNode;
    expect(await world.onPlatform(taken)).toEqual({ b: 'theirs' });
    const ours = (await world.child('ours')) as ProjectFolderNode;
    expect(await world.onPlatform(ours)).toEqual({ a: 'ours' });
  });

  it('takes the place of an empty one that another client made since', async () => {
    await takenAfter(2);
    await world.rename('ours', 'taken', { toParent: target });
    const taken = (await world.child('taken', target)) as ProjectFolderNode;
    expect(await world.onPlatform(taken)).toEqual({ a: 'ours' });
    expect(await world.child('ours')).toBeUndefined();
  });
});

describe('a folder that is renamed', () => {
  it('asks whether its new name is free only when that was seen more than a second ago', async () => {
    const clock = new FakeClock();
    let lookups = 0;
    world = await ChangingWorld.start({
      clock,
      api: (api) => {
        const find: FilesApi['find'] = (...given) => {
          lookups += 1;
          return api.files.find(...given);
        };
        return withMethods(api, { files: withMethods(api.files, { find }) });
      },
    });
    await world.side.mutations.mkdir({ parent: world.folder, name: 'a' }, 0o755, world.by());
    await world.tree.childrenOf(world.folder, world.by().signal);
    lookups = 0;
    await world.rename('a', 'b');
    expect(lookups).toBe(0);
    await clock.advance(2000);
    await world.rename('b', 'c');
    // The second lookup asks whether it still has its own name.
    expect(lookups).toBe(2);
  });

  it('is told of when a file took its new name in that second, and is found under the one it has', async () => {
    world = await ChangingWorld.start({
      api: (api) => {
        const begin: AsyncFilesApi['start'] = async (...given) => {
          await upload(world.folder, 'b', 'theirs');
          return api.asyncFiles.start(...given);
        };
        return withMethods(api, { asyncFiles: withMethods(api.asyncFiles, { start: begin }) });
      },
    });
    const made = await world.side.mutations.mkdir({ parent: world.folder, name: 'a' }, 0o755, world.by());
    const { handle } = await world.create('half', { parent: made as ProjectFolderNode });
    await world.write(handle, 'text');
    const where = 'b was taken meanwhile, and the moved entry is _1_b in /one now';
    await expect(world.rename('a', 'b')).rejects.toThrow(where);
    await world.close(handle);
    expect(await world.cat('half', (await world.child('_1_b')) as ProjectFolderNode)).toBe('text');
    expect(await world.onPlatform()).toEqual({ b: 'theirs', _1_b: '/' });
  });
});
