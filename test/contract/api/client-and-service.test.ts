/** The client against the service: every call of the client means there what it says. */
import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApi } from '../../../src/api/create-api.ts';
import { createStorageClient } from '../../../src/api/create-storage-client.ts';
import type { FileRecord } from '../../../src/api/model.ts';
import type { StorageClient } from '../../../src/api/storage-client.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { TestService, type TestUser } from '../../service/test-service.ts';
import { DIALECT } from '../../support/dialect.ts';

let service: TestService;
let alice: TestUser;
let api: ApiClient;
let storage: StorageClient;
let root: string;
let project: string;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  await service.operator.createBillingGroup('alice', 'Lab funds');
  api = createApi({ endpoint: service.url, token: alice.token, clock: systemClock, dialect: DIALECT });
  storage = createStorageClient({ clock: systemClock });
  ({ root_folder: root, id: project } = await alice.project('Trial'));
});

afterAll(async () => {
  await api?.close();
  await storage?.close();
  await service?.stop();
});

async function upload(
  parent: string,
  name: string,
  content: Uint8Array,
  overwrite = false,
): Promise<FileRecord> {
  const ticket = await api.uploads.initialise({ parent, name, overwrite, sizeBytes: content.length });
  const { etag } = await storage.putPart(await api.uploads.partUrl(ticket.uploadId, 1), content);
  return api.uploads.complete(ticket.uploadId, [{ partNumber: 1, etag }]);
}

async function download(file: FileRecord): Promise<Buffer> {
  const { url } = await api.files.downloadInfo(file.id);
  const into = Buffer.alloc(file.sizeBytes);
  await storage.getRange(url, { offset: 0, into });
  return into;
}

describe('who calls, and what is offered', () => {
  it('the token names its user', async () => {
    expect(await api.whoAmI()).toEqual({ username: 'alice' });
    expect(api.status().dialect).toBe(DIALECT);
  });

  it('another token is refused with 401', async () => {
    const stranger = createApi({ endpoint: service.url, token: 'wrong', clock: systemClock });
    await expect(stranger.whoAmI()).rejects.toMatchObject({ status: 401, code: 90001 });
    await stranger.close();
  });

  it('capabilities are asked once', async () => {
    const before = api.status().calls['GET /'] ?? 0;
    expect(await api.capabilities()).toContain('volume_download_info');
    await api.capabilities();
    expect(api.status().calls['GET /']).toBe(before + 1);
  });
});

describe('projects', () => {
  it('are made, edited, shared and deleted', async () => {
    const { id } = await api.projects.create({ name: 'New One', description: 'first' });
    expect(id).toBe('alice/new-one');
    await api.projects.edit(id, { name: 'Other', settings: { locked: true } });
    expect(await api.projects.get(id)).toMatchObject({
      id,
      name: 'Other',
      description: 'first',
      settings: { locked: true, controlled: false },
    });
    await service.user('bob');
    await api.projects.addMember(id, { username: 'bob', permissions: { read: true, copy: true } });
    await api.projects.setPermissions(id, { username: 'bob', permissions: { write: true } });
    const { items, total } = await api.projects.members(id, { offset: 0, limit: 100 });
    expect(total).toBe(2);
    expect(items.find(({ username }) => username === 'bob')?.permissions).toMatchObject({
      read: true,
      write: true,
      copy: false,
    });
    await api.projects.removeMember(id, 'bob');
    expect((await api.projects.members(id, { offset: 0, limit: 100 })).total).toBe(1);
    await api.projects.delete(id);
    await expect(api.projects.get(id)).rejects.toMatchObject({ code: 3002 });
  });

  it('are listed and shown with their root folder', async () => {
    const page = await api.projects.list({ offset: 0, limit: 100 });
    expect(page.items).toContainEqual({
      id: project,
      owner: 'alice',
      shortName: 'trial',
      name: 'Trial',
      createdBy: 'alice',
      createdMs: expect.any(Number),
    });
    const record = await api.projects.get(project);
    expect(record).toMatchObject({ rootFolder: root, permissions: { write: true, admin: true } });
    expect(record.createdMs).toBeGreaterThan(Date.UTC(2020, 0));
  });

  it('are edited', async () => {
    await api.projects.edit(project, { description: 'Two arms.' });
    expect((await api.projects.get(project)).description).toBe('Two arms.');
  });
});

describe('files', () => {
  it('go up in parts and come down in ranges', async () => {
    const content = randomBytes(6 * 1024 * 1024);
    const file = await upload(root, 'reads.bam', content);
    expect(file).toMatchObject({ name: 'reads.bam', sizeBytes: content.length, parent: root, project });
    expect((await download(file)).equals(content)).toBe(true);
    const { url } = await api.files.downloadInfo(file.id);
    const into = Buffer.alloc(1000);
    await storage.getRange(url, { offset: 5_000_000, into });
    expect(into.equals(content.subarray(5_000_000, 5_001_000))).toBe(true);
  });

  it('may be empty', async () => {
    expect(await upload(root, 'empty.txt', new Uint8Array(0))).toMatchObject({ sizeBytes: 0 });
  });

  it('are replaced under a new id', async () => {
    const first = await upload(root, 'twice.txt', Buffer.from('one'));
    await expect(upload(root, 'twice.txt', Buffer.from('two'))).rejects.toMatchObject({ code: 8005 });
    const second = await upload(root, 'twice.txt', Buffer.from('two'), true);
    expect(second.id).not.toBe(first.id);
    expect(String(await download(second))).toBe('two');
  });

  it('are listed a hundred at a time with all that ls and getfattr need', async () => {
    const folder = await api.files.createFolder({ parent: root, name: 'many' });
    for (let index = 0; index < 3; index += 1) {
      await upload(folder.id, `f${index}`, Buffer.from(`${index}`));
    }
    await api.files.createFolder({ parent: folder.id, name: 'deeper' });
    const page = await api.files.list(folder.id, { offset: 1, limit: 2 });
    expect(page.total).toBe(4);
    expect(page.items.map(({ name }) => name)).toEqual(['f0', 'f1']);
    expect(page.items[0]).toEqual(await api.files.get(page.items[0]?.id ?? ''));
  });

  it('are found by name, and missing ones told', async () => {
    const file = await upload(root, 'ä b+c&d.txt', Buffer.from('x'));
    expect(await api.files.find({ parent: root, name: 'ä b+c&d.txt' })).toEqual(file);
    expect(await api.files.find({ parent: root, name: 'nothing' })).toBeUndefined();
  });

  it('keep their id when they are renamed and moved', async () => {
    const file = await upload(root, 'old.txt', Buffer.from('x'));
    const folder = await api.files.createFolder({ parent: root, name: 'elsewhere' });
    expect(await api.files.edit(file.id, { name: 'new.txt' })).toMatchObject({
      id: file.id,
      name: 'new.txt',
    });
    const moved = await api.files.move(file.id, { parent: folder.id, name: 'third.txt' });
    expect(moved).toMatchObject({ id: file.id, name: 'third.txt', parent: folder.id });
  });

  it('take a name again that they have: a repeated rename is no conflict', async () => {
    const file = await upload(root, 'same.txt', Buffer.from('x'));
    expect(await api.files.edit(file.id, { name: 'same.txt' })).toMatchObject({ id: file.id });
    const options = { overwrite: true };
    expect(await api.files.edit(file.id, { name: 'same.txt' }, options)).toMatchObject({ id: file.id });
    expect(await api.files.move(file.id, { parent: root, name: 'same.txt' }, options)).toMatchObject({
      id: file.id,
    });
  });

  it('are read and deleted in bulk, each with its own result', async () => {
    const file = await upload(root, 'bulk.txt', Buffer.from('x'));
    const [found, missing] = await api.files.bulkGet([file.id, 'nothing']);
    expect(found).toEqual({ ok: true, value: file });
    expect(missing).toMatchObject({ ok: false, failure: { status: 404, code: 5002 } });
    const deleted = await api.files.bulkDelete([file.id, 'nothing']);
    expect(deleted.map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('carry metadata and tags', async () => {
    const file = await upload(root, 'tagged.txt', Buffer.from('x'));
    await api.files.patchMetadata(file.id, { sample: 's1', Sample: 'S2' });
    expect(await api.files.patchMetadata(file.id, { sample: 's3' })).toEqual({ sample: 's3', Sample: 'S2' });
    expect(await api.files.putMetadata(file.id, { only: 'this' })).toEqual({ only: 'this' });
    expect(await api.files.putTags(file.id, ['a', 'b c'])).toEqual(['a', 'b c']);
    expect(await api.files.get(file.id)).toMatchObject({ metadata: { only: 'this' }, tags: ['a', 'b c'] });
  });

  it('are copied with their metadata, and deleted', async () => {
    const file = await upload(root, 'source.txt', Buffer.from('copy me'));
    await api.files.patchMetadata(file.id, { sample: 's1' });
    const copy = await api.files.copy(file.id, { parent: root, name: 'copy.txt' });
    expect(copy).toMatchObject({ name: 'copy.txt', metadata: { sample: 's1' } });
    await api.files.delete(file.id);
    expect(String(await download(copy))).toBe('copy me');
    await expect(api.files.get(file.id)).rejects.toMatchObject({ status: 404, code: 5002 });
  });

  it('refuse a link that was tampered with', async () => {
    const file = await upload(root, 'secret.txt', Buffer.from('x'));
    const { url } = await api.files.downloadInfo(file.id);
    const tampered = url.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const reading = storage.getRange(tampered, { offset: 0, into: Buffer.alloc(1) });
    await expect(reading).rejects.toMatchObject({ kind: 'refused', status: 403 });
  });
});

describe('folders', () => {
  it('are refused under a reserved or taken name, and deleted when empty', async () => {
    const folder = await api.files.createFolder({ parent: root, name: 'box' });
    expect(folder).toMatchObject({ kind: 'folder', name: 'box', parent: root });
    await expect(api.files.createFolder({ parent: root, name: 'box' })).rejects.toMatchObject({ code: 5030 });
    await expect(api.files.createFolder({ parent: root, name: '__box' })).rejects.toMatchObject({
      code: 5024,
    });
    await api.files.delete(folder.id);
    expect(await api.files.find({ parent: root, name: 'box' })).toBeUndefined();
  });
});

describe('uploads', () => {
  it('tell which parts were reported, and are no more once aborted', async () => {
    const { uploadId } = await api.uploads.initialise({ parent: root, name: 'left.bin', overwrite: false });
    const { etag } = await storage.putPart(await api.uploads.partUrl(uploadId, 1), Buffer.from('part'));
    await api.uploads.report(uploadId, [{ partNumber: 1, etag }]);
    expect((await api.uploads.reportedParts(uploadId)).parts).toEqual([{ partNumber: 1, etag }]);
    await api.uploads.abort(uploadId);
    await expect(api.uploads.reportedParts(uploadId)).rejects.toMatchObject({ status: 404, code: 8003 });
  });

  it('of a small file take one call, with its metadata and tags', async () => {
    const metadata = { sample: 'S–1' };
    const file = await api.uploads.inline(
      { parent: root, name: 'small.txt', overwrite: false, metadata, tags: ['new'] },
      Buffer.from('small'),
    );
    expect(file).toMatchObject({ name: 'small.txt', sizeBytes: 5, metadata, tags: ['new'] });
    expect(String(await download(file))).toBe('small');
  });
});

describe('volumes', () => {
  const id = 'alice/lab';
  beforeAll(async () => {
    const service = {
      type: 's3',
      bucket: 'lab-bucket',
      credentials: { access_key_id: 'a', secret_access_key: 'b' },
    };
    await alice.post('/storage/volumes', { name: 'lab', access_mode: 'RW', service });
  });

  it('are listed and shown', async () => {
    expect((await api.volumes.list({ offset: 0, limit: 100 })).items).toEqual([
      { id, owner: 'alice', name: 'lab' },
    ]);
    const record = await api.volumes.get(id);
    expect(record).toMatchObject({ accessMode: 'RW', active: true, serviceType: 's3', bucket: 'lab-bucket' });
  });

  it('show one level of an empty bucket, and no object', async () => {
    const page = await api.volumes.contents(id, { prefix: '' });
    expect(page).toEqual({ objects: [], prefixes: [], continuation: undefined });
    expect(await api.volumes.object(id, 'nothing')).toBeUndefined();
  });
});

describe('tasks', () => {
  const tool = {
    class: 'CommandLineTool',
    label: 'Count lines',
    inputs: [
      { id: 'text', type: 'File' },
      { id: 'limit', type: 'float', default: 1.5 },
    ],
    outputs: { count: 'stdout' },
  };
  let app: string;
  let file: FileRecord;
  beforeAll(async () => {
    app = `${project}/wc`;
    await alice.post(`/apps/${app}/raw`, tool);
    file = await upload(root, 'counted.txt', Buffer.from('x'));
  });
  const inputs = () => ({ text: { class: 'File', path: file.id }, limit: 2.5 });

  it('have apps, whose documents are in the words of their authors', async () => {
    const { raw, ...record } = await api.apps.get(app);
    expect(record).toEqual({ id: `${app}/0`, project, name: 'Count lines', revision: 0 });
    expect(raw).toMatchObject({ class: 'CommandLineTool', 'svc:id': `${app}/0`, inputs: tool.inputs });
    await expect(api.apps.get(`${app}/7`)).rejects.toMatchObject({ status: 404 });
  });

  it('are made as drafts, listed newest first, and told of together', async () => {
    const made = await api.tasks.create({ project, app, name: 'one', inputs: inputs() });
    expect(made).toMatchObject({
      name: 'one',
      status: 'DRAFT',
      project,
      app: `${app}/0`,
      createdBy: 'alice',
      startedMs: undefined,
      price: undefined,
      inputs: { text: { class: 'File', path: file.id, name: 'counted.txt' }, limit: 2.5 },
      outputs: { count: null },
    });
    const other = await api.tasks.create({ project, app, name: 'two', inputs: inputs() });
    const page = await api.tasks.list({ project }, { offset: 0, limit: 1 });
    expect(page).toMatchObject({ total: 2, items: [{ project }] });
    expect(await api.tasks.list({ project, status: 'RUNNING' }, { offset: 0, limit: 1 })).toMatchObject({
      total: 0,
    });
    const missing = '00000000-0000-4000-8000-000000000000';
    const [first, second, third] = await api.tasks.bulkGet([made.id, missing, other.id]);
    expect(first).toEqual({ ok: true, value: await api.tasks.get(made.id) });
    expect(second).toMatchObject({ ok: false, failure: { code: 7002 } });
    expect(third).toMatchObject({ ok: true, value: { name: 'two' } });
    expect(await api.tasks.executedTools(made.id)).toEqual([]);
  });

  it('are run once, and aborted only while they run', async () => {
    const { id } = await api.tasks.create({ project, app, name: 'run', inputs: {} });
    await expect(api.tasks.run(id)).rejects.toMatchObject({ code: 7010 });
    await expect(api.tasks.abort(id)).rejects.toMatchObject({ code: 7008 });
  });
});
