import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { TestService, type TestUser } from './test-service.ts';

const NOW = Date.UTC(2026, 0, 1);
const TOOL = {
  class: 'CommandLineTool',
  cwlVersion: 'v1.2',
  label: 'Count lines',
  baseCommand: ['wc', '-l'],
  inputs: [{ id: 'text', type: 'File' }],
  outputs: [{ id: 'count', type: 'stdout' }],
};

let service: TestService;
let alice: TestUser;
let bob: TestUser;
let project: string;
let count = 0;
const clock = new FakeClock(NOW);

beforeAll(async () => {
  service = await TestService.start({ clock });
  alice = await service.user('alice');
  bob = await service.user('bob');
});
afterAll(() => service.stop());
beforeEach(async () => {
  count += 1;
  project = (await alice.project(`Apps ${count}`)).id;
});

const install = (name = 'wc', document: object = TOOL, user = alice) =>
  user.post(`/apps/${project}/${name}/raw`, document);
const ids = async (query: string, user = alice): Promise<string[]> =>
  (await user.get(`/apps${query}`)).body.items.map(({ id }: { id: string }) => id);
const refused = (status: number, code: number) => ({
  status,
  body: expect.objectContaining({ status, code }),
});

describe('an app is installed', () => {
  test('as revision 0, answered by its document with every key of the service', async () => {
    const { status, body } = await install();
    const seconds = NOW / 1000;
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...TOOL,
      id: `${project}/wc/0`,
      'svc:id': `${project}/wc/0`,
      'svc:project': project,
      'svc:revision': 0,
      'svc:latestRevision': 0,
      'svc:revisionsInfo': [
        {
          'svc:revision': 0,
          'svc:modifiedOn': seconds,
          'svc:modifiedBy': 'alice',
          'svc:revisionNotes': null,
        },
      ],
      'svc:createdOn': seconds,
      'svc:createdBy': 'alice',
      'svc:modifiedOn': seconds,
      'svc:modifiedBy': 'alice',
      'svc:contributors': ['alice'],
      'svc:validationErrors': [],
      'svc:sbgMaintained': false,
    });
    const optional = 'categories toolkit toolkitVersion license links cmdPreview job toolAuthor image_url';
    for (const key of optional.split(' ')) expect(body).toHaveProperty([`svc:${key}`]);
  });

  test('from YAML by content type', async () => {
    const body = 'class: CommandLineTool\nlabel: From YAML\ninputs:\n  text: File\noutputs: {}\n';
    const headers = { 'Content-Type': 'application/yaml; charset=utf-8' };
    const { status } = await alice.call('POST', `/apps/${project}/yaml/raw`, { body, headers });
    expect(status).toBe(200);
    expect((await alice.get(`/apps/${project}/yaml`)).body).toMatchObject({
      name: 'From YAML',
      raw: { inputs: { text: 'File' }, 'svc:revision': 0 },
    });
  });

  test.each(['{a: [}', 'a: 1\na: 2', '- &a [*b]'])('not from broken YAML: %j', async (body) => {
    const headers = { 'Content-Type': 'text/yaml' };
    const answer = await alice.call('POST', `/apps/${project}/yaml/raw`, { body, headers });
    expect(answer).toMatchObject(refused(400, 90000));
  });

  test('YAML that expands to enormous size is refused', async () => {
    const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 12; i += 1)
      lines.push(
        `a${i}: &a${i} [${Array(9)
          .fill(`*a${i - 1}`)
          .join(',')}]`,
      );
    const headers = { 'Content-Type': 'application/yaml' };
    const answer = await alice.call('POST', `/apps/${project}/bomb/raw`, { body: lines.join('\n'), headers });
    expect(answer).toMatchObject(refused(400, 90000));
  });

  test('whatever characters are in its label and notes', async () => {
    const odd = 'odd \0 \ud800 text';
    const { status, body } = await install('odd', { ...TOOL, label: odd, 'svc:revisionNotes': odd });
    expect([status, body.label]).toEqual([200, odd]);
    expect((await alice.get(`/apps/${project}/odd`)).body.name).toBe('odd  \ufffd text');
    expect(await ids(`?project=${project}&q=odd`)).toHaveLength(1);
  });

  test('not as a document of no known class, without inputs, or none at all', async () => {
    expect(await install('a', { ...TOOL, class: 'Spreadsheet' })).toMatchObject(refused(400, 6008));
    expect(await install('a', { class: 'Workflow', outputs: [] })).toMatchObject(refused(400, 6008));
    expect(await alice.post(`/apps/${project}/a/raw`)).toMatchObject(refused(400, 6007));
    expect(await alice.post(`/apps/${project}/a/raw`, [1])).toMatchObject(refused(400, 90000));
  });

  test('not under a name that is taken or malformed', async () => {
    await install();
    expect(await install()).toMatchObject(refused(409, 6003));
    expect(await install('a%20b')).toMatchObject(refused(400, 6005));
  });
});

describe('revisions', () => {
  const revise = (revision: number | string, document: object = { ...TOOL, label: 'Second' }, user = alice) =>
    user.post(`/apps/${project}/wc/${revision}/raw`, document);

  test('follow each other; each is read by its number, the newest without', async () => {
    await install();
    await clock.advance(60_000);
    const second = await revise(1, { ...TOOL, label: 'Second', 'svc:revisionNotes': 'better' });
    expect(second.body).toMatchObject({ 'svc:id': `${project}/wc/1`, 'svc:revision': 1 });
    const newest = await alice.get(`/apps/${project}/wc`);
    expect(newest.body).toMatchObject({
      href: `${service.url}/apps/${project}/wc/1`,
      id: `${project}/wc/1`,
      project,
      name: 'Second',
      revision: 1,
    });
    expect(newest.body.raw['svc:modifiedOn'] - newest.body.raw['svc:createdOn']).toBe(60);
    const first = await alice.get(`/apps/${project}/wc/0`);
    expect(first.body).toMatchObject({ id: `${project}/wc/0`, revision: 0, raw: { label: 'Count lines' } });
    expect(first.body.raw['svc:latestRevision']).toBe(1);
    expect(first.body.raw['svc:revisionsInfo'][1]['svc:revisionNotes']).toBe('better');
    expect((await alice.get(`/apps/${project}/wc/raw`)).body).toEqual(newest.body.raw);
    expect((await alice.get(`/apps/${project}/wc/0/raw`)).body).toEqual(first.body.raw);
  });

  test('neither skip a number nor take one again', async () => {
    await install();
    for (const revision of [0, 2]) expect(await revise(revision)).toMatchObject(refused(409, 6003));
    expect(await revise('one')).toMatchObject(refused(400, 6006));
  });

  test('that are not there are 404', async () => {
    await install();
    for (const path of ['wc/1', 'wc/7/raw', 'nothing', 'nothing/0'])
      expect(await alice.get(`/apps/${project}/${path}`)).toMatchObject(refused(404, 6002));
    expect(await alice.get(`/apps/${project}/wc/latest`)).toMatchObject(refused(400, 6006));
  });
});

describe('the list', () => {
  test('holds the apps of the caller’s projects, short, without revision', async () => {
    await install('a');
    await install('b');
    const { body, headers } = await alice.get(`/apps?project=${project}`);
    expect(body.items).toEqual([
      { href: `${service.url}/apps/${project}/a`, id: `${project}/a`, name: 'Count lines' },
      { href: `${service.url}/apps/${project}/b`, id: `${project}/b`, name: 'Count lines' },
    ]);
    expect(headers.get('x-total-matching-query')).toBe('2');
    const [all] = (await alice.get(`/apps?project=${project}&fields=_all`)).body.items;
    expect(all).toMatchObject({ project, revision: 0, raw: { 'svc:id': `${project}/a/0` } });
    expect(await ids('', bob)).toEqual([]);
  });

  test('is filtered by owner and by id', async () => {
    await install('a');
    await install('b');
    expect(await ids(`?project=${project}&id=${project}/b&id=${project}/c`)).toEqual([`${project}/b`]);
    expect(await ids(`?project=${project}&project_owner=alice`)).toHaveLength(2);
    expect(await ids('?project_owner=ALICE')).toEqual([]);
    expect(await ids(`?project=${project}&visibility=private`)).toHaveLength(2);
    expect(await ids(`?project=${project}&visibility=public`)).toEqual([]);
  });

  test('by owner shows the projects of another that the caller is a member of', async () => {
    const carol = await service.user('carol');
    const theirs = (await carol.project('Shared')).id;
    await carol.post(`/apps/${theirs}/wc/raw`, TOOL);
    expect(await ids('?project_owner=carol')).not.toContain(`${theirs}/wc`);
    await carol.post(`/projects/${theirs}/members`, { username: 'alice', permissions: { read: true } });
    await install();
    expect(await ids('?project_owner=carol')).toEqual([`${theirs}/wc`]);
    expect(await ids(`?id=${theirs}/wc`)).toEqual([`${theirs}/wc`]);
  });

  test('goes by pages, ordered by id', async () => {
    for (const name of ['c', 'a', 'b']) await install(name);
    const { body, headers } = await alice.get(`/apps?project=${project}&limit=2`);
    expect(headers.get('x-total-matching-query')).toBe('3');
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([`${project}/a`, `${project}/b`]);
    const next = await alice.get(body.links[0].href.slice(service.url.length));
    expect(next.body.items.map(({ id }: { id: string }) => id)).toEqual([`${project}/c`]);
  });

  test.each([
    ['lines', true],
    ['LINES count', true],
    ['lines samtools', true],
    ['quality', true],
    ['1.16', true],
    ['counts flags', true],
    ['short', true],
    ['lines nothing', false],
    ['li_es', false],
    ['%', false],
  ])('is searched: %s', async (q, found) => {
    const more = {
      'svc:toolkit': 'SAMtools',
      'svc:toolkitVersion': '1.16',
      'svc:categories': ['Quality control'],
      'svc:tagline': 'Short and sweet',
      description: 'Counts flags.',
    };
    await install('wc', { ...TOOL, ...more });
    const list = await ids(`?project=${project}&q=${encodeURIComponent(q)}`);
    expect(list).toEqual(found ? [`${project}/wc`] : []);
  });

  test('takes the terms of q from several, and refuses other words for the visibility', async () => {
    await install();
    expect(await ids(`?project=${project}&q=count&q=lines`)).toHaveLength(1);
    expect(await ids(`?project=${project}&q=count&q=nothing`)).toEqual([]);
    expect(await alice.get('/apps?visibility=secret')).toMatchObject(refused(400, 6012));
    expect(await alice.get('/apps?project=nonsense')).toMatchObject(refused(400, 6004));
    expect(await alice.get('/apps?project=bob/none')).toMatchObject(refused(404, 3002));
  });
});

describe('visibility', () => {
  test('to a stranger nothing exists until it is published', async () => {
    await install();
    expect(await bob.get(`/apps/${project}/wc`)).toMatchObject(refused(404, 6002));
    expect(await bob.get(`/apps/${project}/wc/raw`)).toMatchObject(refused(404, 6002));
    expect(await install('b', TOOL, bob)).toMatchObject(refused(404, 3002));
    await service.operator.publishApp(`${project}/wc`);
    expect((await bob.get(`/apps/${project}/wc/raw`)).status).toBe(200);
    expect(await ids('?visibility=public', bob)).toContain(`${project}/wc`);
    expect(await ids('?visibility=public')).toContain(`${project}/wc`);
    expect(await ids('', bob)).toEqual([]);
    expect(await bob.post(`/apps/${project}/wc/1/raw`, TOOL)).toMatchObject(refused(403, 6001));
    await service.operator.publishApp(`${project}/wc`, { public: false });
    expect((await bob.get(`/apps/${project}/wc`)).status).toBe(404);
  });

  test('read lets see, write lets install and revise, copy lets copy', async () => {
    await install();
    const member = (permissions: object) =>
      alice.post(`/projects/${project}/members`, { username: 'bob', permissions });
    const own = (await bob.project(`Own ${count}`)).id;
    const copy = () => bob.post(`/apps/${project}/wc/actions/copy`, { project: own });
    await member({ read: true });
    expect((await bob.get(`/apps/${project}/wc`)).status).toBe(200);
    expect(await install('b', TOOL, bob)).toMatchObject(refused(403, 6001));
    expect(await copy()).toMatchObject(refused(403, 6001));
    await member({ write: true, copy: true });
    expect((await install('b', TOOL, bob)).status).toBe(200);
    expect((await copy()).status).toBe(200);
  });
});

describe('a copy', () => {
  const revise = (name: string, revision: number, label: string) =>
    alice.post(`/apps/${project}/${name}/${revision}/raw`, { ...TOOL, label });
  const copy = (from: string, name: string, strategy?: string) =>
    alice.post(`/apps/${project}/${from}/actions/copy`, { project, name, strategy });
  const sync = (name: string) => alice.post(`/apps/${project}/${name}/actions/sync`);

  beforeEach(async () => {
    await install();
    await revise('wc', 1, 'Second');
  });

  test.each([
    [undefined, 1],
    ['clone', 1],
    ['clone_direct', 1],
    ['direct', 0],
    ['transient', 0],
  ])('by %s ends at revision %i and has the newest document', async (strategy, revision) => {
    const { body } = await copy('wc', 'My copy', strategy);
    expect(body).toMatchObject({
      id: `${project}/my-copy/${revision}`,
      name: 'My copy',
      raw: { label: 'Second' },
    });
    expect(body.raw['svc:copyOf']).toBe(`${project}/wc/1`);
  });

  test('of a revision, named in the path, ends there', async () => {
    const { body } = await copy('wc/0', 'Old');
    expect(body).toMatchObject({ id: `${project}/old/0`, raw: { label: 'Count lines' } });
  });

  test('keeps the name when none is given, and needs one that is free', async () => {
    const other = (await alice.project(`Other ${count}`)).id;
    const copied = await alice.post(`/apps/${project}/wc/actions/copy`, { project: other });
    expect(copied.body).toMatchObject({ id: `${other}/wc/1`, name: 'Second', project: other });
    expect(await alice.post(`/apps/${project}/wc/actions/copy`, { project })).toMatchObject(
      refused(409, 6003),
    );
    expect(await copy('wc', 'x', 'photograph')).toMatchObject(refused(400, 6010));
    expect(await alice.post(`/apps/${project}/wc/actions/copy`, {})).toMatchObject(refused(400, 6004));
  });

  test('takes the updates of its original, once', async () => {
    await copy('wc', 'cloned', 'transient');
    await revise('wc', 2, 'Third');
    expect((await sync('cloned')).body).toMatchObject({ revision: 1, raw: { label: 'Third' } });
    expect((await sync('cloned/1')).body).toMatchObject({ revision: 1 });
    expect((await alice.get(`/apps/${project}/cloned/0`)).body.raw.label).toBe('Second');
    expect(await sync('wc')).toMatchObject(refused(400, 6009));
  });

  test('of a copy follows the original, or by a direct strategy the copy', async () => {
    await copy('wc', 'first');
    await copy('first', 'indirect', 'clone');
    await copy('first', 'near', 'direct');
    await revise('wc', 2, 'Third');
    expect((await sync('indirect')).body.raw.label).toBe('Third');
    expect((await sync('near')).body.raw.label).toBe('Second');
  });

  test('whose original is gone for the caller cannot be synchronised', async () => {
    const theirs = (await bob.project(`Theirs ${count}`)).id;
    await service.operator.publishApp(`${project}/wc`);
    await bob.post(`/apps/${project}/wc/actions/copy`, { project: theirs });
    await service.operator.publishApp(`${project}/wc`, { public: false });
    expect(await bob.post(`/apps/${theirs}/wc/actions/sync`)).toMatchObject(refused(404, 6002));
  });
});
