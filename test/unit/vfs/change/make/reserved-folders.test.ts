/** Folders whose names begin with `__`, which the platform refuses: kept there under another name. */
import { afterEach, describe, expect, it } from 'vitest';
import { filesIn } from '../../../../../src/service/files/tables/file-table.ts';
import type { DirectoryNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
async function start(): Promise<void> {
  world = await ChangingWorld.start();
}
afterEach(() => world.end());

async function mkdir(name: string, parent: DirectoryNode = world.folder): Promise<ProjectFolderNode> {
  return (await world.side.mutations.mkdir({ parent, name }, 0o755, world.by())) as ProjectFolderNode;
}

/** As another mount sees them: nothing is known. */
async function listed(parent: DirectoryNode = world.folder): Promise<string[]> {
  world.tree.expire(parent);
  return (await world.tree.childrenOf(parent, world.by().signal)).map(({ name }) => name).sort();
}

/** Asked for by its name alone. */
async function found(name: string, parent: DirectoryNode = world.folder): Promise<string | undefined> {
  world.tree.expire(parent);
  const node = await world.tree.freshChildOf(parent, name, world.by().signal);
  return node?.kind === 'project-folder' ? node.record?.name : node?.kind;
}

/** Makes a folder as the platform does by itself for the logs of tasks. */
async function madeByPlatform(name: string, parent: ProjectFolderNode = world.folder): Promise<string> {
  const { id } = await world.user.folder(folderIdOf(parent), 'made');
  await filesIn(world.service.services.store).update(id, { name });
  return id;
}

describe('a folder whose name begins with __', () => {
  it('is kept as svc~__…, and shown and found by its own name', async () => {
    await start();
    const made = await mkdir('__pycache__');
    await world.put('x.pyc', 'code', made);
    expect(await world.onPlatform()).toEqual({ 'svc~__pycache__': '/' });
    expect(await listed()).toEqual(['__pycache__']);
    expect(await found('__pycache__')).toBe('svc~__pycache__');
    expect(await found('svc~__pycache__')).toBeUndefined();
    expect(await found('svc~svc~__pycache__')).toBeUndefined();
    expect(await world.child('__pycache__')).toBe(made);
    await expect(mkdir('__pycache__')).rejects.toMatchObject({ errno: 'EEXIST' });
  });

  it('is renamed to other names and back, moved to another folder, to another project and back, with what is in it', async () => {
    await start();
    const tests = await mkdir('__tests__');
    await world.put('f', 'text', await mkdir('__data', tests));
    await world.rename('__tests__', 'tests');
    expect(await world.onPlatform()).toEqual({ tests: '/' });
    await world.rename('tests', '__tests');
    expect(await world.onPlatform()).toEqual({ 'svc~__tests': '/' });
    const sub = await mkdir('sub');
    await world.rename('__tests', '__again', { toParent: sub });
    expect(await listed(sub)).toEqual(['__again']);
    await world.rename('__again', '__far', { parent: sub, toParent: world.otherProject });
    expect(await world.onPlatform(world.otherProject)).toEqual({ 'svc~__far': '/' });
    await world.rename('__far', '__back', { parent: world.otherProject, toParent: world.folder });
    expect(await listed()).toEqual(['__back', 'sub']);
    const back = (await world.child('__back')) as ProjectFolderNode;
    const data = (await world.child('__data', back)) as ProjectFolderNode;
    expect(await world.cat('f', data)).toBe('text');
    await world.side.mutations.unlink({ parent: data, name: 'f' }, world.by());
    await world.side.mutations.rmdir({ parent: back, name: '__data' }, world.by());
    await world.side.mutations.rmdir({ parent: world.folder, name: '__back' }, world.by());
    expect(await listed()).toEqual(['sub']);
  });

  it('takes the place of an empty one', async () => {
    await start();
    await mkdir('__a');
    await mkdir('__b');
    await world.rename('__a', '__b');
    expect(await world.onPlatform()).toEqual({ 'svc~__b': '/' });
    const logs = await madeByPlatform('__logs');
    expect(await found('__logs')).toBe('__logs');
    await world.rename('__b', '__logs');
    expect(await world.onPlatform()).toEqual({ 'svc~__logs': '/' });
    await expect(world.tree.api.files.get(logs)).rejects.toMatchObject({ status: 404 });
  });

  it.each(['folder', 'file'])(
    'is hidden by no %s of the platform that has its name: it is shown escaped',
    async (kind) => {
      await start();
      await world.put('f', 'text', await mkdir('__x'));
      if (kind === 'folder') await madeByPlatform('__x');
      else await world.user.upload(folderIdOf(world.folder), '__x', 'theirs');
      expect(await listed()).toEqual(['__x', 'svc~svc~__x']);
      expect(await found('__x')).toBe(kind === 'folder' ? '__x' : 'project-file');
      expect(await found('svc~svc~__x')).toBe('svc~__x');
      const escaped = (await world.child('svc~svc~__x')) as ProjectFolderNode;
      expect(await world.cat('f', escaped)).toBe('text');
      await world.rename('svc~svc~__x', 'own');
      expect(await listed()).toEqual(['__x', 'own']);
    },
  );

  it('goes to a volume and comes back by its own name', async () => {
    await start();
    const volume = await world.volume('bucket');
    const top = await mkdir('__top');
    await world.put('f', 'text', await mkdir('__sub', top));
    await world.rename('__top', '__top', { toParent: volume });
    expect(await world.onVolume(volume)).toMatchObject({ '__top/__sub/f': 'text' });
    await world.rename('__top', '__back', { parent: volume, toParent: world.folder });
    const back = (await world.child('__back')) as ProjectFolderNode;
    expect(back.record?.name).toBe('svc~__back');
    const sub = (await world.child('__sub', back)) as ProjectFolderNode;
    expect(await world.cat('f', sub)).toBe('text');
  });

  it.each(['svc~svc~__x', `__${'x'.repeat(250)}`])(
    'that cannot be is refused: EPERM, with a reason: %s',
    async (name) => {
      await start();
      await mkdir('there');
      const refusal = { errno: 'EPERM', message: expect.stringMatching(/__/) };
      await expect(mkdir(name)).rejects.toMatchObject(refusal);
      await expect(world.rename('there', name)).rejects.toMatchObject(refusal);
      expect(await world.onPlatform()).toEqual({ there: '/' });
    },
  );

  it('leaves files of such names alone', async () => {
    await start();
    await world.put('__init__.py', 'code');
    await world.put('svc~svc~__x', 'text');
    expect(await world.onPlatform()).toEqual({ '__init__.py': 'code', 'svc~__x': 'text' });
    expect(await listed()).toEqual(['__init__.py', 'svc~svc~__x']);
    expect(await found('svc~svc~__x')).toBe('project-file');
  });
});
