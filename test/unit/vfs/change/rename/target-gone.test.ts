/** `mv tmp f`, where another client removes or replaces `f` while it is done. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Api, AsyncFilesApi, FilesApi } from '../../../../../src/api/api.ts';
import { ApiError } from '../../../../../src/api/errors.ts';
import type { ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, O_RDONLY, withMethods } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
afterEach(() => world.end());

/** Requests that change a name: what is called for each before it is sent. */
type Step = 'aside' | 'rename' | 'delete';
let before: (step: Step) => unknown;

function watched(api: Api): Api {
  const { files } = api;
  const passing = async <T>(step: Step, send: () => Promise<T>): Promise<T> => {
    await before(step);
    return send();
  };
  const isAside = (name: string | undefined): boolean => name?.startsWith('.svcfs') ?? false;
  const move: FilesApi['move'] = (id, to, ...rest) =>
    passing(isAside(to.name) ? 'aside' : 'rename', () => files.move(id, to, ...rest));
  const edit: FilesApi['edit'] = (id, changes, ...rest) =>
    passing('rename', () => files.edit(id, changes, ...rest));
  const remove: FilesApi['delete'] = (id, ...rest) => passing('delete', () => files.delete(id, ...rest));
  return withMethods(api, { files: withMethods(files, { move, edit, delete: remove }) });
}

/** Once, at the first time that it is called. */
function once(act: () => Promise<unknown>): () => Promise<void> {
  let isDone = false;
  return async () => {
    if (isDone) return;
    isDone = true;
    await act();
  };
}

async function idOf(name: string, folder: ProjectFolderNode): Promise<string | undefined> {
  const { body } = await world.user.get(`/files/${folderIdOf(folder)}/list?limit=100`);
  return body.items.find((item: { readonly name: string }) => item.name === name)?.id;
}

/** The acts of the other client on `f`. */
const others = {
  removes: async (): Promise<void> => {
    const id = await idOf('f', world.folder);
    if (id !== undefined) await world.user.call('DELETE', `/files/${id}`);
  },
  replaces: async (): Promise<void> => {
    await others.removes();
    await world.user.upload(folderIdOf(world.folder), 'f', 'theirs');
  },
};

async function start(how: { readonly atomic: boolean }): Promise<void> {
  before = () => undefined;
  world = await ChangingWorld.start({
    api: watched,
    ...(!how.atomic && { capabilities: [] }),
  });
  await world.put('f', 'old');
  await world.put('tmp', 'ours');
}

async function isOurs(): Promise<void> {
  expect(await world.onPlatform()).toEqual({ f: 'ours' });
  expect(await world.cat('f')).toBe('ours');
  expect(await world.child('tmp')).toBeUndefined();
  expect(await world.asides()).toEqual([]);
}

describe.each([
  ['that can replace in one call', true],
  ['that cannot', false],
] as const)('a rename over a file, at a service %s,', (_, atomic) => {
  it.each(['removes', 'replaces'] as const)('succeeds when another client %s it before', async (does) => {
    await start({ atomic });
    await others[does]();
    await world.rename('tmp', 'f');
    await isOurs();
  });

  const steps = atomic ? (['rename'] as const) : (['aside', 'rename', 'delete'] as const);
  for (const step of steps)
    for (const does of ['removes', 'replaces'] as const)
      it(`succeeds when another client ${does} it just before the request: ${step}`, async () => {
        await start({ atomic });
        // By the last request the name is that of the file which we put there.
        const isAfterAll = step === 'delete';
        const act = once(others[does]);
        before = (now) => (now === step ? act() : undefined);
        await world.rename('tmp', 'f');
        if (!isAfterAll) return isOurs();
        expect(await world.asides()).toEqual([]);
        expect(await world.onPlatform()).toEqual(does === 'removes' ? {} : { f: 'theirs' });
      });

  it('succeeds when another client replaces it again and again', async () => {
    await start({ atomic });
    let left = 4;
    before = (step) => (step === 'rename' && left-- > 0 ? others.replaces() : undefined);
    await world.rename('tmp', 'f');
    await isOurs();
  });

  it('succeeds when another client takes its name, and lets it go again', async () => {
    await start({ atomic: false });
    const first = once(others.replaces);
    let takes = 0;
    before = (step) => {
      if (step === 'rename') return first();
      if (step === 'aside' && ++takes === 2) return others.removes();
      return undefined;
    };
    await world.rename('tmp', 'f');
    await isOurs();
  });
});

it('a rename over a file that is read here succeeds when another client removes it just before it goes aside', async () => {
  await start({ atomic: true });
  const reader = await world.open((await world.child('f'))!, O_RDONLY);
  const act = once(others.removes);
  before = (step) => (step === 'aside' ? act() : undefined);
  await world.rename('tmp', 'f');
  await isOurs();
  await world.close(reader);
});

it('a rename into another folder succeeds when another client removes what it replaces', async () => {
  await start({ atomic: false });
  const folder = (await world.side.mutations.mkdir(
    { parent: world.folder, name: 'd' },
    0o755,
    world.by(),
  )) as ProjectFolderNode;
  await world.put('f', 'old', folder);
  const act = once(async () => {
    const id = await idOf('f', folder);
    await world.user.call('DELETE', `/files/${id}`);
  });
  before = (step) => (step === 'aside' ? act() : undefined);
  await world.rename('tmp', 'f', { toParent: folder });
  expect(await world.onPlatform(folder)).toEqual({ f: 'ours' });
});

it('a rename fails with ENOENT when its own file is gone', async () => {
  await start({ atomic: false });
  const act = once(async () => {
    await world.user.call('DELETE', `/files/${await idOf('tmp', world.folder)}`);
  });
  before = (step) => (step === 'rename' ? act() : undefined);
  await expect(world.rename('tmp', 'f')).rejects.toMatchObject({
    errno: 'ENOENT',
    message: 'there is no tmp',
  });
  expect(await world.onPlatform()).toEqual({ f: 'old' });
  expect(await world.asides()).toEqual([]);
});

it('a rename gives up when another client changes the name each time', async () => {
  await start({ atomic: false });
  before = (step) => (step === 'aside' ? others.replaces() : undefined);
  await expect(world.rename('tmp', 'f')).rejects.toMatchObject({ errno: 'EBUSY' });
  expect(await world.onPlatform()).toEqual({ f: 'theirs', tmp: 'ours' });
});

it('a rename begins three jobs at most while the platform says that its file is not there', async () => {
  let jobs = 0;
  before = () => undefined;
  const start: AsyncFilesApi['start'] = async () => {
    jobs += 1;
    throw new ApiError({ status: 404, code: 5002, message: 'No file has that id.' }, { call: '' });
  };
  world = await ChangingWorld.start({
    api: (api) => withMethods(api, { asyncFiles: withMethods(api.asyncFiles, { start }) }),
  });
  await world.put('tmp', 'ours');
  await expect(world.rename('tmp', 'tmp', { toParent: world.otherProject })).rejects.toMatchObject({
    errno: 'EBUSY',
  });
  expect(jobs).toBe(3);
  expect(await world.onPlatform()).toEqual({ tmp: 'ours' });
});
