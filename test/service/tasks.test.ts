import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Answer, TestService, type TestUser } from './test-service.ts';

const NOW = Date.UTC(2026, 0, 1);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const TOOL = {
  class: 'CommandLineTool',
  label: 'Count lines',
  inputs: [
    { id: '#text', type: 'File' },
    { id: 'more', type: 'File[]?' },
    { id: 'words', type: ['null', 'boolean'] },
    { id: 'limit', type: 'int', default: 10 },
  ],
  outputs: { count: 'stdout' },
};

let service: TestService;

let alice: TestUser;

let bob: TestUser;

let project: string;

let root: string;

let app: string;

let file: FileResource;

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
  const made = await alice.project(`Tasks ${count}`);
  project = made.id;
  root = made.root_folder;
  app = `${project}/wc`;
  await alice.post(`/apps/${app}/raw`, TOOL);
  file = await alice.upload(root, 'text.txt');
});

const text = () => ({ class: 'File', path: file.id });

const create = (body: object = {}, query = '', user = alice): Promise<Answer> =>
  user.post(`/tasks${query}`, { project, app, name: 'Task', inputs: { text: text() }, ...body });

const act = (id: string, action: string, user = alice) => user.post(`/tasks/${id}/actions/${action}`);

const list = async (query: string, user = alice): Promise<string[]> =>
  (await user.get(`/tasks?${query}`)).body.items.map(({ name }: { name: string }) => name);

const refused = (status: number, code: number) => ({
  status,
  body: expect.objectContaining({ status, code }),
});

const share = (permissions: object) =>
  alice.post(`/projects/${project}/members`, { username: 'bob', permissions });

describe('a task is created', () => {
  test('as a draft of a revision, with all inputs and outputs, null where unset', async () => {
    const { status, body } = await create({ description: 'Why' });
    expect(status).toBe(200);
    expect(body).toEqual({
      href: `${service.url}/tasks/${body.id}`,
      id: expect.stringMatching(UUID),
      name: 'Task',
      description: 'Why',
      status: 'DRAFT',
      project,
      app: `${app}/0`,
      type: 'v2',
      created_by: 'alice',
      created_time: '2026-01-01T00:00:00Z',
      use_interruptible_instances: false,
      execution_status: { message: expect.any(String) },
      inputs: { text: { ...text(), name: 'text.txt' }, more: null, words: null, limit: null },
      outputs: { count: null },
      errors: [],
      warnings: [],
      batch: false,
    });
    expect((await alice.get(`/tasks/${body.id}`)).body).toEqual(body);
  });

  test('with a description of null, a named revision, and the settings of its project', async () => {
    await alice.post(`/apps/${app}/1/raw`, TOOL);
    await alice.call('PATCH', `/projects/${project}`, {
      body: { settings: { use_interruptible_instances: true } },
    });
    const { body } = await create({ description: null, name: null, app: `${app}/0` });
    expect(body).toMatchObject({
      name: 'Count lines',
      description: '',
      app: `${app}/0`,
      use_interruptible_instances: true,
    });
    expect((await create()).body.app).toBe(`${app}/1`);
  });

  test('as a draft with errors while a required input is missing', async () => {
    const { body } = await create({ inputs: {} });
    expect(body).toMatchObject({ status: 'DRAFT', errors: [expect.stringContaining('text')] });
  });

  test.each([
    ['no project', { project: undefined }, 400, 3006],
    ['a malformed project', { project: 'x' }, 400, 3010],
    ['another’s project', { project: 'bob/x' }, 404, 3002],
    ['no app', { app: undefined }, 400, 7015],
    ['a malformed app', { app: 'x' }, 400, 7015],
    ['an app that is not there', { app: 'alice/x/y' }, 404, 6002],
    ['an input the app has not', { inputs: { nothing: 1 } }, 400, 7012],
    ['a file that is not there', { inputs: { text: { class: 'File', path: 'x' } } }, 400, 7012],
    ['a file without a path', { inputs: { text: { class: 'File' } } }, 400, 7012],
    ['an empty name', { name: ' ' }, 400, 7022],
    ['an unknown field', { nmae: 'x' }, 400, 90000],
    ['outputs on a volume', { output_location: { main_location: 'volumes://alice/v/x' } }, 400, 7023],
    ['outputs outside the project', { output_location: { main_location: 'a/../../b' } }, 400, 7023],
    ['outputs in a reserved folder', { output_location: { main_location: 'a/__b' } }, 400, 5024],
  ])('not with %s', async (_what, body, status, code) => {
    expect(await create(body)).toMatchObject(refused(status, code));
  });

  test('not with a folder as a file, nor with a file of someone else', async () => {
    const folder = await alice.folder(root, 'folder');
    const foreign = await bob.upload((await bob.project(`Foreign ${count}`)).root_folder, 'f');
    for (const path of [folder.id, foreign.id]) {
      expect(await create({ inputs: { text: { class: 'File', path } } })).toMatchObject(refused(400, 7012));
    }
  });

  test('with action=run runs at once, unless it has errors', async () => {
    expect((await create({}, '?action=run')).body).toMatchObject({ status: 'RUNNING', executed_by: 'alice' });
    const faulty = await create({ inputs: {} }, '?action=run');
    expect(faulty.body).toMatchObject({ status: 'DRAFT', errors: [expect.any(String)] });
    expect(await create({}, '?action=fly')).toMatchObject(refused(400, 7009));
  });
});

describe('running', () => {
  test('a draft sets it RUNNING at once, with who, when and why', async () => {
    const { body: draft } = await create();
    await clock.advance(5000);
    const { status, body } = await act(draft.id, 'run?use_interruptible_instances=True');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'RUNNING',
      executed_by: 'alice',
      start_time: `${new Date(clock.now()).toISOString().slice(0, 19)}Z`,
      execution_status: { message: expect.stringMatching(/running/) },
      use_interruptible_instances: true,
      price: { currency: 'USD', amount: '0.00' },
    });
    expect((await alice.get(`/tasks/${draft.id}`)).body).toEqual(body);
  });

  test('shows what `fields` asks for', async () => {
    const { body: draft } = await create();
    expect((await act(draft.id, 'run?fields=status,executed_by')).body).toEqual({
      status: 'RUNNING',
      executed_by: 'alice',
    });
  });

  test('is for drafts alone', async () => {
    const { body } = await create({}, '?action=run');
    expect(await act(body.id, 'run')).toMatchObject(refused(403, 7007));
  });

  test('two at the same time runs it once', async () => {
    const { body } = await create();
    const answers = await Promise.all([act(body.id, 'run'), act(body.id, 'run')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  test('is refused while an input is missing, or its file has gone', async () => {
    const { body: empty } = await create({ inputs: {} });
    expect(await act(empty.id, 'run')).toMatchObject(refused(400, 7010));
    const { body: orphan } = await create();
    await alice.call('DELETE', `/files/${file.id}`);
    expect(await act(orphan.id, 'run')).toMatchObject(refused(400, 7010));
    expect((await alice.get(`/tasks/${orphan.id}`)).body.status).toBe('DRAFT');
  });

  test('ends by an abort, once', async () => {
    const { body } = await create({}, '?action=run');
    await clock.advance(60_000);
    expect((await act(body.id, 'abort')).body).toMatchObject({
      status: 'ABORTED',
      end_time: expect.any(String),
      execution_status: { duration: 60_000 },
    });
    expect(await act(body.id, 'abort')).toMatchObject(refused(403, 7008));
    expect(await act((await create()).body.id, 'abort')).toMatchObject(refused(403, 7008));
  });
});

describe('editing', () => {
  const edit = (id: string, body: object, user = alice) => user.call('PATCH', `/tasks/${id}`, { body });

  test('merges inputs and says what is missing then', async () => {
    const { body: draft } = await create();
    const { body } = await edit(draft.id, { name: 'New', inputs: { words: true } });
    expect(body).toMatchObject({ name: 'New', inputs: { words: true, text: text() }, errors: [] });
    expect((await edit(draft.id, { inputs: { text: null } })).body.errors).toHaveLength(1);
    expect(await edit(draft.id, { inputs: { nothing: 1 } })).toMatchObject(refused(400, 7012));
    const output_location = { main_location: 'volumes://alice/v/x' };
    expect(await edit(draft.id, { output_location })).toMatchObject(refused(400, 7023));
  });

  test('has inputs of its own', async () => {
    const { body: draft } = await create();
    const url = `/tasks/${draft.id}/inputs`;
    expect((await alice.get(url)).body).toEqual(draft.inputs);
    expect((await alice.call('PATCH', url, { body: { limit: 3 } })).body).toEqual({
      ...draft.inputs,
      limit: 3,
    });
  });

  test('changes the name alone once the task is no draft', async () => {
    const { body: task } = await create({}, '?action=run');
    expect((await edit(task.id, { name: 'Renamed' })).body).toMatchObject({
      name: 'Renamed',
      status: 'RUNNING',
    });
    expect(await edit(task.id, { name: 'x', description: 'y' })).toMatchObject(refused(403, 7026));
  });

  test('a clone is a new draft of the same, or runs', async () => {
    const { body: task } = await create({ inputs: { text: text(), limit: 3 } }, '?action=run');
    const { body: clone } = await act(task.id, 'clone');
    expect(clone).toMatchObject({ status: 'DRAFT', app: task.app, inputs: task.inputs });
    expect(clone.id).not.toBe(task.id);
    expect((await act(task.id, 'clone?action=run')).body.status).toBe('RUNNING');
  });

  test('deletes a task, but none that runs', async () => {
    const { body: task } = await create({}, '?action=run');
    expect(await alice.call('DELETE', `/tasks/${task.id}`)).toMatchObject(refused(409, 90007));
    await act(task.id, 'abort');
    expect((await alice.call('DELETE', `/tasks/${task.id}`)).status).toBe(204);
    expect(await alice.get(`/tasks/${task.id}`)).toMatchObject(refused(404, 7002));
  });
});

describe('the list', () => {
  test('is short by default, and redirected to from the project', async () => {
    const { body: task } = await create();
    const { body, headers } = await alice.get(`/tasks?project=${project}`);
    expect(body.items).toEqual([{ href: task.href, id: task.id, name: 'Task', project }]);
    expect(headers.get('x-total-matching-query')).toBe('1');
    const redirect = await alice.get(`/projects/${project}/tasks?fields=_all`);
    const target = redirect.headers.get('location')?.slice(service.url.length) ?? '';
    expect((await alice.get(target)).body.items).toEqual([task]);
  });

  test('is ordered by creation, newest first, or as told', async () => {
    for (const name of ['b', 'c', 'a']) {
      await clock.advance(1000);
      await create({ name }, name === 'c' ? '?action=run' : '');
    }
    const query = `project=${project}`;
    expect(await list(query)).toEqual(['a', 'c', 'b']);
    expect(await list(`${query}&order=asc`)).toEqual(['b', 'c', 'a']);
    expect(await list(`${query}&order_by=name&order=asc`)).toEqual(['a', 'b', 'c']);
    expect((await list(`${query}&order_by=start_time`))[0]).toBe('c');
    expect(await list(`${query}&limit=1&offset=1`)).toEqual(['c']);
    expect(await alice.get('/tasks?order_by=colour')).toMatchObject(refused(400, 90000));
  });

  test('is filtered by status, origin and times', async () => {
    const at = (ms: number) => new Date(ms).toISOString().slice(0, 19);
    await clock.advance(1000);
    const first = clock.now();
    await create({ name: 'first', origin_id: 'robot' });
    await clock.advance(10_000);
    await create({ name: 'second' }, '?action=run');
    const query = `project=${project}`;
    expect(await list(`${query}&status=DRAFT`)).toEqual(['first']);
    expect(await list(`${query}&origin_id=robot`)).toEqual(['first']);
    expect(await list(`${query}&batch=False&order=asc`)).toEqual(['first', 'second']);
    expect(await list(`${query}&created_to=${at(first)}`)).toEqual(['first']);
    expect(await list(`${query}&created_from=${at(first + 1000)}Z`)).toEqual(['second']);
    expect(await list(`${query}&started_from=${at(first)}Z`)).toEqual(['second']);
    expect(await list(`${query}&ended_from=${at(first)}Z`)).toEqual([]);
    expect(await alice.get('/tasks?created_from=yesterday')).toMatchObject(refused(400, 90000));
    expect(await alice.get('/tasks?status=SLEEPING')).toMatchObject(refused(400, 7006));
    expect(await alice.get('/tasks?project=bob/none')).toMatchObject(refused(404, 3002));
  });

  test('of ids is answered in their order, entries that are refused alone', async () => {
    const { body: task } = await create();
    const ids = [task.id, 'no-uuid', '00000000-0000-4000-8000-000000000000'];
    const { body } = await alice.post('/bulk/tasks/get', { task_ids: ids });
    expect(body.items).toMatchObject([
      { resource: task },
      { error: { code: 7005 } },
      { error: { code: 7002 } },
    ]);
    const many = await alice.post('/bulk/tasks/get', { task_ids: Array(101).fill(task.id) });
    expect(many).toMatchObject(refused(400, 90000));
  });

  test('of what ran is in the execution details', async () => {
    const { body: task } = await create({}, '?action=run');
    expect((await alice.get(`/tasks/${task.id}/execution_details`)).body).toEqual({
      href: `${task.href}/execution_details`,
      status: 'RUNNING',
      message: expect.any(String),
      start_time: task.start_time,
      jobs: [],
    });
  });
});

describe('permissions', () => {
  test('to a stranger nothing exists', async () => {
    const { body } = await create();
    expect(await bob.get(`/tasks/${body.id}`)).toMatchObject(refused(404, 7002));
    expect(await act(body.id, 'run', bob)).toMatchObject(refused(404, 7002));
    expect(await list('limit=100', bob)).toEqual([]);
    expect(await alice.get('/tasks/nonsense')).toMatchObject(refused(400, 7005));
  });

  test('read lets see, execute lets create, run, edit, abort, clone and delete', async () => {
    const { body } = await create();
    const attempts = () => [
      create({}, '', bob),
      bob.call('PATCH', `/tasks/${body.id}`, { body: { name: 'x' } }),
      bob.call('PATCH', `/tasks/${body.id}/inputs`, { body: { limit: 1 } }),
      act(body.id, 'clone', bob),
      act(body.id, 'run', bob),
      act(body.id, 'abort', bob),
      bob.call('DELETE', `/tasks/${body.id}`),
    ];
    await share({ write: true, copy: true });
    expect((await bob.get(`/tasks/${body.id}`)).status).toBe(200);
    for (const attempt of attempts()) expect(await attempt).toMatchObject(refused(403, 7001));
    await share({ execute: true });
    expect((await create({}, '', bob)).body.created_by).toBe('bob');
    expect((await act(body.id, 'run', bob)).body.executed_by).toBe('bob');
    expect((await act(body.id, 'abort', bob)).status).toBe(200);
  });
});
