/** A folder gets the name of another, which gives way if it is empty: as the platform has it, not as it was seen last. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Api } from '../../../../../src/api/api.ts';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import { folderIdOf, type ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, withMethods } from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

let world: ChangingWorld;
let clock: FakeClock;
let ours: ProjectFolderNode;
let target: ProjectFolderNode;

async function start(api: (api: Api) => Api): Promise<void> {
  clock = new FakeClock();
  world = await ChangingWorld.start({ clock, api });
  ours = await mkdir('ours');
  target = await mkdir('target');
  await world.put('a', 'ours', ours);
}
afterEach(() => world.end());

async function mkdir(name: string): Promise<ProjectFolderNode> {
  const place = { parent: world.folder, name };
  return (await world.side.mutations.mkdir(place, 0o750, world.by())) as ProjectFolderNode;
}

/** All there is in it is known, and a while old. */
async function seen(folder: ProjectFolderNode): Promise<void> {
  await world.tree.childrenOf(folder, world.by().signal);
  await clock.advance(6_000);
}

const refusal = (): Promise<unknown> => world.rename('ours', 'target').catch(errnoOf);

describe('a folder that is renamed over another', () => {
  let listings = 0;
  beforeEach(() =>
    start((api) => {
      const list: Api['files']['list'] = (...given) => {
        listings += 1;
        return api.files.list(...given);
      };
      return withMethods(api, { files: withMethods(api.files, { list }) });
    }),
  );

  it('takes the place of one that another client has emptied', async () => {
    const { record } = await world.put('b', 'text', target);
    await seen(target);
    await world.user.call('DELETE', `/files/${record!.id}`);
    await world.rename('ours', 'target');
    expect(await world.onPlatform()).toEqual({ target: '/' });
    expect(await world.child('target')).toBe(ours);
    expect(await world.onPlatform(ours)).toEqual({ a: 'ours' });
  });

  it('is refused the place of one that another client has filled, which is shown from then on', async () => {
    await seen(target);
    await world.user.upload(folderIdOf(target), 'b', 'theirs');
    expect(await refusal()).toBe('ENOTEMPTY');
    expect(await world.onPlatform(ours)).toEqual({ a: 'ours' });
    expect(await world.child('b', target)).toBeDefined();
  });

  it('is refused the place of one with a file that is not published yet', async () => {
    const { handle } = await world.create('new', { parent: target });
    expect(await refusal()).toBe('ENOTEMPTY');
    await world.close(handle);
    expect(await world.onPlatform(target)).toEqual({ new: '' });
  });

  it('does not have that listed', async () => {
    await seen(world.folder);
    world.tree.expire(target);
    listings = 0;
    await world.rename('ours', 'target');
    expect(listings).toBe(0);
  });
});

it('a folder that gave way is there again, with its mode, when the rename fails', async () => {
  const failing = (): Promise<never> => Promise.reject(new Error('the job cannot start'));
  await start((api) => withMethods(api, { asyncFiles: withMethods(api.asyncFiles, { start: failing }) }));
  await expect(world.rename('ours', 'target')).rejects.toThrow('the job cannot start');
  expect(await world.onPlatform()).toEqual({ ours: '/', target: '/' });
  const again = (await world.child('target')) as ProjectFolderNode;
  expect(world.tree.folderState.get(folderIdOf(again))).toEqual({ mode: 0o750 });
});
