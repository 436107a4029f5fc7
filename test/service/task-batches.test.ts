import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Answer, TestService, type TestUser } from './test-service.ts';

const NOW = Date.UTC(2026, 0, 1);

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

let project: string;

let root: string;

let app: string;

let file: FileResource;

let count = 0;

const clock = new FakeClock(NOW);

beforeAll(async () => {
  service = await TestService.start({ clock });
  alice = await service.user('alice');
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

describe('a batch', () => {
  const TOOLS = { ...TOOL, label: 'One at a time', inputs: [{ id: 'text', type: 'File' }] };
  let inputs: { text: object[] };

  beforeEach(async () => {
    await alice.post(`/apps/${app}/1/raw`, TOOLS);
    const files = await Promise.all(['a', 'b', 'c'].map((name) => alice.upload(root, name)));
    for (const [at, { id }] of files.entries()) {
      const body = { sample: at < 2 ? 'S1' : 'S2' };
      await alice.call('PATCH', `/files/${id}/metadata`, { body });
    }
    inputs = { text: files.map(({ id }) => ({ class: 'File', path: id })) };
  });

  const batch = (body: object = {}, query = '') =>
    create({ inputs, batch_input: 'text', batch_by: { type: 'ITEM' }, ...body }, query);
  const children = async (parent: string) =>
    (await alice.get(`/tasks?parent=${parent}&order_by=name&order=asc&fields=_all`)).body.items;

  test('by ITEM has a task for each item', async () => {
    const { body } = await batch();
    expect(body).toMatchObject({ batch: true, batch_by: { type: 'ITEM' }, batch_input: 'text', errors: [] });
    expect(await children(body.id)).toMatchObject(
      ['a', 'b', 'c'].map((name, at) => ({
        name: `Task - ${name}`,
        status: 'DRAFT',
        batch: false,
        parent: body.id,
        batch_group: { value: name, fields: {} },
        inputs: { text: { ...inputs.text[at], name } },
        errors: [],
      })),
    );
    expect(await list(`project=${project}&batch=true`)).toEqual(['Task']);
  });

  test('by CRITERIA has a task for each value of the metadata', async () => {
    await alice.post(`/apps/${app}/2/raw`, { ...TOOLS, inputs: { text: { type: 'File[]' } } });
    const { body } = await batch({ batch_by: { type: 'CRITERIA', criteria: ['metadata.sample'] } });
    const parts = await children(body.id);
    expect(parts.map((part: { batch_group: object }) => part.batch_group)).toEqual([
      { value: 'S1', fields: { 'metadata.sample': 'S1' } },
      { value: 'S2', fields: { 'metadata.sample': 'S2' } },
    ]);
    expect(parts.map((part: { inputs: { text: object[] } }) => part.inputs.text.length)).toEqual([2, 1]);
  });

  test('runs and is aborted with all its tasks, and counts them', async () => {
    const { body } = await batch({}, '?action=run');
    expect(body).toMatchObject({ status: 'RUNNING', execution_status: { running: 3, aborted: 0 } });
    expect((await children(body.id)).map(({ status }: { status: string }) => status)).toEqual(
      Array(3).fill('RUNNING'),
    );
    expect((await act(body.id, 'abort')).body).toMatchObject({
      status: 'ABORTED',
      execution_status: { running: 0, aborted: 3 },
    });
  });

  test('is made anew when its input changes, and goes with its tasks', async () => {
    const { body } = await batch();
    const edited = await alice.call('PATCH', `/tasks/${body.id}`, {
      body: { inputs: { text: inputs.text.slice(0, 1) } },
    });
    expect(edited.body.batch).toBe(true);
    const [child] = await children(body.id);
    expect(await children(body.id)).toHaveLength(1);
    await alice.call('DELETE', `/tasks/${body.id}`);
    expect((await alice.get(`/tasks/${child.id}`)).status).toBe(404);
  });

  test('without a value is a draft with an error', async () => {
    const { body } = await batch({ inputs: {} });
    expect(body).toMatchObject({ batch: true, errors: [expect.stringContaining('text')] });
    expect(await act(body.id, 'run')).toMatchObject(refused(400, 7010));
  });

  test('is one task when told so, at creation or at the run', async () => {
    expect((await batch({}, '?batch=False')).body).toMatchObject({ batch: false });
    const { body } = await batch();
    const run = await act(body.id, 'run?batch=False');
    expect(run.body).toMatchObject({ batch: false, status: 'RUNNING' });
    expect(run.body).not.toHaveProperty('batch_by');
    expect(await children(body.id)).toEqual([]);
  });

  test('is run as a whole, and none of its tasks alone', async () => {
    const { body } = await batch();
    const [part] = (await alice.get(`/tasks?parent=${body.id}`)).body.items;
    expect(await act(part.id, 'run')).toMatchObject(refused(403, 7007));
    expect(await act(body.id, 'run')).toMatchObject({ status: 200, body: { status: 'RUNNING' } });
    expect((await alice.get(`/tasks/${part.id}`)).body.status).toBe('RUNNING');
  });

  test('has no batches among its tasks', async () => {
    const { body } = await batch();
    const [part] = await children(body.id);
    const edit = (changes: object) => alice.call('PATCH', `/tasks/${part.id}`, { body: changes });
    const settings = { inputs, batch_input: 'text', batch_by: { type: 'ITEM' } };
    expect(await edit(settings)).toMatchObject(refused(400, 7023));
    expect(await edit({ ...settings, batch: true })).toMatchObject(refused(400, 7023));
    expect(await children(part.id)).toEqual([]);
    expect((await edit({ name: 'Renamed', batch: false })).body).toMatchObject({ name: 'Renamed' });
  });

  test('loses none of its tasks before it is run', async () => {
    const { body } = await batch();
    const [part] = await children(body.id);
    const remove = () => alice.call('DELETE', `/tasks/${part.id}`);
    expect(await remove()).toMatchObject(refused(409, 90007));
    expect(await children(body.id)).toHaveLength(3);
    await act(body.id, 'run');
    await act(body.id, 'abort');
    expect((await remove()).status).toBe(204);
  });

  test.each([
    ['no batch_by', { batch_by: null }, 7016],
    ['an unknown type', { batch_by: { type: 'COLOUR' } }, 7017],
    ['no criteria', { batch_by: { type: 'CRITERIA' } }, 7018],
    ['criteria that are no metadata', { batch_by: { type: 'CRITERIA', criteria: ['size'] } }, 7018],
    ['an input the app has not', { batch_input: 'nothing' }, 7019],
    ['no batch_input', { batch_input: null }, 7020],
  ])('is refused with %s', async (_what, body, code) => {
    expect(await batch(body)).toMatchObject(refused(400, code));
  });

  test('is refused without a list', async () => {
    expect(await batch({ inputs: { text: text() } })).toMatchObject(refused(400, 7019));
    expect(await batch({ inputs: { text: [] } })).toMatchObject(refused(400, 7019));
  });
});
