/** Requests that keep to the form of a call and ask for too much, or for two things at once: 400, never 500. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BULK_ITEMS_MAX, QUERY_VALUES_MAX } from '../../src/contract/limits.ts';
import { jobsIn } from '../../src/service/jobs/job-table.ts';
import { type Call, describedCalls } from './described-calls.ts';
import { schemaArbitrary } from './schema-arbitrary.ts';
import { TestService, type TestUser } from './test-service.ts';
import { TestVolume } from './volume-world.ts';

let service: TestService;
let alice: TestUser;
let volume: TestVolume;
let project: { id: string; root_folder: string };
let calls: Call[];

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  project = await alice.project('Bounds');
  volume = await TestVolume.make(service, alice, { name: 'store' });
  calls = await describedCalls(service.url);
});
afterAll(() => service.stop());

const many = (count: number, value: (at: number) => string, separator: string): string =>
  Array.from({ length: count }, (_, at) => value(at)).join(separator);
const outcome = async (answer: Promise<{ status: number; body: { code: number } }>) => {
  const { status, body } = await answer;
  return [status, body.code];
};
const importOf = (source: object, destination: object = { project: project.id }) =>
  alice.post('/storage/imports', { source: { location: 'a', ...source }, destination });

describe('a search', () => {
  const searches: [string, (count: number) => Promise<{ status: number; body: { code: number } }>][] = [
    ['words for apps', (count) => alice.get(`/apps?q=${many(count, (at) => `w${at}`, '+')}`)],
    [
      'words for public apps',
      (count) => alice.get(`/apps?visibility=public&q=${many(count, () => 'w', '+')}`),
    ],
    ['ids of apps', (count) => alice.get(`/apps?${many(count, (at) => `id=a${at}`, '&')}`)],
    ['tags of projects', (count) => alice.get(`/projects?tags=${many(count, (at) => `t${at}`, ',')}`)],
    [
      'names of files',
      (count) => alice.get(`/files?project=${project.id}&${many(count, () => 'name=n', '&')}`),
    ],
    [
      'values of metadata',
      (count) => alice.get(`/files?project=${project.id}&${many(count, (at) => `metadata.k=${at}`, '&')}`),
    ],
    [
      'projects',
      (count) => alice.post('/files/search', { query: `IN ${many(count, () => `"${project.id}"`, ',')}` }),
    ],
  ];

  it.each(searches)(`takes ${QUERY_VALUES_MAX} %s`, async (_what, search) => {
    expect((await search(QUERY_VALUES_MAX)).status).toBe(200);
  });

  it.each(searches)('of 1,000 %s is refused', async (_what, search) => {
    expect(await outcome(search(1000))).toEqual([400, 90000]);
  });

  it('repeats any parameter of any call 1,000 times without an error of the service', async () => {
    const failed: string[] = [];
    for (const { method, path, parameters } of calls) {
      if (method !== 'GET') continue;
      for (const name of parameters) {
        const query = many(1000, (at) => `${name}=v${at}`, '&');
        const answer = await alice.get(`${path.replaceAll(/\{[^}]+\}/g, 'x')}?${query}`);
        if (answer.status >= 500) failed.push(`${path}?${name}`);
      }
    }
    expect(failed).toEqual([]);
  });
});

describe('a long id', () => {
  const LONG = 'x'.repeat(50_000);

  it('in a bulk body is refused, and no job keeps it', async () => {
    const items = Array(BULK_ITEMS_MAX).fill({ file: LONG, project: LONG, name: LONG });
    for (const kind of ['copy', 'move']) {
      expect(await outcome(alice.post(`/async/files/${kind}`, { items }))).toEqual([400, 90000]);
    }
    const files = items.map(({ file }) => ({ file }));
    expect(await outcome(alice.post('/async/files/delete', { items: files }))).toEqual([400, 90000]);
    expect(await outcome(alice.post('/bulk/files/get', { file_ids: [LONG] }))).toEqual([400, 90000]);
  });

  it('in any body of any call leaves no large job', async () => {
    const kinds = { text: fc.constant(LONG), anything: fc.constant({ source: { file: LONG } }) };
    for (const { method, path, schema } of calls) {
      if (schema === undefined) continue;
      const target = path.replaceAll(/\{[^}]+\}/g, 'x');
      for (const body of fc.sample(schemaArbitrary(schema, kinds), { numRuns: 3, seed: 1 })) {
        const { status } = await alice.call(method, target, { body });
        expect([target, status < 500]).toEqual([target, true]);
      }
    }
    const listing = {
      createdBy: 'alice',
      kinds: ['import', 'export', 'copy', 'move', 'delete', 'task'],
    } as const;
    const { rows } = await jobsIn(service.services.store).list(listing, { offset: 0, limit: 1000 });
    expect(rows.filter(({ request }) => request.length > 10_000)).toEqual([]);
  });
});

describe('a list of jobs', () => {
  it.each(['imports', 'exports'])('%s by a state that no job has is refused', async (list) => {
    expect(await outcome(alice.get(`/storage/${list}?state=FINISHED`))).toEqual([400, 90000]);
    expect((await alice.get(`/storage/${list}?state=COMPLETED`)).status).toBe(200);
  });
});

describe('a contradiction', () => {
  it('of two volumes in one import is refused', async () => {
    const two = importOf({ volume: volume.id, volume_id: 'alice/other' });
    expect(await outcome(two)).toEqual([400, 9033]);
    expect((await importOf({ volume: volume.id, volume_id: volume.id })).status).toBe(200);
  });

  it('of two ids in one edit is refused, alone', async () => {
    const [a, b] = [
      await alice.upload(project.root_folder, 'a'),
      await alice.upload(project.root_folder, 'b'),
    ];
    const { body } = await alice.post('/bulk/files/edit', {
      items: [
        { id: a.id, file_id: b.id, tags: ['x'] },
        { id: a.id, file_id: a.id, tags: ['y'] },
      ],
    });
    expect(body.items).toMatchObject([{ error: { status: 400, code: 5004 } }, { resource: { tags: ['y'] } }]);
    expect((await alice.get(`/files/${b.id}`)).body.tags).toEqual([]);
  });
});

describe('an import', () => {
  it('into a project that nobody has, or others have, is 9012', async () => {
    expect(await outcome(importOf({ volume: volume.id }, { project: 'alice/none' }))).toEqual([400, 9012]);
    const bob = await service.user('bob');
    const foreign = (await bob.project('Theirs')).id;
    expect(await outcome(importOf({ volume: volume.id }, { project: foreign }))).toEqual([400, 9012]);
  });
});
