import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { PART_SIZE_MIN } from '../../src/contract/limits.ts';
import { blobGarbageIn } from '../../src/service/files/tables/blob-garbage-table.ts';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import { volumesIn } from '../../src/service/volumes/volume-table.ts';
import { md5, TestService, type TestUser } from './test-service.ts';
import { runToEnd, TestVolume } from './volume-world.ts';

let service: TestService;

let alice: TestUser;

let bob: TestUser;

let volume: TestVolume;

let readOnly: TestVolume;

let project: Awaited<ReturnType<TestUser['project']>>;

let made = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
  bob = await service.user('bob');
});

beforeEach(async () => {
  made += 1;
  project = await alice.project(`Project ${made}`);
  volume = await TestVolume.make(service, alice, { name: `rw_${made}` });
  readOnly = await TestVolume.make(service, alice, { name: `ro_${made}`, access_mode: 'RO' });
});

afterAll(() => service.stop());

function importOf(location: string, destination: object = { project: project.id }, more: object = {}) {
  return { source: { volume: volume.id, location }, destination, ...more };
}

async function imported(source: object, name: string): Promise<FileResource> {
  const body = { source, destination: { project: project.id, name } };
  return (await runToEnd(alice, '/storage/imports', body)).result;
}

function exportOf(file: FileResource, location: string, more: object = {}) {
  return { source: { file: file.id }, destination: { volume: volume.id, location }, ...more };
}

describe('an export', () => {
  it('puts the content on the volume, turns the file into an alias and lets go of the content', async () => {
    const file = await alice.upload(project.root_folder, 'result.txt', 'the result');
    await alice.call('PATCH', `/files/${file.id}/metadata`, { body: { sample_id: 's1' } });
    const job = await runToEnd(alice, '/storage/exports', exportOf(file, 'out//result.txt'));
    expect(job).toMatchObject({
      state: 'COMPLETED',
      overwrite: false,
      source: { file: file.id },
      destination: { volume: volume.id, location: 'out//result.txt' },
      result: {
        id: file.id,
        name: 'result.txt',
        metadata: { sample_id: 's1' },
        storage: { type: 'VOLUME', volume: volume.id, location: 'out/result.txt' },
      },
    });
    expect(await volume.read('out/result.txt')).toBe('the result');
    expect((await alice.get(`/files/${file.id}`)).body.storage.type).toBe('VOLUME');
    expect(await (await alice.download(file.id)).text()).toBe('the result');
    const garbage = await blobGarbageIn(service.services.store).unusedSince('9999', 10);
    expect(garbage.length).toBeGreaterThan(0);
  });

  it('moves no bytes: the stored content becomes the object', async () => {
    const file = await alice.upload(project.root_folder, 'big', 'x'.repeat(100_000));
    const row = await filesIn(service.services.store).find(file.id);
    const blob = await service.services.blobs.open(row?.blob_key ?? '');
    const inode = (await stat(blob?.localPath ?? '')).ino;
    await blob?.close();
    await runToEnd(alice, '/storage/exports', exportOf(file, 'big'));
    expect((await stat(join(volume.directory, 'big'))).ino).toBe(inode);
    const object = await alice.get(`/storage/volumes/${volume.id}/object?location=big`);
    expect(object.body.metadata).toMatchObject({ size: 100_000, etag: md5('x'.repeat(100_000)) });
  });

  it('keeps the content of a file that another is a copy of', async () => {
    const file = await alice.upload(project.root_folder, 'a', 'shared');
    const copy = (await alice.post(`/files/${file.id}/actions/copy`, { project: project.id, name: 'b' }))
      .body;
    await runToEnd(alice, '/storage/exports', exportOf(file, 'a'));
    expect((await alice.get(`/files/${copy.id}`)).body.storage.type).toBe('PLATFORM');
    expect(await (await alice.download(copy.id)).text()).toBe('shared');
  });

  it.each(['/storage/exports?copy_only=true', '/storage/exports?copy_only=True'])(
    'copies only, by %s: the file stays what it is',
    async (path) => {
      const file = await alice.upload(project.root_folder, 'keep.txt', 'kept');
      const job = await runToEnd(alice, path, exportOf(file, 'kept.txt'));
      expect(job).toMatchObject({
        state: 'COMPLETED',
        result: { id: file.id, storage: { type: 'PLATFORM' } },
      });
      expect(await volume.read('kept.txt')).toBe('kept');
      expect(await (await alice.download(file.id)).text()).toBe('kept');
      const row = await filesIn(service.services.store).find(file.id);
      const blob = await service.services.blobs.open(row?.blob_key ?? '');
      const [own, object] = await Promise.all([
        stat(blob?.localPath ?? ''),
        stat(join(volume.directory, 'kept.txt')),
      ]);
      await blob?.close();
      expect(own.ino).not.toBe(object.ino);
    },
  );

  it('writes an object of several parts whole', async () => {
    const place = { parent: project.root_folder, name: 'parts' };
    const { upload_id: id } = (await alice.post('/upload/multipart', { ...place, part_size: PART_SIZE_MIN }))
      .body;
    const first = 'f'.repeat(PART_SIZE_MIN);
    const parts = [await alice.putPart(id, 1, first), await alice.putPart(id, 2, 'second')];
    const file = (await alice.post(`/upload/multipart/${id}/complete`, { parts })).body;
    const job = await runToEnd(alice, '/storage/exports', exportOf(file, 'parts'));
    expect(job).toMatchObject({ state: 'COMPLETED' });
    expect(md5(await volume.read('parts'))).toBe(md5(`${first}second`));
    expect(md5(await (await alice.download(file.id)).text())).toBe(md5(`${first}second`));
  });

  it('fails with 9107 on a location that is taken, and replaces the object when told to', async () => {
    await volume.lay('taken', 'old');
    const file = await alice.upload(project.root_folder, 'f', 'new');
    expect(await runToEnd(alice, '/storage/exports', exportOf(file, 'taken'))).toMatchObject({
      state: 'FAILED',
      error: { status: 409, code: 9107 },
    });
    expect(await volume.read('taken')).toBe('old');
    expect((await alice.get(`/files/${file.id}`)).body.storage.type).toBe('PLATFORM');
    const job = await runToEnd(alice, '/storage/exports', exportOf(file, 'taken', { overwrite: true }));
    expect(job).toMatchObject({ state: 'COMPLETED', overwrite: true });
    expect(await volume.read('taken')).toBe('new');
  });

  it('that replaces an object has every alias of it tell the new size, time and etag', async () => {
    await volume.lay('deep/k', 'twenty bytes of text');
    const prefixed = await TestVolume.make(service, alice, {
      name: `sub_${made}`,
      service: { bucket: `rw_${made}`, prefix: 'deep' },
    });
    await volume.lay('deep/k2', 'other');
    await volume.lay('k', 'other');
    const aliases = [
      await imported({ volume: volume.id, location: 'deep/k' }, 'direct'),
      await imported({ volume: prefixed.id, location: 'k' }, 'prefixed'),
    ];
    const others = [
      await imported({ volume: volume.id, location: 'k' }, 'same name'),
      await imported({ volume: volume.id, location: 'deep/k2' }, 'same beginning'),
    ];
    const file = await alice.upload(project.root_folder, 'f', 'four');
    const replacing = exportOf(file, 'deep/k', { overwrite: true });
    expect(await runToEnd(alice, '/storage/exports', replacing)).toMatchObject({ state: 'COMPLETED' });
    for (const { id, modified_on } of aliases) {
      const { body } = await alice.get(`/files/${id}`);
      expect(body.size).toBe(4);
      expect(Date.parse(body.modified_on)).toBeGreaterThanOrEqual(Date.parse(modified_on));
      expect((await filesIn(service.services.store).find(id))?.etag).toBe(md5('four'));
      expect(await (await alice.download(id)).text()).toBe('four');
    }
    for (const { id } of others) expect((await alice.get(`/files/${id}`)).body.size).toBe(5);
    const again = await alice.upload(project.root_folder, 'g', 'a mere copy');
    const path = '/storage/exports?copy_only=true&overwrite=true';
    await runToEnd(alice, path, exportOf(again, 'deep/k'));
    for (const { id } of [...aliases, file]) expect((await alice.get(`/files/${id}`)).body.size).toBe(11);
  });

  it('that is refused after it replaced an object has the aliases tell the truth all the same', async () => {
    await volume.lay('k', 'twenty bytes of text');
    const alias = await imported({ volume: volume.id, location: 'k' }, 'alias');
    const file = await alice.upload(project.root_folder, 'f', 'four');
    const { buckets, store } = service.services;
    const open = buckets.open.bind(buckets);
    const opened = vi.spyOn(buckets, 'open').mockImplementation(async (...address) => {
      const bucket = await open(...address);
      const put = bucket.put.bind(bucket);
      bucket.put = async (...args) => {
        const object = await put(...args);
        await volumesIn(store).update(volume.id, { access_mode: 'RO' });
        return object;
      };
      return bucket;
    });
    const job = await runToEnd(alice, '/storage/exports', exportOf(file, 'k', { overwrite: true }));
    opened.mockRestore();
    expect(job).toMatchObject({ state: 'FAILED', error: { code: 9026 } });
    expect(await volume.read('k')).toBe('four');
    expect((await alice.get(`/files/${alias.id}`)).body.size).toBe(4);
  });

  it('leaves nothing half written in the bucket', async () => {
    const file = await alice.upload(project.root_folder, 'f', 'new');
    await runToEnd(alice, '/storage/exports', exportOf(file, 'f'));
    expect((await readdir(volume.directory)).sort()).toEqual(['.svcfs', 'f']);
    expect(await readdir(join(volume.directory, '.svcfs/incoming'))).toEqual([]);
  });

  it('is refused for what cannot be exported', async () => {
    const marked = async (name: string, marks: object): Promise<FileResource> => {
      const file = await alice.upload(project.root_folder, name);
      await service.operator.markFile(file.id, marks);
      return file;
    };
    const alias = await alice.upload(project.root_folder, 'alias');
    await runToEnd(alice, '/storage/exports', exportOf(alias, 'alias'));
    for (const file of [
      await marked('public', { public: true }),
      await marked('archived', { archived: true }),
      await marked('dataset', { dataset: 'tcga' }),
      await alice.folder(project.root_folder, 'folder'),
      alias,
    ]) {
      const { status, body } = await alice.post('/storage/exports', exportOf(file, 'x'));
      expect([file.name, status, body.code]).toEqual([file.name, 403, 9006]);
    }
  });

  it('is refused for a read-only volume, an unknown file and a location that names a folder', async () => {
    const file = await alice.upload(project.root_folder, 'f');
    const toReadOnly = { ...exportOf(file, 'x'), destination: { volume: readOnly.id, location: 'x' } };
    const refusals = [
      [toReadOnly, 403, 9026],
      [{ ...exportOf(file, 'x'), source: { file: 'none' } }, 404, 9009],
      [exportOf(file, 'x/'), 400, 9072],
      [exportOf(file, 'a/./b'), 400, 9011],
      [exportOf(file, 'x', { properties: { sse_algorithm: 'none' } }), 400, 9023],
    ] as const;
    for (const [body, status, code] of refusals) {
      const answer = await alice.post('/storage/exports', body);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
  });

  it('takes content out of a project only with write there, and copies with copy', async () => {
    const file = await alice.upload(project.root_folder, 'f');
    const permissions = { write: true };
    await alice.post(`/storage/volumes/${volume.id}/members`, { username: 'bob', permissions });
    await alice.post(`/projects/${project.id}/members`, { username: 'bob', permissions: { copy: true } });
    const refused = await bob.post('/storage/exports', exportOf(file, 'x'));
    expect([refused.status, refused.body.code]).toEqual([403, 9004]);
    expect((await bob.post('/storage/exports?copy_only=true', exportOf(file, 'x'))).status).toBe(200);
  });

  it('tells its four properties: its own, else the volume’s, else AES256', async () => {
    const kms = await TestVolume.make(service, alice, {
      name: `kms_${made}`,
      service: {
        properties: { sse_algorithm: 'cloud:kms', sse_cloud_kms_key_id: 'k1', cloud_canned_acl: 'private' },
      },
    });
    const properties = async (target: TestVolume, own?: object): Promise<object> => {
      const file = await alice.upload(project.root_folder, `f-${Math.random()}`);
      const body = { source: { file: file.id }, destination: { volume: target.id, location: file.name } };
      return (await alice.post('/storage/exports', { ...body, ...(own ? { properties: own } : {}) })).body
        .properties;
    };
    const unset = { sse_cloud_kms_key_id: null, cloud_canned_acl: null, cloud_storage_class: null };
    expect(await properties(volume)).toEqual({ ...unset, sse_algorithm: 'AES256' });
    expect(await properties(volume, { sse_algorithm: null })).toEqual({ ...unset, sse_algorithm: null });
    expect(await properties(volume, { sse_algorithm: 'null' })).toEqual({ ...unset, sse_algorithm: null });
    expect(await properties(kms)).toEqual({
      ...unset,
      sse_algorithm: 'cloud:kms',
      sse_cloud_kms_key_id: 'k1',
      cloud_canned_acl: 'private',
    });
    expect(await properties(kms, { sse_algorithm: 'AES256', cloud_storage_class: 'STANDARD_IA' })).toEqual({
      sse_algorithm: 'AES256',
      sse_cloud_kms_key_id: null,
      cloud_canned_acl: 'private',
      cloud_storage_class: 'STANDARD_IA',
    });
  });

  it('passes the storage class on to the store', async () => {
    const file = await alice.upload(project.root_folder, 'f');
    const properties = { cloud_storage_class: 'STANDARD_IA' };
    await runToEnd(alice, '/storage/exports', exportOf(file, 'f', { properties }));
    const { body } = await alice.get(`/storage/volumes/${volume.id}/object?location=f`);
    expect(body.metadata.storageClass).toBe('STANDARD_IA');
  });
});

describe('there and back', () => {
  it('exports a file and imports the object again: the same bytes', async () => {
    const file = await alice.upload(project.root_folder, 'round.bin', 'round trip');
    await runToEnd(alice, '/storage/exports', exportOf(file, 'round.bin'));
    const job = await runToEnd(
      alice,
      '/storage/imports',
      importOf('round.bin', { project: project.id, name: 'again' }),
    );
    expect(await (await alice.download(job.result.id)).text()).toBe('round trip');
  });

  it('reads an alias no more when its volume is deactivated', async () => {
    await volume.lay('a', 'a');
    const job = await runToEnd(alice, '/storage/imports', importOf('a'));
    await alice.call('PATCH', `/storage/volumes/${volume.id}`, { body: { active: false } });
    const { status, body } = await alice.get(`/files/${job.result.id}/download_info`);
    expect([status, body.code]).toEqual([409, 5034]);
  });
});

describe('jobs', () => {
  it('are listed with the fields asked for, newest first, by volume, project and state', async () => {
    await volume.lay('a', 'a');
    const failed = await runToEnd(alice, '/storage/imports', importOf('none'));
    const done = await runToEnd(alice, '/storage/imports', importOf('a'));
    const { body, headers } = await alice.get(`/storage/imports?volume=${volume.id}`);
    expect(headers.get('x-total-matching-query')).toBe('2');
    expect(body.items.map(({ id }: { id: string }) => id).sort()).toEqual([failed.id, done.id].sort());
    expect(Object.keys(body.items[0]).sort()).toEqual(['href', 'id', 'state']);
    const filtered = await alice.get(`/storage/imports?project=${project.id}&state=FAILED&fields=_all`);
    expect(filtered.body.items).toMatchObject([{ id: failed.id, error: { code: 9105 } }]);
  });

  it('of exports are listed by volume and state', async () => {
    const file = await alice.upload(project.root_folder, 'f');
    const job = await runToEnd(alice, '/storage/exports', exportOf(file, 'f'));
    const { body, headers } = await alice.get(`/storage/exports?volume=${volume.id}&state=COMPLETED`);
    expect(headers.get('x-total-matching-query')).toBe('1');
    expect(body.items).toEqual([{ href: job.href, id: job.id, state: 'COMPLETED' }]);
    expect((await alice.get(`/storage/exports?volume=${volume.id}&state=FAILED`)).body.items).toEqual([]);
  });

  it('are the submitter’s alone', async () => {
    await volume.lay('a', 'a');
    const job = await runToEnd(alice, '/storage/imports', importOf('a'));
    const { status, body } = await bob.get(`/storage/imports/${job.id}`);
    expect([status, body.code]).toEqual([404, 9008]);
    expect((await alice.get(`/storage/exports/${job.id}`)).status).toBe(404);
  });

  it('show what `fields` asks for', async () => {
    await volume.lay('a', 'a');
    const job = await runToEnd(alice, '/storage/imports', importOf('a'));
    expect((await alice.get(`/storage/imports/${job.id}?fields=state,source.location`)).body).toEqual({
      state: 'COMPLETED',
      source: { location: 'a' },
    });
  });

  it('refuse a wait of more than 30 seconds', async () => {
    expect((await alice.get('/storage/imports/x?wait=31')).status).toBe(400);
  });
});
