/** The start of a job is not answered, while another client of the account starts one of the same kind. */
import { afterEach, describe, expect, it } from 'vitest';
import type { AsyncFilesApi } from '../../../../../src/api/api.ts';
import { type ApiClient, createApi } from '../../../../../src/api/create-api.ts';
import { systemClock } from '../../../../../src/lib/clock.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, withMethods } from '../../../../support/changing-world.ts';
import { FaultProxy, type SeenRequest } from '../../../../support/fault-proxy.ts';

let world: ChangingWorld;
let proxy: FaultProxy;
let lossy: ApiClient;
afterEach(async () => {
  await lossy.close();
  await proxy.close();
  await world.end();
});

const isStart = ({ method, path }: SeenRequest) => method === 'POST' && path.includes('/async/files/');
const starts = () => proxy.requests.filter(isStart).length;

/** Has the first start of a job fail, just after another client has started its own. */
async function losing(fault: 'drop' | 'lose-answer', another: () => Promise<unknown>): Promise<void> {
  let isFirst = true;
  world = await ChangingWorld.start({
    api: (api) => {
      const start: AsyncFilesApi['start'] = async (...given) => {
        if (isFirst) await another();
        isFirst = false;
        return lossy.asyncFiles.start(...given);
      };
      return withMethods(api, { asyncFiles: withMethods(api.asyncFiles, { start }) });
    },
  });
  const { service, user } = world;
  proxy = await FaultProxy.start(service.url);
  proxy.inject({ kind: fault }, { when: isStart, times: 1 });
  const endpoint = proxy.origin + new URL(service.url).pathname;
  lossy = createApi({ endpoint, token: user.token, clock: systemClock });
}

/** Another client moves what has this name to the other project. */
async function movesAway(name: string): Promise<void> {
  const { user, folder, otherProject } = world;
  const [{ id }] = (await user.get(`/files?parent=${folderIdOf(folder)}&name=${name}`)).body.items;
  await user.post('/async/files/move', { items: [{ file: id, parent: folderIdOf(otherProject) }] });
}

const child = async <N>(name: string, parent: ProjectFolderNode) => (await world.child(name, parent)) as N;
const folderWith = async (name: string, file: string) => {
  const folder = await world.side.mutations.mkdir({ parent: world.folder, name }, 0o755, world.by());
  await world.put(file, file, folder as ProjectFolderNode);
};

describe('a job whose start never arrived is not taken for that of another client', () => {
  it('when a file is moved over another: it replaces it, and the other file is left alone', async () => {
    await losing('drop', () => movesAway('theirs'));
    const old = await world.put('f', 'old', world.otherProject);
    await world.tree.api.files.edit(old.record!.id, { metadata: { sample: 's1' } });
    world.tree.expire(world.otherProject);
    await world.put('theirs', 'theirs');
    const { id } = (await world.put('a', 'ours')).record!;
    await world.rename('a', 'f', { toParent: world.otherProject });
    expect(await world.onPlatform()).toEqual({});
    expect(await world.onPlatform(world.otherProject)).toEqual({ f: 'ours', theirs: 'theirs' });
    const f = await child<ProjectFileNode>('f', world.otherProject);
    expect(f.record).toMatchObject({ id, metadata: { sample: 's1' } });
    world.tree.expire(world.otherProject);
    const theirs = await child<ProjectFileNode>('theirs', world.otherProject);
    expect(theirs.record?.metadata).toEqual({});
    expect(world.tree.jobs.list()).toHaveLength(1);
    expect(starts()).toBe(2);
  });

  it('when a folder is moved', async () => {
    await losing('drop', () => movesAway('theirs'));
    await folderWith('theirs', 'b');
    await folderWith('ours', 'a');
    await world.rename('ours', 'ours', { toParent: world.otherProject });
    const ours = await child<ProjectFolderNode>('ours', world.otherProject);
    expect(await world.onPlatform(ours)).toEqual({ a: 'a' });
    expect(await world.onPlatform()).toEqual({});
    expect(await world.onPlatform(world.otherProject)).toEqual({ ours: '/', theirs: '/' });
  });

  it('when files are deleted', async () => {
    await losing('drop', async () => {
      const theirs = (await world.put('theirs', 'theirs')).record!;
      await world.user.post('/async/files/delete', { items: [{ file: theirs.id }] });
    });
    const ids = [(await world.put('a', 'a')).record!.id, (await world.put('b', 'b')).record!.id];
    await world.tree.jobs.delete({ ids, path: '/one' });
    expect(await world.onPlatform()).toEqual({});
  });

  it('when a folder is copied', async () => {
    await losing('drop', async () => {
      const [{ id }] = (await world.user.get(`/files?parent=${folderIdOf(world.folder)}&name=theirs`)).body
        .items;
      const parent = folderIdOf(world.otherProject);
      await world.user.post('/async/files/copy', { items: [{ file: id, parent }] });
    });
    await folderWith('theirs', 'b');
    await folderWith('ours', 'a');
    const { record } = await child<ProjectFolderNode>('ours', world.folder);
    const { project } = world.otherProject;
    const { permissions, rootFolder } = project.record!;
    const outcome = await world.tree.jobs.copy({
      source: { kind: 'folder', folder: record!, permissions },
      target: { kind: 'project', project: project.id, parent: rootFolder, name: 'ours', permissions },
      overwrite: false,
      paths: { source: '/one/ours', target: '/two/ours' },
    });
    expect(outcome).toMatchObject({ entry: { name: 'ours' } });
    expect(await world.onPlatform(world.otherProject)).toEqual({ ours: '/', theirs: '/' });
  });
});

describe('a job whose start arrived, and was not answered, is found and not started again', () => {
  it.each(['a file', 'a folder'])('when %s is moved', async (what) => {
    await losing('lose-answer', async () => undefined);
    await (what === 'a file' ? world.put('a', 'a') : folderWith('a', 'b'));
    await world.rename('a', 'c', { toParent: world.otherProject });
    expect(Object.keys(await world.onPlatform(world.otherProject))).toEqual(['c']);
    expect(await world.onPlatform()).toEqual({});
    expect(starts()).toBe(1);
  });

  it('when files are deleted', async () => {
    await losing('lose-answer', async () => undefined);
    await world.tree.jobs.delete({ ids: [(await world.put('a', 'a')).record!.id], path: '/one/a' });
    expect(await world.onPlatform()).toEqual({});
    expect(starts()).toBe(1);
  });
});
