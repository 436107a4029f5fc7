/** A file that is removed or replaced with `--trash` is in `.svcfs-trash` of its project. */
import { afterEach, describe, expect, it } from 'vitest';
import { DueTrash } from '../../../../../src/vfs/change/trash/empty-due.ts';
import { OpenDirectories } from '../../../../../src/vfs/listing/open-directories.ts';
import {
  folderIdOf,
  type ProjectFileNode,
  type ProjectFolderNode,
} from '../../../../../src/vfs/model/node.ts';
import type { TreeOptions } from '../../../../../src/vfs/model/tree.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_TRUNC,
  O_WRONLY,
  withMethods,
} from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';
import { waitUntil } from '../../../../support/wait-until.ts';

const DAY = '2024-01-01';
const DAY_MS = 86_400_000;

let world: ChangingWorld;
let clock: FakeClock;
afterEach(() => world.end());

async function start(options: Partial<TreeOptions> = {}, plain = false): Promise<void> {
  clock = new FakeClock();
  world = await ChangingWorld.start({
    options: { trashDays: 30, temporaryInProjects: ['*.tmp'], ...options },
    ...(plain ? { capabilities: [] } : {}),
    clock,
  });
}

const place = (name: string, parent: ProjectFolderNode = world.folder) => ({ parent, name });

async function unlink(name: string, parent?: ProjectFolderNode): Promise<void> {
  await world.side.mutations.unlink(place(name, parent), world.by());
}

async function mkdir(name: string, parent?: ProjectFolderNode): Promise<ProjectFolderNode> {
  return (await world.side.mutations.mkdir(place(name, parent), 0o755, world.by())) as ProjectFolderNode;
}

async function file(name: string, parent?: ProjectFolderNode): Promise<ProjectFileNode> {
  return (await world.child(name, parent)) as ProjectFileNode;
}

/** All files in the trash, by their paths in it, as another client finds them. */
async function inTrash(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const walk = async (id: string, path: string): Promise<void> => {
    const { body } = await world.user.get(`/files/${id}/list?limit=100`);
    for (const entry of body.items) {
      const at = `${path}/${entry.name}`;
      if (entry.type === 'FOLDER') await walk(entry.id, at);
      else found[at.slice(1)] = await (await world.user.download(entry.id)).text();
    }
  };
  const { body } = await world.user.get(`/files/${folderIdOf(world.folder)}/list?limit=100`);
  const trash = body.items.find((entry: { name: string }) => entry.name === '.svcfs-trash');
  if (trash) await walk(trash.id, '');
  return found;
}

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const { stats } = world.service.services;
  stats.reset();
  await work();
  return stats.apiRequests;
}

describe('a removal with a trash', () => {
  it('is a move to the day and the path, with id, tags and metadata, for one request', async () => {
    await start();
    const folder = await mkdir('folder');
    const { record } = await world.put('a', 'text', folder);
    await world.put('b', 'other', folder);
    await world.tree.api.files.edit(record?.id ?? '', { tags: ['tumour'], metadata: { sample: 'P1' } });
    await unlink('a', folder);
    expect(await costOf(() => unlink('b', folder))).toBe(1);
    expect(await inTrash()).toEqual({ [`${DAY}/folder/a`]: 'text', [`${DAY}/folder/b`]: 'other' });
    const { body } = await world.user.get(`/files/${record?.id}`);
    expect(body).toMatchObject({ name: 'a', tags: ['tumour'], metadata: { sample: 'P1' } });
  });

  it('keeps several files of a name on one day', async () => {
    await start();
    for (const text of ['one', 'two', 'three']) {
      await world.put('a', text);
      await unlink('a');
      await clock.advance(1001);
    }
    expect(await inTrash()).toEqual({
      [`${DAY}/a`]: 'one',
      [`${DAY}/a~000001001`]: 'two',
      [`${DAY}/a~000002002`]: 'three',
    });
  });

  it('keeps a file in a folder of a removed name', async () => {
    await start();
    await world.put('a', 'file');
    await unlink('a');
    const folder = await mkdir('a');
    await world.put('b', 'text', folder);
    await unlink('b', folder);
    expect(await inTrash()).toEqual({ [`${DAY}/a`]: 'file', [`${DAY}/a~000000000/b`]: 'text' });
  });

  it('really removes names that tools use for a moment, and what is in the trash', async () => {
    await start();
    const { record } = await world.put('a', 'text');
    await world.tree.api.files.copy(record?.id ?? '', { parent: folderIdOf(world.folder), name: 'a.tmp' });
    world.tree.expire(world.folder);
    await unlink('a.tmp');
    expect(await inTrash()).toEqual({});
    await unlink('a');
    const trash = (await world.child('.svcfs-trash')) as ProjectFolderNode;
    const day = (await world.child(DAY, trash)) as ProjectFolderNode;
    await unlink('a', day);
    expect(await inTrash()).toEqual({});
  });

  it('leaves an open file readable', async () => {
    await start();
    const node = await world.put('a', 'text');
    const handle = await world.open(node, O_RDONLY);
    await unlink('a');
    expect(await world.read(handle)).toBe('text');
    await world.close(handle);
    expect(await inTrash()).toEqual({ [`${DAY}/a`]: 'text' });
  });

  it('goes on when somebody has emptied the trash meanwhile', async () => {
    await start();
    await world.put('a', 'text');
    await unlink('a');
    const trash = (await world.child('.svcfs-trash')) as ProjectFolderNode;
    await world.tree.jobs.delete({ ids: [folderIdOf(trash)], path: 'trash' });
    await world.put('b', 'other');
    await unlink('b');
    expect(await inTrash()).toEqual({ [`${DAY}/b`]: 'other' });
  });
});

describe.each([
  ['with rename_overwrite and inline uploads', false],
  ['without additions of the service', true],
])('a replacement with a trash, %s', (_, plain) => {
  it('by content keeps the old file, for one request more', async () => {
    await start({}, plain);
    await world.put('warm', 'up');
    await unlink('warm');
    const { record } = await world.put('a', 'old');
    const replaced = await costOf(() => world.put('a', 'new'));
    const made = await costOf(() => world.put('b', 'new'));
    expect(replaced).toBe(made + 1);
    expect(await inTrash()).toMatchObject({ [`${DAY}/a`]: 'old' });
    expect(await world.onPlatform()).toMatchObject({ a: 'new', b: 'new' });
    expect((await world.user.get(`/files/${record?.id}`)).body).toMatchObject({ name: 'a' });
  });

  it('by a rename keeps the old file, open or not', async () => {
    await start({}, plain);
    await world.put('a', 'old a');
    await world.put('b', 'old b');
    await world.put('new', 'new a');
    await world.rename('new', 'a');
    const handle = await world.open(await file('b'), O_RDONLY);
    await world.put('new', 'new b');
    await world.rename('new', 'b');
    expect(await world.read(handle)).toBe('old b');
    await world.close(handle);
    expect(await inTrash()).toEqual({ [`${DAY}/a`]: 'old a', [`${DAY}/b`]: 'old b' });
    expect(await world.onPlatform()).toMatchObject({ a: 'new a', b: 'new b' });
    expect(await world.asides()).toEqual([]);
  });

  it('by a draft that is renamed over it keeps the old file', async () => {
    await start({}, plain);
    await world.put('a', 'old');
    const { handle } = await world.create('new', { flags: O_WRONLY | O_TRUNC });
    await world.write(handle, 'new');
    await world.rename('new', 'a');
    await world.close(handle);
    expect(await inTrash()).toEqual({ [`${DAY}/a`]: 'old' });
    expect(await world.onPlatform()).toMatchObject({ a: 'new' });
    expect(await world.asides()).toEqual([]);
  });

  it('by a copy of the platform keeps the old file', async () => {
    await start({}, plain);
    const source = await world.put('source', 'new');
    await world.put('a', 'old');
    await world.copy(source, 'a', world.folder);
    expect(await inTrash()).toEqual({ [`${DAY}/a`]: 'old' });
    expect(await world.onPlatform()).toMatchObject({ a: 'new' });
  });

  it('by an import keeps the old file', async () => {
    await start({}, plain);
    const volume = await world.volume('bucket', { a: 'object' });
    await world.put('a', 'old');
    await world.rename('a', 'a', { parent: volume, toParent: world.folder });
    expect(await inTrash()).toEqual({ [`${DAY}/a`]: 'old' });
    expect(await world.onPlatform()).toMatchObject({ a: 'object' });
    expect(await world.asides()).toEqual([]);
  });
});

describe('a replacement that fails', () => {
  it('leaves the old file in its place', async () => {
    clock = new FakeClock();
    const refusing = { copy: async () => Promise.reject(new Error('no copy today')) };
    world = await ChangingWorld.start({
      options: { trashDays: 30 },
      clock,
      api: (api) => withMethods(api, { files: withMethods(api.files, refusing) }),
    });
    const source = await world.put('source', 'new');
    await world.put('a', 'old');
    await expect(world.copy(source, 'a', world.folder)).rejects.toThrow('no copy today');
    expect(await world.onPlatform()).toMatchObject({ a: 'old' });
    expect(await inTrash()).toEqual({});
  });
});

describe('a mount that is killed', () => {
  it('leaves in the trash what a program still had open', async () => {
    await start();
    await world.put('a', 'old');
    await world.put('new', 'new');
    const handle = await world.open(await file('a'), O_RDONLY);
    await world.rename('new', 'a');
    const next = await world.afterKill();
    expect(await inTrash()).toEqual({ [`${DAY}/a`]: 'old' });
    expect(await next.asides()).toEqual([]);
    await next.end();
    await world.close(handle);
  });
});

describe('a folder for the trash of a desktop', () => {
  it('is not made at the top of a mount', async () => {
    await start();
    world.tree.beginAt(world.folder);
    const refused = { errno: 'EPERM', message: expect.stringContaining('--trash') };
    await expect(mkdir('.Trash-1000')).rejects.toMatchObject(refused);
    await expect(mkdir('.Trash')).rejects.toMatchObject(refused);
    expect(await mkdir('.Trash', await mkdir('folder'))).toMatchObject({ name: '.Trash' });
  });
});

describe('the trash', () => {
  it('is not listed, and is found by its name', async () => {
    await start();
    await world.put('a', 'text');
    await world.put('b', 'text');
    await unlink('a');
    world.tree.expire(world.folder);
    const directories = new OpenDirectories(world.tree);
    const handle = directories.open(world.folder);
    const names: string[] = [];
    const sink = { add: ({ name }: { name: string }) => names.push(name) > 0 };
    await directories.read(handle, 0, { sink, signal: world.by().signal });
    directories.release(handle);
    expect(names.sort()).toEqual(['.', '..', 'b']);
    expect(await world.child('.svcfs-trash')).toMatchObject({ kind: 'project-folder' });
  });

  it('is emptied of what is due by a running mount, once a day', async () => {
    await start({ trashDays: 2 });
    await world.put('a', 'text');
    await unlink('a');
    await clock.advance(DAY_MS);
    await world.put('b', 'text');
    await unlink('b');
    const due = new DueTrash(world.tree, 2);
    due.begin();
    await clock.advance(60_000);
    expect(Object.keys(await inTrash())).toEqual([`${DAY}/a`, '2024-01-02/b']);
    await clock.advance(2 * DAY_MS);
    await waitUntil(async () => {
      await clock.advance(60_000);
      return !(`${DAY}/a` in (await inTrash()));
    });
    expect(await inTrash()).toEqual({ '2024-01-02/b': 'text' });
    due.close();
  });
});
