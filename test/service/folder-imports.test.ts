import { DefaultQueryExecutor } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { blobGarbageIn } from '../../src/service/files/tables/blob-garbage-table.ts';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import { insertAliasTree } from '../../src/service/transfers/import-folder.ts';
import { TestService, type TestUser } from './test-service.ts';
import { runToEnd, TestVolume } from './volume-world.ts';

let service: TestService;
let alice: TestUser;
let volume: TestVolume;
let root: string;
let made = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
});
beforeEach(async () => {
  made += 1;
  root = (await alice.project(`Project ${made}`)).root_folder;
  volume = await TestVolume.make(service, alice, { name: `rw_${made}` });
});
afterAll(() => service.stop());

async function lay(...keys: readonly string[]): Promise<void> {
  for (const key of keys) await volume.lay(key, `bytes of ${key}`);
}

function importRun(more: object = {}) {
  return runToEnd(alice, '/storage/imports', {
    source: { volume: volume.id, location: 'run/' },
    destination: { parent: root },
    preserve_folder_structure: true,
    ...more,
  });
}

/** Paths below a folder and what is there: `/` for folders, `*` behind the name of an alias. */
async function below(folder = root, path = ''): Promise<string[]> {
  const paths: string[] = [];
  for (const { kind, id, name, location } of await filesIn(service.services.store).children(folder)) {
    if (kind === 'file') paths.push(`${path}${name}${location === null ? '' : '*'}`);
    else paths.push(`${path}${name}/`, ...(await below(id, `${path}${name}/`)));
  }
  return paths.sort();
}

async function folderId(...path: readonly string[]): Promise<string> {
  let at = root;
  for (const name of path) at = (await filesIn(service.services.store).findChild(at, name))?.id ?? '';
  return at;
}

/** Refused with the code, and nothing has changed. */
async function expectRefusal(code: number, more: object = {}): Promise<string> {
  const before = await below();
  const job = await importRun(more);
  expect(job).toMatchObject({ state: 'FAILED', error: { code } });
  expect(await below()).toEqual(before);
  return job.error.message;
}

describe('the import of a folder', () => {
  test('gives each alias the size, etag and location of its object, its importer and its time', async () => {
    await lay('run/a', 'run/deep/b');
    const { result } = await importRun({ destination: { parent: root, name: 'other' } });
    expect(result).toMatchObject({ name: 'other', type: 'FOLDER', parent: root });
    expect(await below()).toEqual(['other/', 'other/a*', 'other/deep/', 'other/deep/b*']);
    const files = filesIn(service.services.store);
    const folder = await files.findChild(await folderId('other'), 'deep');
    const alias = await files.findChild(folder?.id ?? '', 'b');
    const { body } = await alice.get(`/storage/volumes/${volume.id}/object?location=run/deep/b`);
    expect(alias).toMatchObject({
      kind: 'file',
      project_id: folder?.project_id,
      size: 'bytes of run/deep/b'.length,
      etag: body.metadata.etag,
      location: 'run/deep/b',
      blob_key: null,
      created_by: 'alice',
      created_on: folder?.created_on,
      modified_on: folder?.created_on,
    });
    expect(folder).toMatchObject({ kind: 'folder', created_by: 'alice', location: null, volume_id: null });
    expect(alias?.volume_id).not.toBeNull();
    expect(await (await alice.download(alias?.id ?? '')).text()).toBe('bytes of run/deep/b');
  });

  test('merges folders with those of the same name, at any depth', async () => {
    await lay('run/a', 'run/deep/b', 'run/deep/er/c', 'run/new/d');
    const run = await alice.folder(root, 'run');
    const deep = await alice.folder(run.id, 'deep');
    await alice.upload(deep.id, 'mine');
    const { result } = await importRun();
    expect(result.id).toBe(run.id);
    expect(await folderId('run', 'deep')).toBe(deep.id);
    expect(await below(run.id)).toEqual(
      ['a*', 'deep/', 'deep/b*', 'deep/er/', 'deep/er/c*', 'deep/mine', 'new/', 'new/d*'].sort(),
    );
  });

  test('merges with a folder whose name could not be given any more', async () => {
    await lay('run/__old/a');
    const run = await alice.folder(root, 'run');
    const old = await alice.folder(run.id, 'old');
    await filesIn(service.services.store).update(old.id, { name: '__old' });
    expect(await importRun()).toMatchObject({ state: 'COMPLETED' });
    expect(await below()).toEqual(['run/', 'run/__old/', 'run/__old/a*']);
  });

  test('fails with 9108 for a file of a name that is taken, and makes nothing', async () => {
    await lay('run/a', 'run/deep/b', 'run/deep/c');
    const run = await alice.folder(root, 'run');
    const deep = await alice.folder(run.id, 'deep');
    await alice.upload(deep.id, 'c');
    expect(await expectRefusal(9108)).toBe('A file of the name c exists.');
  });

  test('replaces files when told to, at any depth, and their bytes become garbage', async () => {
    await lay('run/a', 'run/deep/b', 'run/deep/c');
    const run = await alice.folder(root, 'run');
    const deep = await alice.folder(run.id, 'deep');
    const olds = [await alice.upload(run.id, 'a'), await alice.upload(deep.id, 'c')];
    await alice.upload(deep.id, 'mine');
    const blobGarbage = blobGarbageIn(service.services.store);
    const before = (await blobGarbage.unusedSince('9999', 1000)).length;
    expect(await importRun({ overwrite: true })).toMatchObject({ state: 'COMPLETED' });
    expect(await below(run.id)).toEqual(['a*', 'deep/', 'deep/b*', 'deep/c*', 'deep/mine']);
    for (const { id } of olds) expect((await alice.get(`/files/${id}`)).status).toBe(404);
    expect(await blobGarbage.unusedSince('9999', 1000)).toHaveLength(before + 2);
    // The aliases themselves give way as well.
    expect(await importRun({ overwrite: true })).toMatchObject({ state: 'COMPLETED' });
    expect(await below(run.id)).toEqual(['a*', 'deep/', 'deep/b*', 'deep/c*', 'deep/mine']);
  });

  test.each([false, true])('never replaces a folder with a file, overwrite %s', async (overwrite) => {
    await lay('run/a', 'run/b');
    await alice.folder((await alice.folder(root, 'run')).id, 'b');
    expect(await expectRefusal(9108, { overwrite })).toBe('A folder of the name b exists.');
  });

  test.each([false, true])('never replaces a file with a folder, overwrite %s', async (overwrite) => {
    await lay('run/a', 'run/b/c');
    await alice.upload((await alice.folder(root, 'run')).id, 'b');
    expect(await expectRefusal(9108, { overwrite })).toBe('A file of the name b exists.');
  });

  test.each([false, true])(
    'fails with 9108 when a file has its own name, overwrite %s',
    async (overwrite) => {
      await lay('run/a');
      await alice.upload(root, 'run');
      expect(await expectRefusal(9108, { overwrite })).toBe('A file of the name run exists.');
    },
  );

  test('fails with 5024 when a folder cannot have its name, and makes nothing', async () => {
    await lay('run/a', 'run/deep/__b/c');
    await expectRefusal(5024);
    await expectRefusal(5024, { destination: { parent: root, name: '__run' } });
  });

  test('is in one transaction of few statements, however many objects there are', async () => {
    const { store } = service.services;
    await alice.folder(root, 'run');
    const execute = vi.spyOn(DefaultQueryExecutor.prototype, 'executeQuery');
    try {
      const paths = Array.from({ length: 2500 }, (_, at) => `d${at % 500}/s${at % 1000}/f${at}`);
      await insertPaths(paths);
      await insertPaths(paths, { overwrite: true });
      expect(execute.mock.calls.length).toBeLessThan(60);
    } finally {
      execute.mockRestore();
    }
    expect(await below(await folderId('run'))).toHaveLength(500 + 1000 + 2500);
    await expect(insertPaths(['new', 'd7/s7/f7'])).rejects.toMatchObject({ code: 9108 });
    expect(await filesIn(store).findChild(await folderId('run'), 'new')).toBeUndefined();
  });
});

/** As the worker does it; takes keys that no directory can hold. */
async function insertPaths(paths: readonly string[], { overwrite = false } = {}): Promise<void> {
  const { store } = service.services;
  const parent = await filesIn(store).find(root);
  if (parent === undefined) throw new Error('no such project');
  const { id } = await store.transaction((tx) =>
    insertAliasTree(tx, {
      parent,
      name: 'run',
      overwrite,
      aliases: paths.map((path) => ({ path, fields: { location: `run/${path}` } })),
      createdBy: 'alice',
      now: '2026-01-01T00:00:00.000Z',
    }),
  );
  expect(id).toBe(await folderId('run'));
}

describe('objects that only an object store can hold', () => {
  test.each([false, true])('an object beside a folder of its name: 9108, overwrite %s', async (overwrite) => {
    for (const paths of [
      ['a', 'a/b'],
      ['a/b', 'a'],
      ['deep/a', 'deep/a/b/c'],
    ])
      await expect(insertPaths(paths, { overwrite })).rejects.toMatchObject({ code: 9108 });
    expect(await below()).toEqual([]);
  });

  test('an object beside a folder of its name that is there already: 9108', async () => {
    await alice.folder((await alice.folder(root, 'run')).id, 'a');
    await expect(insertPaths(['a', 'a/b'], { overwrite: true })).rejects.toMatchObject({
      code: 9108,
      message: 'A folder of the name a exists.',
    });
  });

  test('two objects of one name: 9108, or the later one when told to overwrite', async () => {
    await expect(insertPaths(['a', '/a'])).rejects.toMatchObject({ code: 9108 });
    expect(await below()).toEqual([]);
    await insertPaths(['a', 'b/c', '/a', '/b/d'], { overwrite: true });
    expect(await below()).toEqual(['run/', 'run/a*', 'run/b/', 'run/b/c*', 'run/b/d*']);
    const alias = await filesIn(service.services.store).findChild(await folderId('run'), 'a');
    expect(alias?.location).toBe('run//a');
    await insertPaths(['a', '/a'], { overwrite: true });
    expect(await below()).toEqual(['run/', 'run/a*', 'run/b/', 'run/b/c*', 'run/b/d*']);
  });

  test('the same of objects that are not inserted in one batch', async () => {
    const between = Array.from({ length: 1200 }, (_, at) => `f${at}`);
    await expect(insertPaths(['a', ...between, '/a'])).rejects.toMatchObject({ code: 9108 });
    await expect(insertPaths(['a', ...between, 'a/b'])).rejects.toMatchObject({ code: 9108 });
    expect(await below()).toEqual([]);
    await insertPaths(['a', ...between, '/a'], { overwrite: true });
    const run = await folderId('run');
    expect(await below(run)).toHaveLength(1201);
    expect((await filesIn(service.services.store).findChild(run, 'a'))?.location).toBe('run//a');
  });

  test.each([
    ['of a name that is too long', 'n'.repeat(300), 9018],
    ['of a name that no database keeps', 'a\0b', 9018],
    ['in a folder without a name', 'a//b', 5024],
    ['in a folder whose name is too long', `${'n'.repeat(300)}/b`, 5024],
    ['in a folder whose name no database keeps', 'a\0b/c', 5024],
    ['in a folder whose name is reserved', '__a/b', 5024],
  ])('an object %s is refused, also where the folder is there', async (_what, path, code) => {
    await expect(insertPaths(['x', path])).rejects.toMatchObject({ code });
    await alice.folder((await alice.folder(root, 'run')).id, 'deep');
    await expect(insertPaths(['x', path], { overwrite: true })).rejects.toMatchObject({ code });
    expect(await below()).toEqual(['run/', 'run/deep/']);
  });

  test('of several refusals the first in order is told', async () => {
    await alice.upload((await alice.folder(root, 'run')).id, 'a');
    await expect(insertPaths(['a', '__b/c', 'd\0'])).rejects.toMatchObject({ code: 9108 });
    await expect(insertPaths(['__b/c', 'a', 'd\0'])).rejects.toMatchObject({ code: 5024 });
    await expect(insertPaths(['d\0', 'a', '__b/c'])).rejects.toMatchObject({ code: 9018 });
  });

  test('an object that marks a folder becomes one, also the folder itself and an empty one', async () => {
    const paths = ['', 'a', 'deep/', 'deep/b', 'empty/'];
    await insertPaths(paths);
    expect(await below()).toEqual(['run/', 'run/a*', 'run/deep/', 'run/deep/b*', 'run/empty/']);
    await insertPaths(paths, { overwrite: true });
    expect(await below()).toEqual(['run/', 'run/a*', 'run/deep/', 'run/deep/b*', 'run/empty/']);
    await alice.upload(await folderId('run'), 'f');
    await expect(insertPaths(['f/'], { overwrite: true })).rejects.toMatchObject({ code: 9108 });
  });
});
