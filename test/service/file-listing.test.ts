import { afterAll, beforeAll, expect, test } from 'vitest';
import { request, TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let project: Awaited<ReturnType<TestUser['project']>>;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  project = await alice.project('Listing');
  await alice.folder(project.root_folder, 'raw');
  for (const name of ['b.txt', 'a.txt', 'é.txt', 'Z.txt', 'z.txt']) {
    const { id } = await alice.upload(project.root_folder, name);
    const sample = name.startsWith('a') ? 's1' : 's2';
    await alice.call('PATCH', `/files/${id}/metadata`, { body: { sample, kind: 'text' } });
    await alice.call('PUT', `/files/${id}/tags`, { body: [name.slice(0, 1), 'all'] });
  }
});
afterAll(() => service.stop());

interface Item {
  name: string;
  parent?: string;
}

const names = async (path: string): Promise<string[]> =>
  (await alice.get(path)).body.items.map((item: Item) => item.name);

test('folders and files come together, by name in byte order', async () => {
  expect(await names(`/files?project=${project.id}`)).toEqual([
    'Z.txt',
    'a.txt',
    'b.txt',
    'raw',
    'z.txt',
    'é.txt',
  ]);
  expect(await names(`/files?parent=${project.root_folder}`)).toHaveLength(6);
  expect(await names(`/files/${project.root_folder}/list`)).toHaveLength(6);
});

test('a list of files has short items, a folder list says parent and type', async () => {
  const byProject = await alice.get(`/files?project=${project.id}&limit=1`);
  expect(Object.keys(byProject.body.items[0])).toEqual(['href', 'id', 'name', 'project']);
  const byFolder = await alice.get(`/files/${project.root_folder}/list?name=raw`);
  expect(byFolder.body.items[3]).toMatchObject({ type: 'FOLDER', parent: project.root_folder });
  expect(byFolder.body.items[0].type).toBe('file');
});

test('fields=_all tells everything in one call', async () => {
  const { body } = await alice.get(`/files?project=${project.id}&fields=_all&name=a.txt`);
  expect(body.items[0]).toMatchObject({
    name: 'a.txt',
    size: 5,
    type: 'file',
    parent: project.root_folder,
    storage: { type: 'PLATFORM' },
    origin: {},
    tags: ['a', 'all'],
    metadata: { sample: 's1', kind: 'text' },
  });
  expect(body.items[0].modified_on).toMatch(/Z$/);
});

test('parent is left out without the advance header, whatever fields says', async () => {
  const headers = { 'X-SVC-Auth-Token': alice.token };
  for (const fields of ['_all', 'parent,id', '']) {
    const url = `${service.url}/files/${project.root_folder}/list?fields=${fields}`;
    for (const item of (await request('GET', url, { headers })).body.items) {
      expect(item).not.toHaveProperty('parent');
    }
  }
});

test('the total counts what matches, over all pages', async () => {
  const { headers, body } = await alice.get(`/files?project=${project.id}&limit=2&offset=1`);
  expect(headers.get('x-total-matching-query')).toBe('6');
  expect(body.items).toHaveLength(2);
  const href = new URL(body.href);
  expect(Object.fromEntries(href.searchParams)).toEqual({ project: project.id, limit: '2', offset: '1' });
});

test('pages join without gap or repetition', async () => {
  const seen: string[] = [];
  let path: string | undefined = `/files?project=${project.id}&limit=2&fields=name`;
  while (path !== undefined) {
    const { body } = await alice.get(path);
    seen.push(...body.items.map((item: Item) => item.name));
    path = body.links.find((link: { rel: string }) => link.rel === 'next')?.href.slice(service.url.length);
  }
  expect(seen).toEqual(await names(`/files?project=${project.id}`));
});

test.each([
  ['name=a.txt', ['a.txt']],
  ['name=a.txt&name=raw', ['a.txt', 'raw']],
  ['name=A.txt', []],
  ['tag=a', ['a.txt']],
  ['tag=a&tag=b', ['a.txt', 'b.txt']],
  ['metadata.sample=s1', ['a.txt']],
  ['metadata.sample=s1&metadata.sample=s2', ['Z.txt', 'a.txt', 'b.txt', 'z.txt', 'é.txt']],
  ['metadata.sample=s1&metadata.kind=text', ['a.txt']],
  ['metadata.sample=s1&metadata.kind=other', []],
  ['metadata.Sample=s1', []],
  ['metadata.sample=S1', []],
  ['origin.task=none', []],
  ['dataset=none', []],
  ['name=a.txt&tag=b', []],
])('the filter %s finds %j', async (query, found) => {
  expect(await names(`/files?project=${project.id}&${query}`)).toEqual(found);
});

test('a dataset is a filter', async () => {
  const other = await alice.project('Dataset');
  const { id } = await alice.upload(other.root_folder, 'd.txt');
  await service.operator.markFile(id, { dataset: 'owner/set' });
  expect(await names(`/files?project=${other.id}&dataset=owner/set`)).toEqual(['d.txt']);
});

test.each([
  ['', 5029],
  ['project=alice/listing&parent=x', 5031],
  ['project=nonsense', 5005],
  ['project=alice/none', 3002],
  ['parent=none', 5026],
  ['project=alice/listing&metadata.=x', 5035],
])('the query %s is refused with %i', async (query, code) => {
  expect((await alice.get(`/files?${query}`)).body.code).toBe(code);
});

test('a file has no contents to list', async () => {
  const [file] = (await alice.get(`/files?project=${project.id}&name=a.txt`)).body.items;
  expect((await alice.get(`/files?parent=${file.id}`)).body).toMatchObject({ status: 400, code: 5022 });
  expect((await alice.get(`/files/${file.id}/list`)).body).toMatchObject({ status: 400, code: 5022 });
});

test('scrolling goes on after the last name, though entries come and go', async () => {
  const scrolled = await alice.project('Scrolled');
  const ids = new Map<string, string>();
  for (const name of ['a', 'b', 'c', 'd']) ids.set(name, (await alice.upload(scrolled.root_folder, name)).id);
  const first = await alice.get(`/files/scroll?project=${scrolled.id}&token=init&limit=2`);
  expect(first.headers.get('x-total-matching-query')).toBe('4');
  expect(first.body.items.map((item: Item) => item.name)).toEqual(['a', 'b']);
  await alice.call('DELETE', `/files/${ids.get('a')}`);
  const [next] = first.body.links;
  expect(next).toMatchObject({ rel: 'next', method: 'GET' });
  const second = await alice.get(next.href.slice(service.url.length));
  expect(second.body.items.map((item: Item) => item.name)).toEqual(['c', 'd']);
  expect(second.body.links).toEqual([]);
  expect(await names(`/files/${scrolled.root_folder}/scroll`)).toEqual(['b', 'c', 'd']);
  expect((await alice.get(`/files/scroll?project=${scrolled.id}&token=%21%21`)).body.code).toBe(57001);
});
