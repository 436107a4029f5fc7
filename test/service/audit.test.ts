import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditRow } from '../../src/service/operations/audit/audit-table.ts';
import { auditIn } from '../../src/service/operations/audit/audit-table.ts';
import { AUDITED_CALLS, READS } from '../../src/service/operations/audit/audited-calls.ts';
import { request, TestService, type TestUser } from './test-service.ts';
import { ended, TestVolume } from './volume-world.ts';

let service: TestService;
let alice: TestUser;
let bob: TestUser;
let count = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
  bob = await service.user('bob');
});
afterAll(() => service.stop());

/** The entries about an object, the oldest first. */
async function entriesOf(object: string): Promise<AuditRow[]> {
  const { store, auditTrail } = service.services;
  await auditTrail.written();
  return (await auditIn(store).list({ object, limit: 100 })).reverse();
}

const told = (entries: readonly AuditRow[]) =>
  entries.map(({ username, action, status, code }) => [username, action, status, code]);

async function sharedFile() {
  count += 1;
  const project = await alice.project(`Project ${count}`);
  await alice.post(`/projects/${project.id}/members`, { username: 'bob', permissions: { read: true } });
  return { project, file: await alice.upload(project.root_folder, 'secret name.txt') };
}

test('every call that is no mere question has a name in the log', async () => {
  const { body } = await request('GET', `${service.url}/openapi.json`);
  const changing = Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((method) => method !== 'get')
      .map(
        (method) => `${method.toUpperCase()} ${path.replace(/^\/v2/, '').replaceAll(/\{(\w+)\}/g, ':$1')}`,
      ),
  );
  const named = Object.keys(AUDITED_CALLS).filter((call) => !call.startsWith('GET '));
  expect([...named, ...READS].sort()).toEqual(changing.sort());
});

test('a change is recorded with who, what, when, from where and by which request', async () => {
  const { file } = await sharedFile();
  const before = new Date().toISOString();
  const headers = { 'X-Request-Id': 'req-1' };
  const answer = await alice.call('PATCH', `/files/${file.id}`, { body: { name: 'new name.txt' }, headers });
  const edits = (await entriesOf(file.id)).filter(({ action }) => action === 'file.edit');
  expect(edits).toEqual([
    expect.objectContaining({
      username: 'alice',
      object: file.id,
      status: 200,
      code: null,
      address: '127.0.0.1',
      request_id: answer.headers.get('x-request-id'),
      token: expect.stringMatching(/^[0-9a-f]{12}$/),
    }),
  ]);
  expect((edits[0]?.at ?? '') >= before).toBe(true);
});

test('a refusal is recorded with its code, and a question is not', async () => {
  const { file } = await sharedFile();
  await bob.get(`/files/${file.id}`);
  await bob.call('DELETE', `/files/${file.id}`);
  await bob.get(`/files/${file.id}/download_info`);
  await alice.get(`/files/${file.id}/download_info`);
  expect(told(await entriesOf(file.id)).filter(([, action]) => action !== 'upload.complete')).toEqual([
    ['bob', 'file.delete', 403, 5001],
    ['bob', 'file.download', 403, 5014],
    ['alice', 'file.download', 200, null],
  ]);
});

test('what was made is the object of the call that made it', async () => {
  const { project } = await sharedFile();
  const folder = await alice.folder(project.root_folder, 'results');
  expect(told(await entriesOf(project.id))).toEqual([
    ['alice', 'project.create', 200, null],
    ['alice', 'project.member.set', 200, null],
  ]);
  expect(told(await entriesOf(folder.id))).toEqual([['alice', 'folder.create', 200, null]]);
});

test('of a bulk call each entry is recorded, with an outcome of its own', async () => {
  const { project, file } = await sharedFile();
  const other = await alice.upload(project.root_folder, 'other');
  await alice.post('/bulk/files/delete', { file_ids: [other.id, 'nothing', file.id] });
  const last = async (id: string) => told(await entriesOf(id)).at(-1);
  expect(await last(other.id)).toEqual(['alice', 'file.delete', 200, null]);
  expect(await last('nothing')).toEqual(['alice', 'file.delete', 404, 5002]);
  expect(await last(file.id)).toEqual(['alice', 'file.delete', 200, null]);
});

test('who was given which permissions is recorded', async () => {
  const { project } = await sharedFile();
  const entry = (await entriesOf(project.id)).at(-1);
  expect(JSON.parse(entry?.detail ?? '')).toEqual({ username: 'bob', permissions: { read: true } });
});

test('of a locked project only ids are told: no name, key or value of anything in it', async () => {
  const project = await alice.project('Locked');
  await alice.call('PATCH', `/projects/${project.id}`, {
    body: { name: 'hush-project', description: 'hush-description', settings: { locked: true } },
  });
  const folder = await alice.folder(project.root_folder, 'hush-folder');
  const file = await alice.upload(folder.id, 'hush-file', 'hush-content');
  const edit = { name: 'hush-name', metadata: { 'hush-key': 'hush-value' }, tags: ['hush-tag'] };
  await alice.call('PATCH', `/files/${file.id}`, { body: edit });
  await alice.post(`/files/${file.id}/actions/copy`, { parent: folder.id, name: 'hush-copy' });
  const volume = await TestVolume.make(service, alice, { name: 'hushed' });
  const target = { volume: volume.id, location: 'hush-location' };
  const exported = { source: { file: file.id }, destination: target };
  await ended(alice, (await alice.post('/storage/exports?copy_only=true', exported)).body);
  const imported = { source: target, destination: { project: project.id, name: 'hush-alias' } };
  await ended(alice, (await alice.post('/storage/imports', imported)).body);
  const tool = { class: 'CommandLineTool', label: 'hush-label', inputs: { x: 'string' }, outputs: [] };
  await alice.post(`/apps/${project.id}/app/raw`, tool);
  const task = { project: project.id, app: `${project.id}/app`, name: 'hush-task', inputs: { x: 'hush-x' } };
  await alice.post('/tasks?action=run', task);
  await service.operator.markFile(file.id, { archived: true });
  const { store, auditTrail } = service.services;
  await auditTrail.written();
  const entries = await auditIn(store).list({ limit: 100 });
  expect(entries.map(({ object }) => object)).toEqual(
    expect.arrayContaining([project.id, folder.id, file.id]),
  );
  expect(JSON.stringify(entries)).not.toContain('hush-');
});

describe('a job', () => {
  test('is recorded when it is asked for, and when it has changed something', async () => {
    const { file } = await sharedFile();
    const volume = await TestVolume.make(service, alice, { name: `volume_${count}` });
    const submitted = await alice.post('/storage/exports', {
      source: { file: file.id },
      destination: { volume: volume.id, location: 'out' },
    });
    await ended(alice, submitted.body);
    expect(told(await entriesOf(file.id)).slice(-2)).toEqual([
      ['alice', 'export.submit', 200, null],
      ['alice', 'export.run', 200, null],
    ]);
    expect((await entriesOf(file.id)).at(-1)?.request_id).toBe(submitted.body.id);
  });

  test('that fails is recorded with its code', async () => {
    const { project } = await sharedFile();
    const volume = await TestVolume.make(service, alice, { name: `volume_${count}` });
    const submitted = await alice.post('/storage/imports', {
      source: { volume: volume.id, location: 'nothing' },
      destination: { project: project.id },
    });
    await ended(alice, submitted.body);
    expect(told(await entriesOf(volume.id)).slice(-2)).toEqual([
      ['alice', 'import.submit', 200, null],
      ['alice', 'import.run', 404, 9105],
    ]);
  });

  test('on many files is recorded for each of them', async () => {
    const { project, file } = await sharedFile();
    const other = await alice.upload(project.root_folder, 'other');
    const items = [{ file: file.id }, { file: 'nothing' }, { file: other.id }];
    await ended(alice, (await alice.post('/async/files/delete', { items })).body);
    expect(told(await entriesOf(file.id)).slice(-2)).toEqual([
      ['alice', 'job.submit', 200, null],
      ['alice', 'file.delete', 200, null],
    ]);
    expect(told(await entriesOf('nothing')).at(-1)).toEqual(['alice', 'file.delete', 404, 5002]);
    expect(told(await entriesOf(other.id)).at(-1)).toEqual(['alice', 'file.delete', 200, null]);
  });
});

test('a bulk call of more than are allowed is recorded once', async () => {
  const files = Array.from({ length: 10_000 }, () => ({ file: 'too many' }));
  const { headers } = await alice.post('/async/files/delete', { items: files });
  expect(await entriesOf('too many')).toEqual([]);
  const entries = await auditIn(service.services.store).list({ username: 'alice', limit: 2 });
  const id = headers.get('x-request-id');
  expect(entries.filter(({ request_id }) => request_id === id)).toMatchObject([
    { status: 400, object: null },
  ]);
});

test('a call without a good token is not recorded: nobody can fill the log from outside', async () => {
  const { file } = await sharedFile();
  const before = await entriesOf(file.id);
  await request('DELETE', `${service.url}/files/${file.id}`);
  expect(await entriesOf(file.id)).toEqual(before);
});

test('no name, no content and no credentials are recorded', async () => {
  const { file, project } = await sharedFile();
  const body = { metadata: { patient: 'secret-metadata' }, tags: ['secret-tag'], name: 'secret name 2.txt' };
  await alice.call('PATCH', `/files/${file.id}`, { body });
  await alice.post(`/files/${file.id}/actions/copy`, { project: project.id, name: 'secret copy' });
  const credentials = { access_key_id: 'key', secret_access_key: 'secret-key' };
  const volume = { name: 'audited', access_mode: 'RW', service: { type: 's3', bucket: 'b', credentials } };
  await alice.post('/storage/volumes', volume);
  await service.services.auditTrail.written();
  const all = await auditIn(service.services.store).list({ limit: 10_000 });
  expect(all.length).toBeGreaterThan(10);
  expect(JSON.stringify(all)).not.toContain('secret');
});

test('what hostile ids look like is no matter: they are not recorded', async () => {
  for (const id of ['%00', '%ED%A0%80', 'x'.repeat(1000), '..%2f..%2f', '%F0%9F%A7%AC']) {
    expect((await alice.call('DELETE', `/files/${id}`)).status).toBeLessThan(500);
  }
  await service.services.auditTrail.written();
  const entries = await auditIn(service.services.store).list({
    username: 'alice',
    action: 'file',
    limit: 1000,
  });
  expect(entries.filter(({ object }) => !/^[!-~]+$/.test(object ?? '') || object?.includes('..'))).toEqual(
    [],
  );
});

describe('an id that nothing can have', () => {
  const FORGED = 'evil\x1b[31m\n2026-01-01 00:00:00Z  root  user.create';
  const recorded = async () => {
    await service.services.auditTrail.written();
    return auditIn(service.services.store).list({ username: 'alice', limit: 1000 });
  };

  test.each([FORGED, 'b\x9b2J', 'a b', 'x'.repeat(600), 'ünïcødé'])(
    'in a path is refused before it is recorded: %j',
    async (id) => {
      const before = (await recorded()).length;
      for (const [method, path] of [
        ['DELETE', `/projects/demo/${encodeURIComponent(id)}`],
        ['DELETE', `/projects/${encodeURIComponent(id)}/demo`],
        ['DELETE', `/files/${encodeURIComponent(id)}`],
        ['POST', `/tasks/${encodeURIComponent(id)}/actions/abort`],
      ] as const) {
        expect((await alice.call(method, path)).status).toBe(404);
      }
      expect(await recorded()).toHaveLength(before);
    },
  );

  test('in a body is refused, and is no object of the log', async () => {
    for (const [path, body] of [
      ['/bulk/files/delete', { file_ids: [FORGED] }],
      ['/storage/exports', { source: { file: FORGED }, destination: { volume: 'alice/v', location: 'l' } }],
      ['/async/files/delete', { items: [{ file: FORGED }] }],
    ] as const) {
      expect((await alice.post(path, body)).status).toBe(400);
    }
    for (const { object } of await recorded()) expect(object ?? '').toMatch(/^[!-~]*$/);
  });
});
