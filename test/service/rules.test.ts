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
  await oneOfEach();
  Object.assign(names, { owner: 'alice', project: 'rules', name: 'rules', file_id: root, group });
  document = (await request('GET', `${service.url}/openapi.json`)).body;
});
afterAll(() => service.stop());

/** Something for every list to show. */
async function oneOfEach(): Promise<void> {
  const { id } = await alice.upload(root, 'one');
  await alice.folder(root, 'folder');
  await alice.post('/upload/multipart', { parent: root, name: 'begun' });
  const source = { volume: volume.id, location: 'object' };
  const destination = { project: 'alice/rules', name: 'alias' };
  const jobs = [
    await alice.post('/storage/imports', { source, destination }),
    await alice.post('/storage/exports?copy_only=true', {
      source: { file: id },
      destination: { volume: volume.id, location: 'copy' },
    }),
    await alice.post('/async/files/copy', { items: [{ file: id, parent: root, name: 'copied' }] }),
  ];
  for (const { body } of jobs) await ended(alice, body);
  const app = 'alice/rules/app';
  await alice.post(`/apps/${app}/raw`, { class: 'CommandLineTool', inputs: [], outputs: [] });
  await alice.post('/tasks?action=run', { project: 'alice/rules', app });
}

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

  test('shows things that are at their own absolute addresses', async () => {
    const shown: string[] = [];
    for (const each of reads().filter(({ schema }) => schema.properties?.items !== undefined)) {
      const { items } = (await alice.get(asked(each))).body;
      const addresses = items.flatMap(({ href }: Json) => href ?? []);
      if (addresses.length > 0) shown.push(each.path);
      for (const address of addresses) {
        expect(address.startsWith(`${service.url}/`)).toBe(true);
        expect([address, (await alice.get(address.slice(service.url.length))).status]).toEqual([
          address,
          200,
        ]);
      }
    }
    expect(shown.length).toBeGreaterThan(16);
  });

  test('has addresses with the host that the client used', async () => {
    const url = service.url.replace('127.0.0.1', 'localhost');
    const { body } = await request('GET', `${url}/files?parent=${root}&limit=1`, {
      headers: { 'X-SVC-Auth-Token': alice.token },
    });
    const addresses = [body.href, body.items[0].href, body.links[0].href];
    expect(addresses.filter((address: string) => !address.startsWith(`${url}/`))).toEqual([]);
  });

  test('is the same with a slash behind its path', async () => {
    for (const each of reads().filter(isList)) {
      const path = asked(each).replace('?', '/?');
      expect([path, (await alice.get(path)).status]).toEqual([path, 200]);
    }
  });

  test('takes a query of the 6000 characters that clients send at most', async () => {
    const query = `parent=${root}${`&name=${'x'.repeat(200)}`.repeat(40)}`.slice(0, 6000);
    expect(query).toHaveLength(6000);
    expect(await alice.get(`/files?${query}`)).toMatchObject({ status: 200, body: { items: [] } });
  });

  test('shows 25 things a page where no limit is asked for', async () => {
    const parent = (await alice.folder(root, 'full')).id;
    for (let n = 0; n < 26; n += 1) await alice.folder(parent, `${n}`);
    const { body } = await alice.get(`/files?parent=${parent}`);
    expect([body.items.length, body.links.length]).toEqual([25, 1]);
    const defaults = Object.entries<Json>(document.paths).flatMap(([path, { get }]) =>
      (get?.parameters ?? [])
        .filter(({ name }: Json) => name === 'limit')
        .map(({ schema }: Json) => [path, schema.default]),
    );
    const others = defaults.filter(([, limit]) => limit !== 25).map(([path]) => path);
    expect(others).toEqual(['/v2/storage/volumes/{owner}/{name}/list']);
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

  test('shows no more than `fields` asks for', async () => {
    const more: [string, string[]][] = [];
    let looked = 0;
    const resource = (each: Operation) => (isList(each) ? each.schema.properties.items.items : each.schema);
    for (const each of reads().filter((read) => resource(read).properties?.href !== undefined)) {
      const { status, body } = await alice.get(`${asked(each)}&fields=href`);
      if (status !== 200) continue;
      for (const shown of isList(each) ? body.items : [body]) {
        looked += 1;
        if (Object.keys(shown).join() !== 'href') more.push([each.path, Object.keys(shown)]);
      }
    }
    expect(more).toEqual([]);
    expect(looked).toBeGreaterThan(30);
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

describe('every bulk call', () => {
  const entries: Record<string, () => Promise<unknown>> = {
    'items of imports': async () => ({
      source: { volume: volume.id, location: 'object' },
      destination: { project: 'alice/rules' },
    }),
    'items of exports': async () => ({
      source: { file: (await alice.upload(root, `bulk ${Math.random()}`)).id },
      destination: { volume: volume.id, location: 'bulk' },
    }),
    'items of files': async () => ({ id: await fileOf('one'), name: 'renamed' }),
    file_ids: () => fileOf('one'),
  };
  const fileOf = async (name: string): Promise<string> =>
    (await alice.get(`/files?parent=${root}&name=${name}`)).body.items[0].id;
  const totals = async (): Promise<(string | null)[]> => {
    const paths = ['/storage/imports', '/storage/exports', `/files?parent=${root}&name=one`];
    const answers = await Promise.all(paths.map((path) => alice.get(path)));
    return answers.map(({ headers }) => headers.get('x-total-matching-query'));
  };

  test('refuses over 100 entries, and what is no list, and does nothing then', async () => {
    const paths = Object.keys(document.paths).filter((path) => path.startsWith('/v2/bulk/'));
    expect(paths.length).toBeGreaterThan(9);
    for (const path of paths) {
      const { schema } = document.paths[path].post.requestBody.content['application/json'];
      const [key = ''] = Object.keys(schema.properties);
      const kind = path.split('/').find((part) => ['imports', 'exports', 'files'].includes(part));
      const entry = await (entries[key] ?? entries[`${key} of ${kind}`] ?? (async () => 'x'))();
      const before = await totals();
      for (const wrong of [Array(101).fill(entry), 'x', { 0: entry }]) {
        const { status, body } = await alice.post(path.slice('/v2'.length), { [key]: wrong });
        expect([path, status, body.code]).toEqual([path, 400, 90000]);
      }
      expect(await totals()).toEqual(before);
    }
  });
});

describe('without the advance header', () => {
  /** Where in an answer a folder is told. */
  function told(value: Json, at = ''): string[] {
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).flatMap(([key, inner]) => [
      ...(['parent', 'root_folder'].includes(key) ? [`${at}.${key}`] : []),
      ...told(inner, `${at}.${key}`),
    ]);
  }
  const plain = (method: string, path: string, body?: unknown) =>
    request(method, `${service.url}${path}`, { body, headers: { 'X-SVC-Auth-Token': alice.token } });

  test.each(['_all', 'parent,root_folder,items,result'])(
    'no read tells parent or root folder, whatever fields=%s asks for',
    async (fields) => {
      for (const path of reads().map(asked)) {
        if (path.startsWith('/openapi')) continue;
        const { body } = await plain('GET', `${path}&fields=${fields}`);
        expect([path, told(body)]).toEqual([path, []]);
      }
    },
  );

  test('no write does', async () => {
    const answers: Json[] = [];
    const send = async (method: string, path: string, body?: unknown): Promise<Json> => {
      const answer = await plain(method, `${path}?fields=_all`, body);
      expect([path, answer.status]).toEqual([path, 200]);
      answers.push(answer.body);
      return answer.body;
    };
    const { id: project } = await send('POST', '/projects', { name: 'Plain' });
    await send('PATCH', `/projects/${project}`, { description: 'plain' });
    const { upload_id } = await send('POST', '/upload/multipart', { project, name: 'plain' });
    await send('GET', `/upload/multipart/${upload_id}`);
    const part = await alice.putPart(upload_id, 1, 'plain');
    const { id } = await send('POST', `/upload/multipart/${upload_id}/complete`, { parts: [part] });
    await send('PATCH', `/files/${id}`, { tags: ['plain'] });
    await send('POST', `/files/${id}/actions/copy`, { parent: root });
    await send('POST', `/files/${id}/actions/move`, { name: 'moved' });
    await send('POST', '/bulk/files/get', { file_ids: [id] });
    await send('POST', '/bulk/files/edit', { items: [{ id, tags: [] }] });
    await send('POST', '/files/search', { query: `IN "${project}"` });
    const imported = await send('POST', '/storage/imports', {
      source: { volume: volume.id, location: 'object' },
      destination: { project },
    });
    await ended(alice, imported);
    await send('GET', `/storage/imports/${imported.id}`);
    const moved = await send('POST', '/async/files/move', { items: [{ file: id, project: 'alice/rules' }] });
    await ended(alice, moved);
    await send('GET', `/async/files/move/${moved.id}`);
    expect(told(answers)).toEqual([]);
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
