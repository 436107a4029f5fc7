import { afterEach, describe, expect, it } from 'vitest';
import type { Api, FilesApi } from '../../../../../src/api/api.ts';
import type { Capability } from '../../../../../src/api/model.ts';
import { errnoOf } from '../../../../../src/vfs/errors/errno-of.ts';
import type { FileHandle } from '../../../../../src/vfs/file-system.ts';
import {
  folderIdOf,
  type ProjectFileNode,
  type ProjectFolderNode,
} from '../../../../../src/vfs/model/node.ts';
import { FileMetadata } from '../../../../../src/vfs/xattr/file-metadata.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_WRONLY,
  type WorldOptions,
  withMethods,
} from '../../../../support/changing-world.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

let world: ChangingWorld;

async function start(options?: WorldOptions): Promise<void> {
  world = await ChangingWorld.start(options);
}

afterEach(() => world.end());

/** The API with other ways of some calls on files. */
function failing(api: Api, calls: Partial<FilesApi>): Api {
  return withMethods(api, { files: withMethods(api.files, calls) });
}

async function folder(name: string, parent = world.folder): Promise<ProjectFolderNode> {
  return (await world.side.mutations.mkdir({ parent, name }, 0o755, world.by())) as ProjectFolderNode;
}

async function annotated(node: ProjectFileNode): Promise<object> {
  const { metadata, tags } = (await world.tree.api.files.get(node.record!.id)) as NonNullable<
    typeof node.record
  >;
  return { metadata, tags };
}

describe('rename inside a project', () => {
  it('renames a file and keeps its id', async () => {
    await start();
    const node = await world.put('a', 'text');
    const { id } = node.record!;
    await world.rename('a', 'b');
    expect(await world.onPlatform()).toEqual({ b: 'text' });
    expect(await world.child('b')).toBe(node);
    expect(await world.child('a')).toBeUndefined();
    expect(node.record).toMatchObject({ id, name: 'b' });
  });

  it('moves a file to another folder and renames it at once', async () => {
    await start();
    const sub = await folder('sub');
    const node = await world.put('a', 'text');
    await world.rename('a', 'b', { toParent: sub });
    expect(await world.onPlatform()).toEqual({ sub: '/' });
    expect(await world.onPlatform(sub)).toEqual({ b: 'text' });
    expect(await world.child('b', sub)).toBe(node);
  });

  it('completes an open, half-written file under its new name', async () => {
    await start();
    const { node, handle } = await world.create('half');
    await world.write(handle, 'first ');
    await world.rename('half', 'whole');
    await world.write(handle, 'second', 6);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ whole: 'first second' });
    expect(await world.child('whole')).toBe(node);
  });

  it('replaces nothing by a half-written file that another client has put there before it is closed, for mv -n', async () => {
    await start();
    const { handle } = await world.create('half');
    await world.write(handle, 'ours');
    await world.rename('half', 'whole', { noReplace: true });
    await world.user.upload(folderIdOf(world.folder), 'whole', 'theirs');
    await expect(world.close(handle)).rejects.toSatisfy((error) => errnoOf(error) === 'EEXIST');
    expect(await world.onPlatform()).toEqual({ whole: 'theirs' });
  });

  it('keeps what is set on a file that is being written', async () => {
    await start();
    const node = await world.put('a', 'one');
    const handle = await world.open(node, O_WRONLY);
    await world.write(handle, 'two', 3);
    await new FileMetadata(world.tree).merge(node, { sample: 's1' }, world.by().signal);
    await world.rename('a', 'b');
    await world.close(handle);
    expect(await annotated(node)).toMatchObject({ metadata: { sample: 's1' } });
  });

  it('keeps an open published file readable and writable through its handles', async () => {
    await start();
    const node = await world.put('a', 'one');
    const handle = await world.open(node, O_WRONLY);
    await world.write(handle, 'two', 3);
    await world.rename('a', 'b');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ b: 'onetwo' });
  });

  it('refuses a taken name when asked to', async () => {
    await start();
    await world.put('a', '1');
    await world.put('b', '2');
    const flags = { noReplace: true, exchange: false, whiteout: false };
    const from = { parent: world.folder, name: 'a' };
    const to = { parent: world.folder, name: 'b' };
    await expect(world.side.mutations.rename(from, to, { flags, context: world.by() })).rejects.toMatchObject(
      {
        errno: 'EEXIST',
      },
    );
  });

  it('moves a folder with all below it, and goes on knowing what is inside', async () => {
    await start();
    const outer = await folder('outer');
    const inner = await folder('inner', outer);
    const node = await world.put('deep', 'text', inner);
    await world.rename('outer', 'other');
    expect(await world.child('other')).toBe(outer);
    expect(await world.child('inner', outer)).toBe(inner);
    expect(await world.child('deep', inner)).toBe(node);
    expect(await world.onPlatform(inner)).toEqual({ deep: 'text' });
    await world.put('more', 'text', inner);
    expect(await world.onPlatform(inner)).toEqual({ deep: 'text', more: 'text' });
  });

  it('completes a file that is open in a moved folder where the folder is now', async () => {
    await start();
    const outer = await folder('outer');
    const { handle } = await world.create('half', { parent: outer });
    await world.write(handle, 'text');
    await world.rename('outer', 'other');
    await world.close(handle);
    expect(await world.onPlatform(outer)).toEqual({ half: 'text' });
  });

  it('lets an empty folder give way, and refuses one that is not empty', async () => {
    await start();
    await folder('a');
    const empty = await folder('empty');
    const full = await folder('full');
    await world.put('file', 'text', full);
    expect(await world.rename('a', 'full').catch(errnoOf)).toBe('ENOTEMPTY');
    await world.rename('a', 'empty');
    expect(await world.onPlatform()).toEqual({ empty: '/', full: '/' });
    expect(await world.child('empty')).not.toBe(empty);
  });
});

describe.each<{ how: string; capabilities: Capability[] }>([
  { how: 'in one call', capabilities: ['rename_overwrite', 'job_wait'] },
  { how: 'by a step aside', capabilities: ['job_wait'] },
])('rename over a file, $how', ({ capabilities }) => {
  it('replaces it and keeps its metadata and tags', async () => {
    await start({ capabilities });
    const target = await world.put('doc', 'old');
    await world.tree.api.files.edit(target.record!.id, {
      metadata: { sample: 's1', run: 'r1' },
      tags: ['raw'],
    });
    world.tree.expire(world.folder);
    const source = await world.put('.doc.Xy12', 'new');
    await world.tree.api.files.edit(source.record!.id, { metadata: { run: 'r2' } });
    world.tree.expire(world.folder);
    await world.child('doc');
    await world.rename('.doc.Xy12', 'doc');
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
    expect(await world.child('doc')).toBe(source);
    expect(await annotated(source)).toEqual({ metadata: { sample: 's1', run: 'r2' }, tags: ['raw'] });
  });

  it('replaces a file of another folder', async () => {
    await start({ capabilities });
    const sub = await folder('sub');
    const target = await world.put('doc', 'old', sub);
    await world.tree.api.files.edit(target.record!.id, { metadata: { sample: 's1' } });
    world.tree.expire(sub);
    const source = await world.put('doc', 'new');
    await world.rename('doc', 'doc', { toParent: sub });
    expect(await world.onPlatform()).toEqual({ sub: '/' });
    expect(await world.onPlatform(sub)).toEqual({ doc: 'new' });
    expect(await annotated(source)).toMatchObject({ metadata: { sample: 's1' } });
  });

  it('keeps the old file readable for who has it open', async () => {
    await start({ capabilities });
    const target = await world.put('doc', 'old');
    const handle = await world.open(target, O_RDONLY);
    await world.put('new', 'new');
    await world.rename('new', 'doc');
    expect(await world.read(handle)).toBe('old');
    expect(await world.cat('doc')).toBe('new');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
  });

  it('replaces it by a draft when that is published', async () => {
    await start({ capabilities });
    const target = await world.put('doc', 'old');
    await world.tree.api.files.edit(target.record!.id, { metadata: { sample: 's1' } });
    world.tree.expire(world.folder);
    const { node, handle } = await world.create('tmp');
    await world.write(handle, 'new');
    await world.rename('tmp', 'doc');
    expect(await world.cat('doc')).toBe('new');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
    expect(await annotated(node)).toMatchObject({ metadata: { sample: 's1' } });
  });
});

describe('an unpublished file renamed over a published one', () => {
  async function renamedOver(): Promise<FileHandle> {
    await start();
    await world.put('doc', 'old');
    const { handle } = await world.create('tmp');
    await world.write(handle, 'new');
    await world.rename('tmp', 'doc');
    return handle;
  }

  it('leaves the old content to others until it is published', async () => {
    const handle = await renamedOver();
    expect(await world.onPlatform()).toEqual({ doc: 'old' });
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
  });

  it('takes the published one along when it is removed', async () => {
    const handle = await renamedOver();
    await world.side.mutations.unlink({ parent: world.folder, name: 'doc' }, world.by());
    expect(await world.onPlatform()).toEqual({});
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({});
  });

  it('does not leave the published one behind when it is renamed again', async () => {
    const handle = await renamedOver();
    await world.rename('doc', 'other');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ other: 'new' });
  });

  it('gives way, with the published one, to another file', async () => {
    const handle = await renamedOver();
    await world.put('third', 'third');
    await world.rename('third', 'doc');
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ doc: 'third' });
  });
});

it('puts the target back when the rename over it fails', async () => {
  await start({
    capabilities: ['job_wait'],
    api: (api) => failing(api, { edit: () => Promise.reject(new Error('the rename failed')) }),
  });
  await world.put('doc', 'old');
  await world.put('new', 'new');
  await expect(world.rename('new', 'doc')).rejects.toThrow('the rename failed');
  expect(await world.onPlatform()).toEqual({ doc: 'old', new: 'new' });
});

describe('after a crash in the middle of a rename over a file', () => {
  it('goes back when the new file had not arrived', async () => {
    let moves = 0;
    await start({
      capabilities: ['job_wait'],
      api: (api) =>
        failing(api, {
          // The first move puts the target aside, the second would bring it back: the mount is dead by then.
          move: (...args) => (++moves === 2 ? Promise.reject(new Error('dead')) : api.files.move(...args)),
          edit: () => Promise.reject(new Error('dead')),
        }),
    });
    await world.put('doc', 'old');
    await world.put('new', 'new');
    await expect(world.rename('new', 'doc')).rejects.toThrow('dead');
    expect(Object.values(await world.onPlatform())).toEqual(expect.arrayContaining(['old', 'new']));
    await world.side.recover();
    expect(await world.onPlatform()).toEqual({ doc: 'old', new: 'new' });
  });

  it('goes on when it had', async () => {
    let dead = true;
    await start({
      capabilities: ['job_wait'],
      api: (api) =>
        failing(api, {
          delete: (...args) => (dead ? Promise.reject(new Error('dead')) : api.files.delete(...args)),
        }),
    });
    await world.put('doc', 'old');
    await world.put('new', 'new');
    await world.rename('new', 'doc');
    expect(Object.keys(await world.onPlatform())).toHaveLength(2);
    dead = false;
    await world.side.recover();
    expect(await world.onPlatform()).toEqual({ doc: 'new' });
  });

  it('leaves a file that had not been moved aside alone, now and later', async () => {
    let dead = true;
    await start({
      capabilities: ['job_wait'],
      api: (api) =>
        failing(api, {
          move: (...args) => (dead ? Promise.reject(new Error('dead')) : api.files.move(...args)),
        }),
    });
    await world.put('doc', 'old');
    await world.put('new', 'new');
    await expect(world.rename('new', 'doc')).rejects.toThrow('dead');
    dead = false;
    await world.side.recover();
    await world.rename('doc', 'kept');
    await world.rename('new', 'doc');
    await world.side.recover();
    expect(await world.onPlatform()).toEqual({ doc: 'new', kept: 'old' });
  });
});

it('replaces a file that another client made since the name was looked up', async () => {
  await start();
  await world.put('a', 'ours');
  expect(await world.child('b')).toBeUndefined();
  await world.user.upload((await world.user.get('/projects/ada/one')).body.root_folder, 'b', 'theirs');
  await world.rename('a', 'b');
  expect(await world.onPlatform()).toEqual({ b: 'ours' });
});

it('sends who opens a file that is just being replaced to the new one', async () => {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let begun = false;
  await start({
    api: (api) =>
      failing(api, {
        edit: async (...args) => {
          begun = true;
          await gate;
          return api.files.edit(...args);
        },
      }),
  });
  const old = await world.put('doc', 'old');
  await world.put('new', 'new');
  const rename = world.rename('new', 'doc');
  await waitUntil(() => begun);
  const opening = world.open(old, O_RDONLY);
  open();
  await expect(opening).rejects.toMatchObject({ errno: 'ESTALE' });
  await rename;
  expect(await world.cat('doc')).toBe('new');
});
