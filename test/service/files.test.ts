import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileBatchesIn } from '../../src/service/files/tables/file-batch-table.ts';
import { interrupted } from './interrupted.ts';
import { request, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let root: string;
let projectId: string;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  const project = await alice.project('Files');
  root = project.root_folder;
  projectId = project.id;
});
afterAll(() => service.stop());

const content = async (id: string): Promise<string> => (await alice.download(id)).text();

describe('folders', () => {
  test('are created in a folder or in a project, with all their fields', async () => {
    const inRoot = await alice.post('/files', {
      name: 'one',
      type: 'FOLDER',
      project: projectId,
      parent: '',
    });
    expect(inRoot.body).toEqual({
      href: `${service.url}/files/${inRoot.body.id}`,
      id: inRoot.body.id,
      name: 'one',
      type: 'FOLDER',
      project: projectId,
      parent: root,
      created_on: expect.any(String),
      modified_on: inRoot.body.created_on,
    });
    const nested = await alice.post('/files', { name: 'two', type: 'folder', parent: inRoot.body.id });
    expect(nested.body.parent).toBe(inRoot.body.id);
  });

  test('need the advance header', async () => {
    const answer = await request('POST', `${service.url}/files`, {
      body: { name: 'x', type: 'folder', parent: root },
      headers: { 'X-SVC-Auth-Token': alice.token },
    });
    expect(answer.body).toMatchObject({ status: 400, code: 5033 });
  });

  test.each([
    [{ name: '__inputs', type: 'folder' }, 400, 5024],
    [{ name: 'a/b', type: 'folder' }, 400, 5024],
    [{ type: 'folder' }, 400, 5024],
    [{ name: 'x', type: 'file' }, 400, 5012],
    [{ name: 'x' }, 400, 5012],
  ])('%j is refused with %i, %i', async (body, status, code) => {
    expect((await alice.post('/files', { ...body, parent: root })).body).toMatchObject({ status, code });
  });

  test('both, neither or a wrong place are refused', async () => {
    const create = async (place: object) =>
      (await alice.post('/files', { name: 'placed', type: 'folder', ...place })).body.code;
    const file = await alice.upload(root, 'no-folder');
    expect(await create({ parent: root, project: projectId })).toBe(5031);
    expect(await create({})).toBe(5029);
    expect(await create({ parent: 'none' })).toBe(5026);
    expect(await create({ parent: file.id })).toBe(5022);
    expect(await create({ project: 'alice/none' })).toBe(3002);
  });

  test('a taken name is refused', async () => {
    await alice.folder(root, 'taken');
    expect((await alice.post('/files', { name: 'taken', type: 'folder', parent: root })).body).toMatchObject({
      status: 409,
      code: 5030,
    });
  });

  test('only empty ones are deleted, the root never', async () => {
    const folder = await alice.folder(root, 'full');
    const file = await alice.upload(folder.id, 'f');
    expect((await alice.call('DELETE', `/files/${folder.id}`)).body).toMatchObject({
      status: 400,
      code: 5021,
    });
    await alice.call('DELETE', `/files/${file.id}`);
    expect((await alice.call('DELETE', `/files/${folder.id}`)).status).toBe(204);
    expect((await alice.get(`/files/${folder.id}`)).status).toBe(404);
    expect((await alice.call('DELETE', `/files/${root}`)).status).toBe(403);
  });

  test('have no details to change, no metadata, tags or content', async () => {
    const { id } = await alice.folder(root, 'plain');
    expect((await alice.call('PATCH', `/files/${id}`, { body: { name: 'x' } })).body.code).toBe(5023);
    expect((await alice.call('PATCH', `/files/${id}/metadata`, { body: { a: 'b' } })).body.code).toBe(5025);
    expect((await alice.get(`/files/${id}/metadata`)).body.code).toBe(5025);
    expect((await alice.call('PUT', `/files/${id}/tags`, { body: ['t'] })).body.code).toBe(5027);
    expect((await alice.get(`/files/${id}/download_info`)).body.code).toBe(5017);
    expect((await alice.post(`/files/${id}/actions/copy`, { parent: root })).body.code).toBe(5018);
  });
});

describe('PATCH of a file', () => {
  test('changes name, metadata and tags together; the id stays', async () => {
    const { id } = await alice.upload(root, 'before.txt');
    const { status, body } = await alice.call('PATCH', `/files/${id}`, {
      body: { name: 'after.txt', metadata: { sample: 's' }, tags: ['t'] },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, name: 'after.txt', metadata: { sample: 's' }, tags: ['t'] });
    expect((await alice.get(`/files/${id}`)).body).toEqual(body);
  });

  test('changes nothing when one of them is refused', async () => {
    const { id } = await alice.upload(root, 'whole.txt');
    const body = { name: 'other.txt', metadata: { key: 'x'.repeat(301) } };
    expect((await alice.call('PATCH', `/files/${id}`, { body })).body.code).toBe(5006);
    expect((await alice.get(`/files/${id}`)).body).toMatchObject({ name: 'whole.txt', metadata: {} });
  });

  test('refuses a taken name unless it may overwrite; then the other is replaced', async () => {
    const target = await alice.upload(root, 'target.txt', 'old');
    const source = await alice.upload(root, 'source.txt', 'new');
    const rename = (query: string) =>
      alice.call('PATCH', `/files/${source.id}${query}`, { body: { name: 'target.txt' } });
    expect((await rename('')).body).toMatchObject({ status: 409, code: 5003 });
    expect((await rename('?overwrite=True')).body).toMatchObject({ id: source.id, name: 'target.txt' });
    expect((await alice.get(`/files/${target.id}`)).status).toBe(404);
    expect(await content(source.id)).toBe('new');
  });

  test('never replaces a folder', async () => {
    await alice.folder(root, 'dir');
    const { id } = await alice.upload(root, 'not-dir');
    const answer = await alice.call('PATCH', `/files/${id}?overwrite=true`, { body: { name: 'dir' } });
    expect(answer.body.code).toBe(5003);
  });

  test('to its own name changes nothing', async () => {
    const { id } = await alice.upload(root, 'same.txt');
    const answer = await alice.call('PATCH', `/files/${id}?overwrite=true`, { body: { name: 'same.txt' } });
    expect(answer.body.id).toBe(id);
    expect(await content(id)).toBe('same.txt');
  });

  test.each(['', 'a/b', 'x'.repeat(256)])('refuses the name %j', async (name) => {
    const { id } = await alice.upload(root, `bad-name-${name.length}`);
    expect((await alice.call('PATCH', `/files/${id}`, { body: { name } })).body.code).toBe(5024);
  });
});

describe('metadata', () => {
  test('PATCH changes the given pairs, PUT resets the others, both answer all', async () => {
    const { id } = await alice.upload(root, 'meta.txt');
    const change = async (method: string, body: object) =>
      (await alice.call(method, `/files/${id}/metadata`, { body })).body;
    expect(await change('PATCH', { a: '1', b: '2' })).toEqual({ a: '1', b: '2' });
    expect(await change('PATCH', { b: '3', c: null })).toEqual({ a: '1', b: '3' });
    expect(await change('PATCH', { a: null })).toEqual({ a: '1', b: '3' });
    expect(await change('PUT', { d: '4', e: null })).toEqual({ d: '4' });
    expect((await alice.get(`/files/${id}/metadata`)).body).toEqual({ d: '4' });
    expect(await change('PUT', {})).toEqual({});
  });

  test('over a limit nothing is changed', async () => {
    const { id } = await alice.upload(root, 'limits.txt');
    await alice.call('PUT', `/files/${id}/metadata`, { body: { kept: 'yes' } });
    const body = { kept: 'no', ['k'.repeat(101)]: 'v' };
    expect((await alice.call('PATCH', `/files/${id}/metadata`, { body })).body).toMatchObject({
      status: 400,
      code: 5006,
    });
    expect((await alice.get(`/files/${id}/metadata`)).body).toEqual({ kept: 'yes' });
  });

  test('holds a thousand pairs and not one more', async () => {
    const { id } = await alice.upload(root, 'thousand.txt');
    const body = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`key${n}`, `v${n}`]));
    expect((await alice.call('PUT', `/files/${id}/metadata`, { body })).body).toEqual(body);
    const change = { ignored: null, key0: 'v0' };
    expect((await alice.call('PATCH', `/files/${id}/metadata`, { body: change })).body).toEqual(body);
    const more = await alice.call('PATCH', `/files/${id}/metadata`, { body: { more: 'x' } });
    expect(more.body.code).toBe(5006);
    expect(more.body.message).toContain('1000');
    expect((await alice.get(`/files/${id}`)).body.metadata).toEqual(body);
  });

  test('a key may have any name, also one JavaScript knows', async () => {
    const { id } = await alice.upload(root, 'keys.txt');
    const body = '{"__proto__":"p","constructor":"c","a.b":"d","ключ":"я"}';
    const answer = await alice.call('PUT', `/files/${id}/metadata`, { body });
    expect(answer.body).toEqual(JSON.parse(body));
  });

  test('fields selects among the pairs', async () => {
    const { id } = await alice.upload(root, 'select.txt');
    await alice.call('PUT', `/files/${id}/metadata`, { body: { a: '1', b: '2' } });
    expect((await alice.get(`/files/${id}/metadata?fields=a`)).body).toEqual({ a: '1' });
    expect((await alice.get(`/files/${id}?fields=metadata.b,id`)).body).toEqual({ id, metadata: { b: '2' } });
  });
});

test('tags of a file that is deleted meanwhile are refused', async () => {
  const file = await alice.upload(root, 'vanishing');
  const answer = await interrupted(
    service.services.store,
    () => alice.call('PUT', `/files/${file.id}/tags`, { body: ['late'] }),
    { table: 'files', read: 'find', by: () => alice.call('DELETE', `/files/${file.id}`) },
  );
  expect(answer).toMatchObject({ status: 404, body: { code: 5002 } });
});

test('tags are replaced as a bare list', async () => {
  const { id } = await alice.upload(root, 'tags.txt');
  expect((await alice.call('PUT', `/files/${id}/tags`, { body: ['a', 'b c', 'a'] })).body).toEqual([
    'a',
    'b c',
  ]);
  expect((await alice.get(`/files/${id}`)).body.tags).toEqual(['a', 'b c']);
  expect((await alice.call('PUT', `/files/${id}/tags`, { body: [] })).body).toEqual([]);
});

describe('copy', () => {
  test('has the same bytes, metadata and tags under a new id', async () => {
    const original = await alice.upload(root, 'original.txt', 'bytes');
    await alice.call('PATCH', `/files/${original.id}`, { body: { metadata: { a: '1' }, tags: ['t'] } });
    const other = await alice.project('Copies');
    const { body } = await alice.post(`/files/${original.id}/actions/copy`, { project: other.id });
    expect(body).toMatchObject({
      name: 'original.txt',
      project: other.id,
      parent: other.root_folder,
      metadata: { a: '1' },
      tags: ['t'],
      size: 5,
    });
    expect(body.id).not.toBe(original.id);
    await alice.call('DELETE', `/files/${original.id}`);
    expect(await content(body.id)).toBe('bytes');
  });

  test('gets pairs beside those of its source, and tags in the place of its own, when they are given', async () => {
    const { id } = await alice.upload(root, 'annotated.txt');
    await alice.call('PATCH', `/files/${id}`, { body: { metadata: { a: '1', b: '1' }, tags: ['t'] } });
    const copy = (name: string, given: object) =>
      alice.post(`/files/${id}/actions/copy`, { parent: root, name, ...given });
    expect((await copy('given.txt', { metadata: { b: '2', c: '3' }, tags: [] })).body).toMatchObject({
      metadata: { a: '1', b: '2', c: '3' },
      tags: [],
    });
    expect((await copy('refused.txt', { metadata: { b: 'x'.repeat(301) } })).body.code).toBe(5006);
    expect((await copy('refused.txt', {})).status).toBe(200);
    expect((await alice.get(`/files/${id}`)).body).toMatchObject({
      metadata: { a: '1', b: '1' },
      tags: ['t'],
    });
  });

  test('takes a new name, and refuses a taken one', async () => {
    const { id } = await alice.upload(root, 'copied.txt');
    const copy = (name?: string) => alice.post(`/files/${id}/actions/copy`, { parent: root, name });
    expect((await copy()).body).toMatchObject({ status: 409, code: 5003 });
    expect((await copy('copy.txt')).body.name).toBe('copy.txt');
  });
});

describe('move', () => {
  test('keeps the id, metadata and tags', async () => {
    const { id } = await alice.upload(root, 'moved.txt');
    await alice.call('PATCH', `/files/${id}`, { body: { metadata: { a: '1' }, tags: ['t'] } });
    const folder = await alice.folder(root, 'moved-to');
    const { body } = await alice.post(`/files/${id}/actions/move`, { parent: folder.id, name: 'n.txt' });
    expect(body).toMatchObject({ id, name: 'n.txt', parent: folder.id, metadata: { a: '1' }, tags: ['t'] });
  });

  test('refuses a taken name unless it may overwrite', async () => {
    const folder = await alice.folder(root, 'move-over');
    const target = await alice.upload(folder.id, 'x');
    const { id } = await alice.upload(root, 'x');
    const move = (query: string) => alice.post(`/files/${id}/actions/move${query}`, { parent: folder.id });
    expect((await move('')).body.code).toBe(5003);
    expect((await move('?overwrite=true')).body.id).toBe(id);
    expect((await alice.get(`/files/${target.id}`)).status).toBe(404);
  });

  test('refuses a file that has come to another project meanwhile', async () => {
    const { id } = await alice.upload(root, 'taken-away.txt');
    const folder = await alice.folder(root, 'too-late');
    const other = await alice.project('Meanwhile');
    const { store } = service.services;
    const answer = await interrupted(
      store,
      () => alice.post(`/files/${id}/actions/move`, { parent: folder.id }),
      {
        table: 'files',
        read: 'find',
        by: () => fileBatchesIn(store).move([id], { id: other.root_folder, project_id: other.id }),
      },
    );
    expect(answer).toMatchObject({ status: 400, body: { code: 5015 } });
    const { body } = await alice.get(`/files/${id}`);
    expect(body).toMatchObject({ project: other.id, parent: other.root_folder });
  });

  test('refuses another project, a file as parent, and folders', async () => {
    const { id } = await alice.upload(root, 'stays.txt');
    const other = await alice.project('Elsewhere');
    const folder = await alice.folder(root, 'stays');
    const move = async (file: string, parent: string) =>
      (await alice.post(`/files/${file}/actions/move`, { parent })).body.code;
    expect(await move(id, other.root_folder)).toBe(5015);
    expect(await move(id, id)).toBe(5022);
    expect(await move(id, 'none')).toBe(5026);
    expect(await move(folder.id, root)).toBe(5032);
  });
});

test('a deleted file is gone, with its name free', async () => {
  const { id } = await alice.upload(root, 'deleted.txt');
  expect((await alice.call('DELETE', `/files/${id}`)).status).toBe(204);
  expect((await alice.call('DELETE', `/files/${id}`)).body.code).toBe(5002);
  expect((await alice.upload(root, 'deleted.txt')).id).not.toBe(id);
});
