import { afterAll, beforeAll, expect, test } from 'vitest';
import { request, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let bob: TestUser;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  bob = await service.user('bob');
});
afterAll(() => service.stop());

test('a project is created with all its fields', async () => {
  const group = await service.operator.createBillingGroup('alice', 'Lab funds');
  const { status, body } = await alice.post('/projects', {
    name: 'Tumour Normal',
    description: 'pairs',
    tags: ['tcga'],
    settings: { controlled: true, intermediate_files: { duration: 48 } },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    href: `${service.url}/projects/alice/tumour-normal`,
    id: 'alice/tumour-normal',
    name: 'Tumour Normal',
    type: 'v2',
    description: 'pairs',
    tags: ['tcga'],
    billing_group: group,
    created_by: 'alice',
    permissions: { read: true, write: true, copy: true, execute: true, admin: true },
    settings: {
      controlled: true,
      locked: false,
      intermediate_files: { retention: 'LIMITED', duration: 48 },
    },
  });
  expect(body.created_on).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test('without a billing group the field is left out', async () => {
  expect((await bob.post('/projects', { name: 'Poor' })).body).not.toHaveProperty('billing_group');
});

test('a taken short name gets a number', async () => {
  expect((await alice.project('Twice')).id).toBe('alice/twice');
  expect((await alice.project('twice')).id).toBe('alice/twice_1');
});

test.each([
  [{}, 400, 3007],
  [{ name: '' }, 400, 3007],
  [{ name: 'x', billing_group: 'no-uuid' }, 400, 4005],
  [{ name: 'x', billing_group: '6b1e4a1e-0000-4000-8000-000000000000' }, 404, 4002],
  [{ name: 7 }, 400, 90000],
])('creating %j is refused with %i, %i', async (body, status, code) => {
  expect((await alice.post('/projects', body)).body).toMatchObject({ status, code });
});

test('tags are none, or hold `tcga`, which makes the data controlled', async () => {
  const refusal = { status: 400, code: 90000, message: expect.stringContaining('tcga') };
  expect((await alice.post('/projects', { name: 'Tagged', tags: ['exome'] })).body).toMatchObject(refusal);
  const { id } = await alice.project('Open data');
  const edited = async (tags: unknown): Promise<object> =>
    (await alice.call('PATCH', `/projects/${id}`, { body: { tags } })).body;
  expect(await edited(['exome'])).toMatchObject(refusal);
  expect(await edited(['exome', 'tcga'])).toMatchObject({
    tags: ['exome', 'tcga'],
    settings: { controlled: true },
  });
  expect(await edited([])).toMatchObject({ tags: [], settings: { controlled: false } });
});

test.each(['PATCH', 'POST'])('%s edits; the id stays', async (method) => {
  const { id, href } = await alice.project(`Old ${method}`);
  const { status, body } = await alice.call(method, `/projects/${id}`, {
    body: { name: 'New name', description: 'new', settings: { locked: true } },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id, href, name: 'New name', description: 'new', settings: { locked: true } });
  expect((await alice.get(`/projects/${id}`)).body).toEqual(body);
});

test.each(['a\0b', 'half a pair \ud800'])(
  'a description that no database keeps is refused: %j',
  async (description) => {
    const refusal = { status: 400, code: 90000, message: expect.stringContaining('description') };
    expect((await alice.post('/projects', { name: 'Described', description })).body).toMatchObject(refusal);
    const { id } = await alice.project('Not described');
    expect((await alice.call('PATCH', `/projects/${id}`, { body: { description } })).body).toMatchObject(
      refusal,
    );
  },
);

test('root_folder is shown with the advance header only, in any case of the header', async () => {
  const { id } = await alice.project('Advance');
  const headers = { 'X-SVC-Auth-Token': alice.token };
  const plain = await request('GET', `${service.url}/projects/${id}?fields=_all`, { headers });
  expect(plain.body).not.toHaveProperty('root_folder');
  const advance = { ...headers, 'x-svc-advance-access': 'Advance' };
  const shown = await request('GET', `${service.url}/projects/${id}`, { headers: advance });
  expect(shown.body).toHaveProperty('root_folder');
});

test('another person does not see the project', async () => {
  const { id } = await alice.project('Secret');
  expect((await bob.get(`/projects/${id}`)).body).toMatchObject({ status: 404, code: 3002 });
  expect((await bob.call('PATCH', `/projects/${id}`, { body: { name: 'x' } })).status).toBe(404);
  expect((await bob.call('DELETE', `/projects/${id}`)).status).toBe(404);
  expect((await bob.get('/projects?limit=100')).body.items).not.toContainEqual(
    expect.objectContaining({ id }),
  );
});

test('owner and short name are case-sensitive', async () => {
  const { id } = await alice.project('Case');
  expect((await alice.get(`/projects/${id.toUpperCase()}`)).status).toBe(404);
  expect((await alice.get(`/projects/Alice/case`)).status).toBe(404);
});

test('the list pages, in a stable order, and tells the total', async () => {
  const carol = await service.user('carol');
  for (const name of ['P3', 'P1', 'P5', 'P2', 'P4']) await carol.project(name);
  const first = await carol.get('/projects?limit=2');
  expect(first.headers.get('x-total-matching-query')).toBe('5');
  expect(first.body.items.map((item: { id: string }) => item.id)).toEqual(['carol/p1', 'carol/p2']);
  expect(Object.keys(first.body.items[0])).toEqual(
    expect.arrayContaining(['href', 'id', 'name', 'created_by', 'category', 'created_on', 'modified_on']),
  );
  expect(first.body.items[0]).not.toHaveProperty('settings');
  const next = first.body.links.find((link: { rel: string }) => link.rel === 'next');
  const second = await carol.get(next.href.slice(service.url.length));
  expect(second.body.items.map((item: { id: string }) => item.id)).toEqual(['carol/p3', 'carol/p4']);
  expect(second.body.links.map((link: { rel: string }) => link.rel)).toEqual(['next', 'prev']);
  const last = await carol.get('/projects?limit=2&offset=4');
  expect(last.body.links.map((link: { rel: string }) => link.rel)).toEqual(['prev']);
});

test('the list filters by name part, owner, tags and category', async () => {
  const dave = await service.user('dave');
  await dave.post('/projects', { name: 'Alpha One', tags: ['tcga'] });
  await dave.post('/projects', { name: 'Beta 100%' });
  await dave.post('/projects', { name: 'Übung' });
  const ids = async (path: string) =>
    (await dave.get(path)).body.items.map((item: { id: string }) => item.id);
  expect(await ids('/projects?name=ALPHA')).toEqual(['dave/alpha-one']);
  expect(await ids('/projects?name=0%25')).toEqual(['dave/beta-100']);
  expect(await ids('/projects?name=%25lpha')).toEqual([]);
  expect(await ids(`/projects?name=${encodeURIComponent('ÜBung')}`)).toHaveLength(1);
  expect(await ids('/projects?tags=tcga')).toEqual(['dave/alpha-one']);
  expect(await ids('/projects?category=PRIVATE')).toHaveLength(3);
  expect(await ids('/projects?category=PUBLIC')).toEqual([]);
  expect(await ids('/projects/dave')).toHaveLength(3);
  expect(await ids('/projects/alice')).toEqual([]);
});

test.each(['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'limit=', 'offset=-1', 'limit=1&limit=2'])(
  'the paging %s is refused',
  async (query) => {
    expect((await alice.get(`/projects?${query}`)).body).toMatchObject({ status: 400, code: 90000 });
  },
);

test.each(['files', 'tasks'])('the %s of a project are a redirect that keeps the query', async (list) => {
  const { id } = await alice.project(`Redirect ${list}`);
  const { status, headers } = await alice.get(`/projects/${id}/${list}?limit=7&name=a?b&fields=id`);
  expect(status).toBe(307);
  const location = new URL(headers.get('location') ?? '');
  expect(location.href.startsWith(`${service.url}/${list}?`)).toBe(true);
  expect(Object.fromEntries(location.searchParams)).toEqual({
    limit: '7',
    name: 'a?b',
    fields: 'id',
    project: id,
  });
});

test('a deleted project is gone with its files', async () => {
  const project = await alice.project('Gone');
  const file = await alice.upload(project.root_folder, 'f');
  expect((await alice.call('DELETE', `/projects/${project.id}`)).status).toBe(204);
  expect((await alice.get(`/projects/${project.id}`)).status).toBe(404);
  expect((await alice.get(`/files/${file.id}`)).status).toBe(404);
});

test('members are added, edited and removed', async () => {
  const { id } = await alice.project('Shared');
  const added = await alice.post(`/projects/${id}/members`, {
    username: 'bob',
    permissions: { copy: true, write: 'false' },
  });
  expect(added.body).toMatchObject({
    href: `${service.url}/projects/${id}/members/bob`,
    username: 'bob',
    permissions: { read: true, write: false, copy: true, execute: false, admin: false },
  });
  expect((await bob.get(`/projects/${id}`)).body.permissions).toEqual(added.body.permissions);
  expect((await bob.get(`/projects/${id}/members/bob`)).body).toEqual(added.body);
  expect((await bob.get(`/projects/${id}/members/nobody`)).body).toMatchObject({ status: 404, code: 3002 });
  const merged = await alice.call('PATCH', `/projects/${id}/members/bob/permissions`, {
    body: { write: 'true' },
  });
  expect(merged.body).toMatchObject({ write: true, copy: true });
  const replaced = await alice.call('PUT', `/projects/${id}/members/bob/permissions`, {
    body: { execute: true },
  });
  expect(replaced.body).toEqual({ read: true, write: false, copy: false, execute: true, admin: false });
  const list = await alice.get(`/projects/${id}/members`);
  expect(list.headers.get('x-total-matching-query')).toBe('2');
  expect(list.body.items.map((member: { username: string }) => member.username)).toEqual(['alice', 'bob']);
  expect((await alice.call('DELETE', `/projects/${id}/members/bob`)).status).toBe(204);
  expect((await bob.get(`/projects/${id}`)).status).toBe(404);
});

test('adding a member who is there updates the permissions', async () => {
  const { id } = await alice.project('Again');
  await alice.post(`/projects/${id}/members`, { username: 'bob', permissions: { write: true } });
  const { body } = await alice.post(`/projects/${id}/members`, {
    email: 'bob@example.org',
    permissions: { write: 'false', admin: false, copy: true },
  });
  expect(body.permissions).toMatchObject({ write: false, copy: true });
});

test.each([
  ['TEAM', 404, 3002],
  ['DIVISION', 404, 3002],
  ['ROBOT', 400, 3005],
])('a member of type %s is not the user of that name', async (type, status, code) => {
  const { id } = await alice.project(`Groups ${type}`);
  const add = (given: string) =>
    alice.post(`/projects/${id}/members`, { username: 'bob', type: given, permissions: { read: true } });
  expect((await add(type)).body).toMatchObject({ status, code });
  expect((await bob.get(`/projects/${id}`)).status).toBe(404);
  expect((await add('USER')).body).toMatchObject({ username: 'bob', type: 'USER' });
});

test('a member’s permissions are edited below its own address', async () => {
  const { id } = await alice.project('Saved');
  const { body } = await alice.post(`/projects/${id}/members`, { username: 'bob', permissions: {} });
  const path = `${body.href.slice(service.url.length)}/permissions`;
  expect((await alice.call('PATCH', path, { body: { copy: true } })).body).toMatchObject({ copy: true });
});

test('only an administrator manages members, and the owner stays', async () => {
  const { id } = await alice.project('Managed');
  await alice.post(`/projects/${id}/members`, { username: 'bob', permissions: { write: true } });
  const carol = await service.user('carol2');
  expect((await bob.post(`/projects/${id}/members`, { username: 'carol2' })).body).toMatchObject({
    status: 403,
    code: 3001,
  });
  expect((await carol.post(`/projects/${id}/members`, { username: 'carol2' })).status).toBe(404);
  expect((await alice.call('DELETE', `/projects/${id}/members/alice`)).status).toBe(403);
  expect((await bob.call('DELETE', `/projects/${id}/members/bob`)).status).toBe(204);
});

test('write edits name and description, admin edits settings and deletes', async () => {
  const { id } = await alice.project('Rights');
  await alice.post(`/projects/${id}/members`, { username: 'bob', permissions: { write: true } });
  expect((await bob.call('PATCH', `/projects/${id}`, { body: { description: 'd' } })).status).toBe(200);
  const settings = await bob.call('PATCH', `/projects/${id}`, { body: { settings: { locked: true } } });
  expect(settings.body).toMatchObject({ status: 403, code: 3001 });
  expect((await bob.call('DELETE', `/projects/${id}`)).body).toMatchObject({ status: 403, code: 3001 });
});

test('a user sees only their own record', async () => {
  expect((await alice.get('/user')).body).toMatchObject({ username: 'alice', email: 'alice@example.org' });
  expect((await alice.get('/users/alice')).body.username).toBe('alice');
  expect((await alice.get('/users/bob')).body).toMatchObject({ status: 403, code: 2001 });
  expect((await alice.get('/users/nobody')).body).toMatchObject({ status: 404, code: 2002 });
});
