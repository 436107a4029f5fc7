import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { TestService, type TestUser } from './test-service.ts';
import { ended, TestVolume } from './volume-world.ts';

let service: TestService;

let alice: TestUser;

let volume: TestVolume;

let project: Awaited<ReturnType<TestUser['project']>>;

let made = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
});

beforeEach(async () => {
  made += 1;
  project = await alice.project(`Project ${made}`);
  volume = await TestVolume.make(service, alice, { name: `rw_${made}` });
});

afterAll(() => service.stop());

function importOf(location: string, destination: object = { project: project.id }, more: object = {}) {
  return { source: { volume: volume.id, location }, destination, ...more };
}

function exportOf(file: FileResource, location: string, more: object = {}) {
  return { source: { file: file.id }, destination: { volume: volume.id, location }, ...more };
}

describe('bulk calls', () => {
  it.each(['/bulk/storage/exports/create', '/bulk/storage/exports'])(
    'starts exports by %s, in order, the refused ones alone',
    async (path) => {
      const files = await Promise.all(
        ['a', 'b'].map((name) => alice.upload(project.root_folder, name, name)),
      );
      const [a, b] = files as [FileResource, FileResource];
      const items = [
        exportOf(a, 'a'),
        exportOf({ ...a, id: 'none' }, 'x'),
        { nonsense: true },
        exportOf(b, 'b'),
      ];
      const { status, body } = await alice.post(path, { items });
      expect(status).toBe(200);
      expect(body.items).toMatchObject([
        { resource: { state: 'PENDING', source: { file: a.id } } },
        { error: { status: 404, code: 9009 } },
        { error: { status: 400, code: 90000 } },
        { resource: { state: 'PENDING', source: { file: b.id } } },
      ]);
      const ids = [body.items[0].resource.id, body.items[3].resource.id];
      const ended = async () =>
        (await alice.post('/bulk/storage/exports/get', { export_ids: ids })).body.items;
      await expect
        .poll(async () =>
          (await ended()).map(({ resource }: { resource: { state: string } }) => resource.state),
        )
        .toEqual(['COMPLETED', 'COMPLETED']);
      expect(await volume.read('b')).toBe('b');
    },
  );

  it('copies only, in bulk', async () => {
    const file = await alice.upload(project.root_folder, 'a', 'a');
    const path = '/bulk/storage/exports/create?copy_only=true';
    const { body } = await alice.post(path, { items: [exportOf(file, 'a')] });
    const job = await ended(alice, body.items[0].resource);
    expect(job.result.storage.type).toBe('PLATFORM');
  });

  it('starts and reads imports in bulk', async () => {
    await volume.lay('a', 'a');
    const { body } = await alice.post('/bulk/storage/imports/create', {
      items: [importOf('a'), importOf('x/')],
    });
    expect(body.items).toMatchObject([{ resource: { state: 'PENDING' } }, { error: { code: 9072 } }]);
    const { id } = await ended(alice, body.items[0].resource);
    const read = await alice.post('/bulk/storage/imports/get?wait=10', { import_ids: [id, 'none'] });
    expect(read.body.items).toMatchObject([
      { resource: { id, state: 'COMPLETED', result: { name: 'a' } } },
      { error: { status: 404, code: 9008 } },
    ]);
  });

  it('refuses more than 100 entries and does nothing', async () => {
    await volume.lay('a', 'a');
    const items = Array.from({ length: 101 }, (_, i) =>
      importOf('a', { project: project.id, name: `a${i}` }),
    );
    const { status, body } = await alice.post('/bulk/storage/imports/create', { items });
    expect([status, body.code]).toEqual([400, 90000]);
    expect(
      (await alice.get(`/storage/imports?volume=${volume.id}`)).headers.get('x-total-matching-query'),
    ).toBe('0');
  });
});
