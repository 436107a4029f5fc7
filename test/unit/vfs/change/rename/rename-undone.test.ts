import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FilesApi } from '../../../../../src/api/api.ts';
import { TransportError } from '../../../../../src/api/errors.ts';
import type { ProjectFileNode, ProjectFolderNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, withMethods } from '../../../../support/changing-world.ts';

let world: ChangingWorld;
afterEach(() => world.end());

describe('a rename over a file of another folder that fails', () => {
  /**
   * The attributes that the source has afterwards. It began with `run`, and another client sets these before the move
   * fails.
   */
  async function afterFailure(elsewhere: Parameters<FilesApi['edit']>[1]): Promise<object> {
    world = await ChangingWorld.start({
      api: (api) => {
        const move = async (id: string) => {
          await api.files.edit(id, elsewhere);
          throw new Error('the move failed');
        };
        return withMethods(api, { files: withMethods(api.files, { move }) });
      },
    });
    const place = { parent: world.folder, name: 'sub' };
    const sub = (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
    const target = await world.put('doc', 'old', sub);
    await world.tree.api.files.edit(target.record!.id, { metadata: { sample: 's1' }, tags: ['raw'] });
    world.tree.expire(sub);
    const source = await world.put('doc', 'new');
    await world.tree.api.files.edit(source.record!.id, { metadata: { run: 'r2' } });
    world.tree.expire(world.folder);
    await world.child('doc');
    await expect(world.rename('doc', 'doc', { toParent: sub })).rejects.toThrow('the move failed');
    const now = await world.tree.api.files.get(source.record!.id);
    return now.kind === 'file' ? { metadata: now.metadata, tags: now.tags } : {};
  }

  it('takes back the pairs and tags that the file was given for it', async () => {
    expect(await afterFailure({})).toEqual({ metadata: { run: 'r2' }, tags: [] });
  });

  it('keeps the pairs and tags that were set meanwhile', async () => {
    const elsewhere = { metadata: { run: 'r3', lane: '4' }, tags: ['checked'] };
    expect(await afterFailure(elsewhere)).toEqual(elsewhere);
  });
});

it.each([
  ['in two calls', []],
  ['in one call', ['rename_overwrite'] as const],
])(
  'a rename over a file of another folder %s that was done, and not answered, leaves the file what it was given',
  async (_, capabilities) => {
    const lost = new TransportError('no answer', { call: 'POST /files/{id}/actions/move' });
    world = await ChangingWorld.start({
      capabilities,
      api: (api) => {
        const move: FilesApi['move'] = async (id, to, options) => {
          const moved = await api.files.move(id, to, options);
          if (to.name === 'doc') throw lost;
          return moved;
        };
        return withMethods(api, { files: withMethods(api.files, { move }) });
      },
    });
    const place = { parent: world.folder, name: 'sub' };
    const sub = (await world.side.mutations.mkdir(place, 0o755, world.by())) as ProjectFolderNode;
    const target = await world.put('doc', 'old', sub);
    await world.tree.api.files.edit(target.record!.id, { metadata: { sample: 's1' }, tags: ['raw'] });
    world.tree.expire(sub);
    const source = await world.put('doc', 'new');
    // Of one call nobody knows whether it was done.
    await world.rename('doc', 'doc', { toParent: sub }).catch((error: unknown) => expect(error).toBe(lost));
    expect(await world.onPlatform(sub)).toEqual({ doc: 'new' });
    expect(await world.tree.api.files.get(source.record!.id)).toMatchObject({
      metadata: { sample: 's1' },
      tags: ['raw'],
    });
  },
);

describe('a file that was replaced by a rename and could not be deleted then', () => {
  beforeEach(async () => {
    let deletions = 0;
    world = await ChangingWorld.start({
      capabilities: [],
      api: (api) => {
        const remove: FilesApi['delete'] = (...given) =>
          ++deletions === 1 ? Promise.reject(new Error('the service is away')) : api.files.delete(...given);
        return withMethods(api, { files: withMethods(api.files, { delete: remove }) });
      },
    });
    const target = await world.put('doc', 'old');
    await world.tree.api.files.edit(target.record!.id, { metadata: { sample: 's1' } });
    world.tree.expire(world.folder);
    await world.put('tmp', 'new');
    await world.rename('tmp', 'doc');
  });

  it('does not come back with the next mount when the new one is removed', async () => {
    await world.side.mutations.unlink({ parent: world.folder, name: 'doc' }, world.by());
    await world.side.recover();
    expect(await world.onPlatform()).toEqual({});
    expect(await world.asides()).toEqual([]);
  });

  it('leaves the new one what was set on that since', async () => {
    const node = (await world.child('doc')) as ProjectFileNode;
    await world.tree.api.files.edit(node.record!.id, { metadata: { sample: 's2' } });
    await world.side.recover();
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
    expect(await world.tree.api.files.get(node.record!.id)).toMatchObject({ metadata: { sample: 's2' } });
  });
});
