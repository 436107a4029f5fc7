import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PART_SIZE_MIN } from '../../src/contract/limits.ts';
import { uploadsIn } from '../../src/service/uploads/upload-table.ts';
import { interrupted } from './interrupted.ts';
import { type Answer, TestService, type TestUser } from './test-service.ts';

let service: TestService;

let alice: TestUser;

let root: string;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  const project = await alice.project('Uploads');
  root = project.root_folder;
});

afterAll(() => service.stop());

const begin = async (body: object, query = '') =>
  (await alice.post(`/upload/multipart${query}`, { parent: root, ...body })).body;

const complete = (id: string, body?: unknown) => alice.post(`/upload/multipart/${id}/complete`, body);

/** Bytes that differ everywhere. */
const bytes = (length: number, seed = 1) =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + seed + (at >> 8)) % 256);

test.each(['part', 'complete'])('an upload aborted during the call %s is gone', async (call) => {
  const { upload_id } = await begin({ name: `aborted during ${call}` });
  const part = await alice.putPart(upload_id, 1, 'x');
  const { blobs } = service.services;
  const partSizes = blobs.partSizes.bind(blobs);
  const spy = vi.spyOn(blobs, 'partSizes').mockImplementationOnce(async (...args) => {
    const sizes = await partSizes(...args);
    await alice.call('DELETE', `/upload/multipart/${upload_id}`);
    return sizes;
  });
  const body = call === 'part' ? part : { parts: [part] };
  const answer = await alice.post(`/upload/multipart/${upload_id}/${call}`, body);
  spy.mockRestore();
  expect(answer).toMatchObject({ status: 404, body: { code: 8003 } });
});

describe('an upload that is begun just while its project is deleted', () => {
  /** Nothing is known of it, and nothing of it is kept. */
  async function beginsNothing(
    project: { readonly id: string },
    begun: () => Promise<Answer>,
    before: readonly string[],
  ): Promise<void> {
    expect(await begun()).toMatchObject({ status: 404, body: { code: 3002 } });
    expect((await alice.get(`/projects/${project.id}`)).status).toBe(404);
    expect(await uploadsIn(service.services.store).ofProject(project.id)).toEqual([]);
    expect(await kept()).toEqual(before);
  }
  const kept = () => readdir(join(service.dataDir, 'storage', 'uploads'));

  test('is refused, when the store of contents knows it already', async () => {
    const project = await alice.project('Deleted 1');
    const before = await kept();
    const { blobs } = service.services;
    const beginUpload = blobs.beginUpload.bind(blobs);
    const spy = vi.spyOn(blobs, 'beginUpload').mockImplementationOnce(async () => {
      const target = await beginUpload();
      await alice.call('DELETE', `/projects/${project.id}`);
      return target;
    });
    const begun = () => alice.post('/upload/multipart', { parent: project.root_folder, name: 'late' });
    await beginsNothing(project, begun, before).finally(() => spy.mockRestore());
  });

  test('is refused, when the project was seen a moment ago', async () => {
    const project = await alice.project('Deleted 2');
    const begun = () =>
      interrupted(
        service.services.store,
        () => alice.post('/upload/multipart', { parent: project.root_folder, name: 'late' }),
        { table: 'projects', read: 'find', by: () => alice.call('DELETE', `/projects/${project.id}`) },
      );
    await beginsNothing(project, begun, await kept());
  });

  test('goes with it, when the deletion has not come to the uploads yet', async () => {
    const project = await alice.project('Deleted 3');
    const before = await kept();
    const begun: Answer[] = [];
    const deleted = await interrupted(
      service.services.store,
      () => alice.call('DELETE', `/projects/${project.id}`),
      {
        table: 'files',
        read: 'blobsOfProject',
        by: async () =>
          begun.push(await alice.post('/upload/multipart', { parent: project.root_folder, name: 'early' })),
      },
    );
    expect(begun).toMatchObject([{ status: 200 }]);
    expect(deleted.status).toBe(204);
    expect(await uploadsIn(service.services.store).ofProject(project.id)).toEqual([]);
    expect(await kept()).toEqual(before);
  });
});

test('an aborted upload is gone', async () => {
  const { upload_id } = await begin({ name: 'aborted' });
  await alice.putPart(upload_id, 1, 'x');
  expect((await alice.call('DELETE', `/upload/multipart/${upload_id}`)).status).toBe(204);
  expect((await alice.call('DELETE', `/upload/multipart/${upload_id}`)).body.code).toBe(8003);
  expect((await complete(upload_id)).body.code).toBe(8003);
});

test('the folder deleted meanwhile is told at completion', async () => {
  const folder = await alice.folder(root, 'vanishing');
  const { upload_id } = await begin({ name: 'lost', parent: folder.id });
  const parts = [await alice.putPart(upload_id, 1, 'x')];
  await alice.call('DELETE', `/files/${folder.id}`);
  expect((await complete(upload_id, { parts })).body).toMatchObject({ status: 404, code: 5026 });
});

test('a name taken while the parts become a blob leaves an upload that can still be completed', async () => {
  const { upload_id } = await begin({ name: 'late-race' });
  const parts = [
    await alice.putPart(upload_id, 1, bytes(PART_SIZE_MIN)),
    await alice.putPart(upload_id, 2, 'end'),
  ];
  const { blobs } = service.services;
  const complete_ = blobs.completeUpload.bind(blobs);
  const spy = vi.spyOn(blobs, 'completeUpload').mockImplementationOnce(async (...args) => {
    const blob = await complete_(...args);
    await alice.upload(root, 'late-race', 'first');
    return blob;
  });
  const refused = await complete(upload_id, { parts });
  spy.mockRestore();
  expect(refused.body).toMatchObject({ status: 409, code: 8005 });
  const [taker] = (await alice.get(`/files?parent=${root}&name=late-race`)).body.items;
  await alice.call('DELETE', `/files/${taker.id}`);
  expect((await complete(upload_id, { parts })).body.size).toBe(PART_SIZE_MIN + 3);
});
