import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let project: Awaited<ReturnType<TestUser['project']>>;
let made = 0;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
});

beforeEach(async () => {
  made += 1;
  project = await alice.project(`Project ${made}`);
});

afterAll(() => service.stop());

describe('bulk calls on files', () => {
  it('get files in the order asked, the missing ones as errors', async () => {
    const a = await alice.upload(project.root_folder, 'a');
    const b = await alice.upload(project.root_folder, 'b');
    const { status, body } = await alice.post('/bulk/files/get?fields=id,name', {
      file_ids: [b.id, 'none', a.id],
    });
    expect(status).toBe(200);
    expect(body.items).toEqual([
      { resource: { id: b.id, name: 'b' } },
      { error: expect.objectContaining({ status: 404, code: 5002 }) },
      { resource: { id: a.id, name: 'a' } },
    ]);
  });

  it('delete files and empty folders; a full folder stays', async () => {
    const full = await alice.folder(project.root_folder, 'full');
    await alice.upload(full.id, 'inside');
    const empty = await alice.folder(project.root_folder, 'empty');
    const file = await alice.upload(project.root_folder, 'file');
    const { body } = await alice.post('/bulk/files/delete', { file_ids: [full.id, empty.id, file.id] });
    expect(body.items).toMatchObject([{ error: { code: 5021 } }, { resource: null }, { resource: null }]);
    const left = await alice.get(`/files?parent=${project.root_folder}&fields=name`);
    expect(left.body.items).toEqual([{ name: 'full' }]);
  });

  it('edit merges, update replaces; the id may be called file_id', async () => {
    const file = await alice.upload(project.root_folder, 'a');
    const first = { id: file.id, metadata: { x: '1', y: '2' }, tags: ['t'] };
    await alice.post('/bulk/files/edit', { items: [first] });
    const edited = await alice.post('/bulk/files/edit', {
      items: [{ file_id: file.id, metadata: { y: '3' } }],
    });
    expect(edited.body.items[0].resource).toMatchObject({
      name: 'a',
      metadata: { x: '1', y: '3' },
      tags: ['t'],
    });
    const updated = await alice.post('/bulk/files/update', {
      items: [{ id: file.id, name: 'b', metadata: { z: '9' } }],
    });
    expect(updated.body.items[0].resource).toMatchObject({ name: 'b', metadata: { z: '9' }, tags: [] });
    expect(updated.body.items[0].resource.metadata).not.toHaveProperty('x');
    const nameless = await alice.post('/bulk/files/edit', { items: [{ name: 'c' }] });
    expect(nameless.body.items[0].error.code).toBe(5004);
  });

  it.each(['/bulk/files/get', '/bulk/files/delete'])(
    '%s refuses 101 ids and what is no list',
    async (path) => {
      for (const file_ids of [Array.from({ length: 101 }, () => 'x'), 'x']) {
        const { status, body } = await alice.post(path, { file_ids });
        expect([status, body.code]).toEqual([400, 90000]);
      }
    },
  );

  it('copy files by the action call, answered by their old ids', async () => {
    const target = await alice.project('Target');
    const a = await alice.upload(project.root_folder, 'a');
    const { body } = await alice.post('/action/files/copy', { project: target.id, file_ids: [a.id, 'none'] });
    expect(body[a.id]).toMatchObject({ status: 'OK', new_file_name: 'a' });
    expect(body.none.status).not.toBe('OK');
    expect(await (await alice.download(body[a.id].new_file_id)).text()).toBe('a');
  });
});
