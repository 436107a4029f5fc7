import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let bob: TestUser;
let projectId: string;
let root: string;
let file: FileResource;
let count = 0;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  bob = await service.user('bob');
});
afterAll(() => service.stop());

beforeEach(async () => {
  count += 1;
  const project = await alice.project(`Project ${count}`);
  projectId = project.id;
  root = project.root_folder;
  file = await alice.upload(root, 'file.txt');
});

const share = (permissions: object) =>
  alice.post(`/projects/${projectId}/members`, { username: 'bob', permissions });

/** Every call on the file or its folder that a person might try. */
const attempts = (): [string, string, string, unknown?][] => [
  ['details', 'GET', `/files/${file.id}`],
  ['list', 'GET', `/files/${root}/list`],
  ['metadata', 'GET', `/files/${file.id}/metadata`],
  ['download', 'GET', `/files/${file.id}/download_info`],
  ['rename', 'PATCH', `/files/${file.id}`, { name: 'renamed' }],
  ['tag', 'PUT', `/files/${file.id}/tags`, ['t']],
  ['edit metadata', 'PATCH', `/files/${file.id}/metadata`, { a: 'b' }],
  ['folder', 'POST', '/files', { name: 'folder', type: 'folder', parent: root }],
  ['upload', 'POST', '/upload/multipart', { name: 'uploaded', parent: root }],
  ['move', 'POST', `/files/${file.id}/actions/move`, { name: 'moved' }],
  ['copy', 'POST', `/files/${file.id}/actions/copy`, { name: 'copied', parent: root }],
  ['delete', 'DELETE', `/files/${file.id}`],
];

async function outcome(user: TestUser): Promise<Record<string, string>> {
  const results: Record<string, string> = {};
  for (const [name, method, path, body] of attempts()) {
    const answer = await user.call(method, path, body === undefined ? {} : { body });
    results[name] = answer.status < 300 ? 'yes' : `${answer.status} ${answer.body.code}`;
  }
  return results;
}

test('to a stranger nothing exists', async () => {
  expect(await outcome(bob)).toEqual({
    details: '404 5002',
    list: '404 5026',
    metadata: '404 5002',
    download: '404 5002',
    rename: '404 5002',
    tag: '404 5002',
    'edit metadata': '404 5002',
    folder: '404 5026',
    upload: '404 5026',
    move: '404 5002',
    copy: '404 5002',
    delete: '404 5002',
  });
});

test('read lets see, and no more', async () => {
  await share({ read: true });
  expect(await outcome(bob)).toEqual({
    details: 'yes',
    list: 'yes',
    metadata: 'yes',
    download: '403 5014',
    rename: '403 5008',
    tag: '403 5011',
    'edit metadata': '403 5009',
    folder: '403 5001',
    upload: '403 8001',
    move: '403 5032',
    copy: '403 5014',
    delete: '403 5001',
  });
});

test('copy lets download, but copying into the project needs write too', async () => {
  await share({ copy: true });
  expect(await outcome(bob)).toMatchObject({ download: 'yes', copy: '403 5014', rename: '403 5008' });
  const own = await bob.project(`Own ${count}`);
  const copied = await bob.post(`/files/${file.id}/actions/copy`, { project: own.id });
  expect(copied.body).toMatchObject({ project: own.id, name: 'file.txt' });
});

test('write lets change everything but other people’s metadata', async () => {
  await share({ write: true });
  expect(await outcome(bob)).toEqual({
    details: 'yes',
    list: 'yes',
    metadata: 'yes',
    download: '403 5014',
    rename: 'yes',
    tag: 'yes',
    'edit metadata': '403 5009',
    folder: 'yes',
    upload: 'yes',
    move: 'yes',
    copy: '403 5014',
    delete: 'yes',
  });
});

test('metadata belongs to who made the file: uploader or copier', async () => {
  await share({ write: true, copy: true });
  const body = { a: 'b' };
  const uploaded = await bob.upload(root, 'bobs.txt');
  expect((await bob.call('PATCH', `/files/${uploaded.id}/metadata`, { body })).status).toBe(200);
  expect((await alice.call('PATCH', `/files/${uploaded.id}/metadata`, { body })).body.code).toBe(5009);
  const copied = await bob.post(`/files/${file.id}/actions/copy`, { parent: root, name: 'copy.txt' });
  expect((await bob.call('PUT', `/files/${copied.body.id}/metadata`, { body })).status).toBe(200);
  const details = await alice.call('PATCH', `/files/${uploaded.id}`, { body: { metadata: body } });
  expect(details.body.code).toBe(5009);
});

test('a right taken away ends an upload that was begun with it', async () => {
  await share({ write: true });
  const started = await bob.post('/upload/multipart', { name: 'begun', parent: root });
  const part = await bob.putPart(started.body.upload_id, 1, 'x');
  await alice.call('PUT', `/projects/${projectId}/members/bob/permissions`, { body: { read: true } });
  const completed = await bob.post(`/upload/multipart/${started.body.upload_id}/complete`, { parts: [part] });
  expect(completed.body).toMatchObject({ status: 403, code: 8001 });
});

test('a public file can be read and copied by anybody, and changed by nobody else', async () => {
  await service.operator.markFile(file.id, { public: true });
  const results = await outcome(bob);
  expect(results).toMatchObject({ details: 'yes', download: 'yes', rename: '403 5008', delete: '403 5001' });
  expect(results).toMatchObject({ list: '404 5026' });
});

test('a member may do with a public file at least what everybody may', async () => {
  await share({ read: true });
  await service.operator.markFile(file.id, { public: true });
  expect((await bob.get(`/files/${file.id}/download_info`)).status).toBe(200);
  expect(await outcome(bob)).toMatchObject({ rename: '403 5008', delete: '403 5001' });
});

test('an archived file cannot be copied', async () => {
  await service.operator.markFile(file.id, { archived: true });
  const answer = await alice.post(`/files/${file.id}/actions/copy`, { parent: root, name: 'c' });
  expect(answer.body).toMatchObject({ status: 400, code: 5007 });
});
