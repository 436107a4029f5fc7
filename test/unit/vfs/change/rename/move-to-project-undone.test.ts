/** A file is moved over one of another project, which the platform deletes for ever: what can be refused is asked for before that. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Api, AsyncFilesApi, FilesApi } from '../../../../../src/api/api.ts';
import { ApiError } from '../../../../../src/api/errors.ts';
import type { ProjectFileNode } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld, withMethods } from '../../../../support/changing-world.ts';

const refusal = new ApiError(
  { status: 403, code: 5009, message: 'Only bob, who made this file, may edit its metadata.' },
  { call: 'PATCH /files/{id}' },
);
const TARGET = { metadata: { sample: 's1', run: 'r1' }, tags: ['raw'] };
const SOURCE = { metadata: { run: 'r2' }, tags: [] };

let world: ChangingWorld;
let source: ProjectFileNode;
let target: ProjectFileNode;
let failing: 'edit' | 'move' | 'move and edit' | undefined;

function troubled(api: Api): Api {
  const edit: FilesApi['edit'] = (...given) =>
    failing === 'edit' ? Promise.reject(refusal) : api.files.edit(...given);
  const putMetadata: FilesApi['putMetadata'] = (...given) =>
    failing === 'move and edit' ? Promise.reject(refusal) : api.files.putMetadata(...given);
  const start: AsyncFilesApi['start'] = (...given) =>
    failing === undefined || failing === 'edit'
      ? api.asyncFiles.start(...given)
      : Promise.reject(new Error('the move failed'));
  return withMethods(api, {
    files: withMethods(api.files, { edit, putMetadata }),
    asyncFiles: withMethods(api.asyncFiles, { start }),
  });
}

beforeEach(async () => {
  failing = undefined;
  world = await ChangingWorld.start({ api: troubled });
  target = await world.put('b', 'old', world.otherProject);
  source = await world.put('a', 'new');
  await world.tree.api.files.edit(target.record!.id, TARGET);
  await world.tree.api.files.edit(source.record!.id, SOURCE);
  for (const project of [world.folder, world.otherProject]) world.tree.expire(project);
  await world.child('a');
});
afterEach(() => world.end());

const move = () => world.rename('a', 'b', { toParent: world.otherProject });

async function isAsItWas(): Promise<void> {
  expect(await world.onPlatform()).toEqual({ a: 'new' });
  expect(await world.onPlatform(world.otherProject)).toEqual({ b: 'old' });
  expect(await world.tree.api.files.get(target.record!.id)).toMatchObject({ name: 'b', ...TARGET });
}

it('a move that may not give the file what the old one has leaves both where they are', async () => {
  failing = 'edit';
  await expect(move()).rejects.toBe(refusal);
  await isAsItWas();
  expect(await world.tree.api.files.get(source.record!.id)).toMatchObject(SOURCE);
  failing = undefined;
  await move();
  expect(await world.onPlatform(world.otherProject)).toEqual({ b: 'new' });
  const merged = { metadata: { sample: 's1', run: 'r2' }, tags: ['raw'] };
  expect(await world.tree.api.files.get(source.record!.id)).toMatchObject(merged);
});

it('a move that fails takes back what it gave the file', async () => {
  failing = 'move';
  await expect(move()).rejects.toThrow('the move failed');
  await isAsItWas();
  expect(await world.tree.api.files.get(source.record!.id)).toEqual(expect.objectContaining(SOURCE));
});

it('a move that fails says so, though it cannot take back what it gave', async () => {
  failing = 'move and edit';
  await expect(move()).rejects.toThrow('the move failed');
  await isAsItWas();
  expect(world.tree.errors.lastAt('/one/a')).toMatchObject({ text: expect.stringContaining('may edit') });
});
