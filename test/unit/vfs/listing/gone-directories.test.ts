/** Directories that another client moved or removed, or that the user may no longer see. */
import { beforeEach, describe, expect, it } from 'vitest';
import { errnoOf } from '../../../../src/vfs/errors/errno-of.ts';
import type { DirectoryNode } from '../../../../src/vfs/model/node.ts';
import { apiError } from '../../../support/fake-api.ts';
import { NEVER, ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';

let world: ReadingWorld;
let root: string;
beforeEach(() => {
  world = new ReadingWorld();
  root = world.platform.rootOf('one');
});

const DIR = 'projects/ada/one/dir';

/** A folder that was found; the platform does not have it any more. */
async function goneFolder(): Promise<DirectoryNode> {
  const id = world.platform.addFolder(root, 'dir').id;
  world.platform.addFile(id, 'inside');
  const folder = await world.directory(DIR);
  folder.lookups = 1;
  world.platform.goneFolders.add(id);
  world.platform.files.delete(id);
  return folder;
}

describe('a folder that is gone elsewhere', () => {
  it('is ESTALE to who reads it, and never its end', async () => {
    const folder = await goneFolder();
    await expect(world.list(folder)).rejects.toMatchObject({ errno: 'ESTALE' });
    await expect(world.list(folder)).rejects.toMatchObject({ errno: 'ESTALE' });
  });

  it('is told with its path and the reason', async () => {
    const folder = await goneFolder();
    await world.list(folder).catch(() => undefined);
    expect(world.tree.errors.list()).toMatchObject([
      {
        op: 'readdir',
        path: `/${DIR}`,
        errno: 'ESTALE',
        text: expect.stringContaining('moved or removed elsewhere'),
      },
    ]);
  });

  it('is looked up again at once, also when another is there by then', async () => {
    const folder = await goneFolder();
    await world.list(folder).catch(() => undefined);
    expect(world.kernel.entries).toContain(`${(await world.directory('projects/ada/one')).id}/dir`);
    expect(await world.lookup(DIR)).toBeUndefined();
    world.platform.addFile(world.platform.addFolder(root, 'dir').id, 'anew');
    world.tree.expire(await world.directory('projects/ada/one'));
    const next = await world.directory(DIR);
    expect(next.id).not.toBe(folder.id);
    expect(await world.list(next)).toEqual(['anew']);
  });

  it('fails who reads its names, and not who opens it, where nothing has its name: rsync takes ENOENT for removed', async () => {
    const folder = await goneFolder();
    await world.clock.advance(1001);
    const handle = world.directories.open(folder, await world.tree.confirm(folder, NEVER));
    await expect(world.readAll(handle)).rejects.toMatchObject({ errno: 'ESTALE' });
    world.directories.release(handle);
  });

  it('is ESTALE to who opens it where another folder has its name: the kernel walks the path again', async () => {
    const folder = await goneFolder();
    world.platform.addFile(world.platform.addFolder(root, 'dir').id, 'anew');
    await world.clock.advance(1001);
    await expect(world.tree.confirm(folder, NEVER)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(await world.list(await world.directory(DIR))).toEqual(['anew']);
  });

  it('takes a name in it that is looked up for stale, not absent', async () => {
    const folder = await goneFolder();
    await expect(world.tree.childOf(folder, 'absent', NEVER)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(folder.parent).toBeUndefined();
  });

  it('has the folders above it asked for again', async () => {
    const outer = world.platform.addFolder(root, 'outer').id;
    const inner = world.platform.addFolder(outer, 'inner').id;
    const folder = await world.directory('projects/ada/one/outer/inner');
    for (const id of [outer, inner]) world.platform.goneFolders.add(id);
    world.platform.files.delete(outer);
    world.platform.addFile(
      world.platform.addFolder(world.platform.addFolder(root, 'outer').id, 'inner').id,
      'of the new folder',
    );
    await expect(world.list(folder)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(await world.list(await world.directory('projects/ada/one/outer/inner'))).toEqual([
      'of the new folder',
    ]);
  });

  it('stays for who comes next when a listing that nobody waits for finds it gone', async () => {
    const folder = await goneFolder();
    await world.tree.listings.ahead(folder, 'prefetch');
    expect(folder.parent).toBeDefined();
    await expect(world.list(folder)).rejects.toMatchObject({ errno: 'ESTALE' });
  });

  it('stays in the tree while a move of this mount has it elsewhere', async () => {
    const folder = await goneFolder();
    if (folder.kind !== 'project-folder') throw new Error('no folder');
    folder.moving = new Promise(() => undefined);
    await expect(world.list(folder)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(folder.parent).toBeDefined();
  });
});

it('a folder that was found a second ago, or whose names are known, is opened without a request', async () => {
  world.platform.addFile(world.platform.addFolder(root, 'dir').id, 'inside');
  const folder = await world.directory(DIR);
  world.platform.taken();
  expect(world.tree.confirm(folder, NEVER)).toBeUndefined();
  await world.list(folder);
  world.platform.taken();
  await world.clock.advance(5000);
  expect(world.tree.confirm(folder, NEVER)).toBeUndefined();
  expect(world.platform.taken()).toEqual([]);
});

it('what opening a folder asks for is what its reader is given', async () => {
  const id = world.platform.addFolder(root, 'dir').id;
  world.platform.addFiles(id, 600);
  const folder = await world.directory(DIR);
  await world.clock.advance(5000);
  world.platform.taken();
  const handle = world.directories.open(folder, await world.tree.confirm(folder, NEVER));
  expect(await world.readAll(handle)).toHaveLength(602);
  world.directories.release(handle);
  expect(world.platform.taken()).toEqual(Array(6).fill('files.list'));
});

it('what opening a folder asks for ends with a handle that is not read', async () => {
  world.platform.crowds.set(root, 100_000);
  const folder = await world.directory('projects/ada/one');
  await world.clock.advance(5000);
  world.directories.release(world.directories.open(folder, await world.tree.confirm(folder, NEVER)));
  await new Promise((resolve) => setImmediate(resolve));
  world.platform.taken();
  await new Promise((resolve) => setImmediate(resolve));
  expect(world.platform.taken()).toEqual([]);
});

it.each([
  [403, 5001, 'EACCES'],
  [404, 5002, 'ESTALE'],
  [400, 5022, 'ESTALE'],
  [502, 0, 'EIO'],
])('a listing that is answered with %i (code %i) fails', async (status, code, errno) => {
  const folder = await world.directory('projects/ada/one');
  world.platform.list = () => {
    throw apiError(status, code, 'no');
  };
  const failed = await world.list(folder).catch((error: unknown) => errnoOf(error));
  expect(failed).toBe(errno);
});

describe('a level of a volume', () => {
  it('without a key is ESTALE: it is gone', async () => {
    world.platform.addObject('dir/key');
    const level = await world.directory('volumes/ada/bucket/dir');
    world.platform.objects.clear();
    world.tree.expire(level);
    await expect(world.list(level)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(await world.lookup('volumes/ada/bucket/dir')).toBeUndefined();
  });

  it('without a key is empty where this mount made it, and at the top', async () => {
    const top = await world.directory('volumes/ada/bucket');
    expect(await world.list(top)).toEqual([]);
    if (top.kind !== 'volume-directory') throw new Error('no volume');
    const made = world.tree.newVolumeDirectory(top, 'made');
    world.tree.placed(made);
    await world.clock.advance(TTL_MS);
    expect(await world.list(made)).toEqual([]);
  });
});

describe('projects that may no longer be seen', () => {
  it.each(['projects/ada/one', 'projects/ada/one/dir'])(
    'are EACCES to who reads what is in them: %s',
    async (path) => {
      const { id } = world.platform.addFolder(root, 'dir');
      const folder = await world.directory(path);
      await world.list(folder);
      world.platform.projects.splice(0, 1);
      for (const gone of [root, id]) world.platform.goneFolders.add(gone);
      world.tree.expire(folder);
      for (const ask of [() => world.list(folder), () => world.tree.childOf(folder, 'absent', NEVER)])
        await expect(ask()).rejects.toMatchObject({
          errno: 'EACCES',
          message: expect.stringContaining('no member of it any more'),
        });
      await world.clock.advance(TTL_MS);
      expect(await world.lookup('projects/ada/one')).toBeUndefined();
      expect(await world.list(await world.directory('projects/ada'))).toEqual(['two']);
    },
  );

  it('make their owner stale, and not empty', async () => {
    const owner = await world.directory('projects/ada');
    await world.list(owner);
    world.platform.projects.splice(0);
    await world.clock.advance(TTL_MS);
    await expect(world.list(owner)).rejects.toMatchObject({ errno: 'ESTALE' });
    expect(await world.list(await world.directory('projects'))).toEqual([]);
  });
});
