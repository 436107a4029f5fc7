import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let bob: TestUser;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  bob = await service.user('bob');
  const { root_folder: root } = await alice.project('Trial');
  const folder = await alice.folder(root, 'deep');
  const deep = await alice.upload(folder.id, 'same');
  await alice.call('PATCH', `/files/${deep.id}/metadata`, { body: { sample: 'S1', lane: '1' } });
  await alice.call('PUT', `/files/${deep.id}/tags`, { body: ['bam'] });
  const flat = await alice.upload(root, 'same');
  await alice.call('PATCH', `/files/${flat.id}/metadata`, { body: { sample: 'S1', lane: '2' } });
  await alice.upload((await alice.project('Other')).root_folder, 'say "hi"');
});
afterAll(() => service.stop());

const search = (query: string, parameters = '', user = alice) =>
  user.post(`/files/search${parameters}`, { query });
const found = async (query: string): Promise<string[]> =>
  (await search(query)).body.result_set.map(({ name }: FileResource) => name).sort();

test.each([
  ['IN "alice/trial"', ['deep', 'same', 'same']],
  ['in "alice/trial" where type = "FOLDER"', ['deep']],
  ['IN "alice/trial","alice/other" WHERE type="file"', ['same', 'same', 'say "hi"']],
  ['IN "alice/trial" WHERE name = "same" AND type = "FILE"', ['same', 'same']],
  ['IN "alice/trial" WHERE metadata.sample = "S1" AND metadata.lane = "2"', ['same']],
  ['IN "alice/trial" WHERE tag = "bam"', ['same']],
  ['IN "alice/trial" WHERE tag = "BAM"', []],
  ['IN "alice/other" WHERE name = "say \\"hi\\""', ['say "hi"']],
])('%s', async (query, names) => {
  expect(await found(query)).toEqual(names);
});

test('shows the fields of each file that are asked for', async () => {
  const { body } = await search('IN "alice/other"', '?fields=name,type');
  expect(body).toEqual({ count: 1, result_set: [{ name: 'say "hi"', type: 'file' }] });
});

test('pages go on from a token, without repeating or leaving out', async () => {
  const query = 'IN "alice/trial"';
  const first = (await search(query, '?limit=2')).body;
  expect(first).toMatchObject({ count: 3, result_set: { length: 2 } });
  const second = (await search(query, `?limit=2&cont_token=${first.cont_token}`)).body;
  expect(second).toMatchObject({ count: 3, result_set: { length: 1 } });
  expect(second).not.toHaveProperty('cont_token');
  const ids = [...first.result_set, ...second.result_set].map(({ id }: FileResource) => id);
  expect(new Set(ids).size).toBe(3);
  expect((await search(query, '?cont_token=%20')).body).toMatchObject({ status: 400, code: 57001 });
});

test.each([
  '',
  'WHERE name = "a"',
  'IN alice/trial',
  'IN "alice/trial" WHERE',
  'IN "alice/trial" WHERE name "a"',
  'IN "alice/trial" WHERE name = "a" OR name = "b"',
  'IN "alice/trial" WHERE name = "a" AND name = "b"',
  'IN "alice/trial" WHERE colour = "red"',
  'IN "alice/trial" WHERE type = "PIPE"',
  'IN "alice/trial" WHERE name = "open',
])('the query %j is refused', async (query) => {
  expect((await search(query)).body).toMatchObject({ status: 400, code: 90000 });
});

test.each([
  ['very long text', `IN "alice/trial" WHERE name = "${'x'.repeat(5_000_000)}"`],
  ['very many projects', `IN ${Array(10_000).fill('"alice/trial"').join(',')}`],
  [
    'very many conditions',
    `IN "alice/trial" WHERE ${Array.from({ length: 300 }, (_, at) => `metadata.k${at} = "x"`).join(' AND ')}`,
  ],
])('a query of %s is refused', async (_what, query) => {
  expect((await search(query)).body).toMatchObject({ status: 400, code: 90000 });
});

test('projects of others do not exist', async () => {
  expect((await search('IN "alice/trial"', '', bob)).body).toMatchObject({ status: 404, code: 3002 });
  expect((await search('IN "nonsense"')).body).toMatchObject({ status: 400, code: 5005 });
});
