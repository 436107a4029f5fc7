/** Rules that hold for many calls at once, held for all of them: which ones those are, the description of the API says. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { request, TestService, type TestUser } from './test-service.ts';
import { ended, TestVolume } from './volume-world.ts';

// biome-ignore lint/suspicious/noExplicitAny: a document of OpenAPI, looked at and not relied on
type Json = any;

let service: TestService;
let alice: TestUser;
let volume: TestVolume;
let root: string;
let document: Json;
const names: Record<string, string> = {};

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
  const group = await service.operator.createBillingGroup('alice', 'Funds');
  const project = await alice.project('Rules');
  root = project.root_folder;
  volume = await TestVolume.make(service, alice, { name: 'rules' });
  await volume.lay('object', 'object');
  Object.assign(names, { owner: 'alice', project: 'rules', name: 'rules', file_id: root, group });
  document = (await request('GET', `${service.url}/openapi.json`)).body;
});
afterAll(() => service.stop());

interface Operation {
  readonly path: string;
  readonly query: readonly string[];
  readonly schema: Json;
}

/** Every GET that answers JSON, its path filled with what is there. */
function reads(): Operation[] {
  return Object.entries<Json>(document.paths)
    .filter(([, { get }]) => get?.responses['200'] !== undefined)
    .map(([path, { get }]) => ({
      path: path.slice('/v2'.length).replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? name),
      query: (get.parameters ?? [])
        .filter((each: Json) => each.in === 'query')
        .map((each: Json) => each.name),
      schema: get.responses['200'].content['application/json'].schema,
    }));
}

/** Of a list as it must be asked: files want to know of which folder. */
function asked({ path }: Operation): string {
  return ['/files', '/files/scroll'].includes(path) ? `${path}?parent=${root}` : `${path}?`;
}

const isList = ({ schema }: Operation) => Boolean(schema.properties?.items && schema.properties?.links);

describe('every list', () => {
  test('tells the total in a header, and its own absolute address with the whole query', async () => {
    const lists = reads().filter(
      (each) => isList(each) && !each.path.startsWith('/storage/volumes/alice/rules/list'),
    );
    expect(lists.length).toBeGreaterThan(15);
    for (const each of lists) {
      const path = `${asked(each)}&fields=_all&limit=7`;
      const { status, headers, body } = await alice.get(path);
      expect([path, status]).toEqual([path, 200]);
      expect([path, headers.get('x-total-matching-query')]).toEqual([path, expect.stringMatching(/^\d+$/)]);
      const given = new URL(`${service.url}${path}`).searchParams;
      const told = new URL(body.href);
      expect(told.origin).toBe(new URL(service.url).origin);
      for (const [name, value] of given) expect([path, told.searchParams.get(name)]).toEqual([path, value]);
    }
  });

  test('refuses a limit outside 1 to 100, and an offset that is none', async () => {
    const paged = reads().filter((each) => isList(each) && each.query.includes('limit'));
    expect(paged.length).toBeGreaterThan(15);
    for (const each of paged) {
      const limits = ['limit=0', 'limit=101', 'limit=1.5', 'limit=x', 'limit=-1', 'limit='];
      const offsets = each.query.includes('offset') ? ['offset=-1', 'offset=x', 'offset=1.5'] : [];
      for (const wrong of [...limits, ...offsets]) {
        const path = `${asked(each)}&${wrong}`;
        const { status, body } = await alice.get(path);
        expect([path, status, body.code]).toEqual([path, 400, 90000]);
      }
    }
  });
});

describe('every call that answers a resource', () => {
  test('takes `fields`', () => {
    const lacking = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods)
        .filter(([, { security, responses }]) => security?.length !== 0 && responses['200'] !== undefined)
        .filter(([, { parameters = [] }]) => !parameters.some((each: Json) => each.name === 'fields'))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    expect(lacking).toEqual([]);
  });

  test('writes times to the second, in UTC', async () => {
    const file = await alice.upload(root, 'timed');
    await alice.post('/upload/multipart', { parent: root, name: 'begun' });
    const times: string[] = [];
    const collect = (value: Json): void => {
      if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) times.push(value);
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
    };
    for (const each of [...reads().map(asked), `/files/${file.id}?`]) {
      const answer = await alice.get(`${each}&fields=_all`);
      if (!each.includes('openapi')) collect(answer.body);
    }
    expect(times.length).toBeGreaterThan(10);
    expect(times.filter((time) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time))).toEqual([]);
  });
});

describe('words', () => {
  test.each(['True', 'TRUE', 'true'])('a flag of a query may be written %s', async (word) => {
    const name = `flag-${word}`;
    await alice.upload(root, name);
    const { status } = await alice.post(`/upload/multipart?overwrite=${word}`, { parent: root, name });
    expect(status).toBe(200);
  });

  test.each(['Advance', 'advance', 'ADVANCE'])('advance access may be written %s', async (word) => {
    const { body } = await alice.call('GET', `/files/${root}`, { headers: { 'X-SVC-Advance-Access': word } });
    const { body: project } = await alice.call('GET', '/projects/alice/rules', {
      headers: { 'X-SVC-Advance-Access': word },
    });
    expect([project.root_folder, body.id]).toEqual([root, root]);
  });

  test('keys of metadata are told apart by case, also by a filter', async () => {
    const [upper, lower] = [await alice.upload(root, 'upper'), await alice.upload(root, 'lower')];
    await alice.call('PATCH', `/files/${upper.id}/metadata`, { body: { Sample: 'x', sample: 'y' } });
    await alice.call('PATCH', `/files/${lower.id}/metadata`, { body: { sample: 'x' } });
    expect((await alice.get(`/files/${upper.id}/metadata`)).body).toEqual({ Sample: 'x', sample: 'y' });
    const found = async (filter: string) =>
      (await alice.get(`/files?parent=${root}&${filter}`)).body.items.map((item: Json) => item.name);
    expect(await found('metadata.Sample=x')).toEqual(['upper']);
    expect(await found('metadata.sample=x')).toEqual(['lower']);
  });

  test.each([null, 'null'])('no encryption of an export may be written %j', async (word) => {
    const { id } = await alice.upload(root, `export ${word} ${typeof word}`);
    const { body } = await alice.post('/storage/exports', {
      source: { file: id },
      destination: { volume: volume.id, location: id },
      properties: { sse_algorithm: word },
    });
    expect(Object.keys(body.properties).sort()).toEqual([
      'cloud_canned_acl',
      'cloud_storage_class',
      'sse_algorithm',
      'sse_cloud_kms_key_id',
    ]);
    expect(body.properties.sse_algorithm).toBeNull();
    await ended(alice, body);
  });

  test.each(['a/../b', './a', 'a/.', '..'])('a location that climbs is refused: %s', async (location) => {
    const { id } = await alice.upload(root, `climbs ${location.replaceAll('/', '-')}`);
    const destination = { volume: volume.id, location };
    const { status, body } = await alice.post('/storage/exports', { source: { file: id }, destination });
    expect([status, body.code]).toEqual([400, 9011]);
  });

  test('slashes at the beginning of a location, and repeated ones, are one', async () => {
    const { id } = await alice.upload(root, 'slashes');
    const destination = { volume: volume.id, location: '//a///b' };
    const { body } = await alice.post('/storage/exports', { source: { file: id }, destination });
    expect(await ended(alice, body)).toMatchObject({ state: 'COMPLETED' });
    expect(await volume.read('a/b')).toBe('slashes');
  });
});
