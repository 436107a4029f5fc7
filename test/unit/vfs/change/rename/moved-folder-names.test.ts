/**
 * Requests of the kernel about a folder that has gone to another project, in the moment before it hears that this is
 * another node now.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RequestContext } from '../../../../../src/vfs/file-system.ts';
import { OpenDirectories } from '../../../../../src/vfs/listing/open-directories.ts';
import type { ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { type FileSystemParts, SvcFileSystem } from '../../../../../src/vfs/svc-file-system.ts';
import { ChangingWorld } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
let fs: SvcFileSystem;
let old: ProjectFolderNode;
let by: RequestContext;

beforeEach(async () => {
  world = await ChangingWorld.start();
  const { tree, side } = world;
  const { mutations, openFiles: files } = side;
  fs = new SvcFileSystem({
    tree,
    mutations,
    files,
    directories: new OpenDirectories(tree),
  } as unknown as FileSystemParts);
  by = world.by();
  const place = { parent: world.folder, name: 'outer' };
  old = (await mutations.mkdir(place, 0o755, by)) as ProjectFolderNode;
  await world.put('x', 'text', old);
  await mutations.mkdir({ parent: old, name: 'inner' }, 0o755, by);
  for (const node of [old, await world.child('x', old), await world.child('inner', old)]) node!.lookups = 1;
  await world.rename('outer', 'moved', { toParent: world.otherProject });
});
afterEach(() => world.end());

/** ESTALE has the kernel look the path up again. */
it.each([
  ['lookup', () => fs.lookup(old.id, 'x', by)],
  ['mkdir', () => fs.mkdir(old.id, 'new', 0o755, by)],
  ['create', () => fs.create(old.id, 'new', 0o644, 0, by)],
  ['unlink', () => fs.unlink(old.id, 'x', by)],
  ['rmdir', () => fs.rmdir(old.id, 'inner', by)],
  ['rename', () => fs.rename({ parent: old.id, name: 'x' }, { parent: old.id, name: 'y' }, {} as never, by)],
  ['opendir', () => fs.opendir(old.id, by)],
])('is looked up again: %s', async (_, ask) => {
  await expect((async () => ask())()).rejects.toMatchObject({ errno: 'ESTALE' });
  const moved = (await world.child('moved', world.otherProject)) as ProjectFolderNode;
  expect(await world.onPlatform(moved)).toEqual({ x: 'text', inner: '/' });
});

it('a name that is to be made in it is free until that is asked for', async () => {
  expect(await fs.lookup(old.id, 'new', by)).toEqual({ node: undefined, entryTtlMs: 0 });
});
