import { afterAll, beforeAll, expect, test } from 'vitest';
import { file, TaskWorld } from './task-world.ts';
import { TestService, type TestUser } from './test-service.ts';

/** Tasks that the service does not run itself (`--executor none`). */
let service: TestService;
let alice: TestUser;
let world: TaskWorld;
let app: string;

beforeAll(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  world = await TaskWorld.make(alice);
  app = await world.script('true', {
    inputs: { n: 'int?' },
    outputs: { made: 'File', more: 'File[]', none: 'File?' },
  });
});
afterAll(() => service.stop());

const end = (id: string, options: Parameters<typeof service.operator.endTask>[1]) =>
  service.operator.endTask(id, options);

test('stay RUNNING until somebody tells their end, with what they made and cost', async () => {
  const group = await service.operator.createBillingGroup('alice', 'Funds');
  await alice.call('PATCH', `/projects/${world.project}`, { body: { billing_group: group } });
  const id = await world.run(app);
  const made = await alice.upload(world.root, 'made');
  const more = [await alice.upload(world.root, 'one'), await alice.upload(world.root, 'two')];
  expect(await world.task(id)).toMatchObject({
    status: 'RUNNING',
    execution_status: { queued: 0, running: 1 },
  });
  const outputs = { made: [made.id], more: more.map((each) => each.id) };
  await end(id, { status: 'COMPLETED', outputs, costMicros: 1_250_000 });
  expect(await world.task(id)).toMatchObject({
    status: 'COMPLETED',
    end_time: expect.any(String),
    price: { amount: '1.25' },
    outputs: {
      made: { ...file(made.id), name: 'made' },
      more: [{ name: 'one' }, { name: 'two' }],
      none: null,
    },
  });
  expect((await alice.get(`/files/${made.id}`)).body.origin).toEqual({ task: id });
  expect((await alice.get(`/billing/groups/${group}/breakdown`)).body.total_spending.amount).toBe('1.25');
});

test('fail with the reason that is told', async () => {
  const id = await world.run(app);
  await end(id, { status: 'FAILED', error: 'The node went away.' });
  expect(await world.task(id)).toMatchObject({ status: 'FAILED', errors: ['The node went away.'] });
});

test('are aborted at once', async () => {
  const id = await world.run(app);
  expect((await alice.post(`/tasks/${id}/actions/abort`)).body).toMatchObject({ status: 'ABORTED' });
});

test('end a batch with the last of them', async () => {
  const settings = { inputs: { n: [1, 2] }, batch_input: 'n', batch_by: { type: 'ITEM' } };
  const batch = (await alice.post('/tasks?action=run', { project: world.project, app, ...settings })).body;
  const children = (await alice.get(`/tasks?parent=${batch.id}`)).body.items;
  await expect(end(batch.id, { status: 'COMPLETED' })).rejects.toThrow('it is a batch');
  await end(children[0].id, { status: 'COMPLETED' });
  expect((await world.task(batch.id)).status).toBe('RUNNING');
  await end(children[1].id, { status: 'FAILED' });
  expect(await world.task(batch.id)).toMatchObject({
    status: 'FAILED',
    execution_status: { completed: 1, failed: 1 },
  });
});

test('end once, and with outputs that there are', async () => {
  const elsewhere = await alice.upload((await alice.project('Elsewhere')).root_folder, 'x');
  const id = await world.run(app);
  const completed = (outputs: Record<string, string[]>) => end(id, { status: 'COMPLETED', outputs });
  await expect(completed({ made: [elsewhere.id] })).rejects.toThrow('there is no file');
  await expect(completed({ other: [elsewhere.id] })).rejects.toThrow('the app has no output other');
  await completed({});
  await expect(completed({})).rejects.toThrow('the task is COMPLETED');
  await expect(end('x', { status: 'FAILED' })).rejects.toThrow('there is no task x');
});
