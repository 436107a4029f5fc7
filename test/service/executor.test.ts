import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { auditIn } from '../../src/service/operations/audit/audit-table.ts';
import { BucketError } from '../../src/service/storage/objects/bucket-error.ts';
import { waitUntil } from '../support/wait-until.ts';
import { file, TaskWorld } from './task-world.ts';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;

let alice: TestUser;

let world: TaskWorld;

let count = 0;

beforeAll(async () => {
  const instances = [{ name: 'local', price: '36', interruptiblePrice: '18' }] as const;
  service = await TestService.start({ workers: true, tasks: { executor: 'cwltool', instances } });
  alice = await service.user('alice');
});

beforeEach(async () => {
  count += 1;
  world = await TaskWorld.make(alice, `Runs ${count}`);
});

afterAll(() => service.stop());

const CAT = {
  inputs: [{ id: 'text', type: 'File', inputBinding: {} }],
  outputs: [{ id: 'made', type: 'stdout' }],
  stdout: 'made.txt',
};

/** Content of an output that is a file. */
async function made(
  task: { outputs: Record<string, { path: string } | null> },
  output = 'made',
): Promise<string> {
  return world.text(task.outputs[output]?.path ?? '');
}

describe('a task that is run', () => {
  test('makes files of the project, which tell what made them', async () => {
    const input = await alice.upload(world.root, 'in.txt', 'hello');
    const task = await world.ended(
      await world.run(await world.script('cat $1', CAT), { text: file(input.id) }),
    );
    expect(task).toMatchObject({ status: 'COMPLETED', errors: [], warnings: [], executed_by: 'alice' });
    expect(task.outputs.made).toEqual({ class: 'File', path: expect.any(String), name: 'made.txt' });
    const { body } = await alice.get(`/files/${task.outputs.made.path}`);
    expect(body).toMatchObject({
      name: 'made.txt',
      size: 5,
      project: world.project,
      origin: { task: task.id },
    });
    expect(await made(task)).toBe('hello');
    const listed = await alice.get(`/files?project=${world.project}&origin.task=${task.id}`);
    expect(listed.body.items).toMatchObject([{ id: body.id }]);
    const [told] = await auditIn(service.services.store).list({
      object: task.id,
      action: 'task.end',
      limit: 2,
    });
    expect(told).toMatchObject({ username: 'alice', status: 200 });
  });

  test('makes files whose metadata belongs to who ran it', async () => {
    const runner = await service.user(`runner${count}`);
    const { id } = (
      await alice.post('/tasks', {
        project: world.project,
        app: await world.script('echo', { ...CAT, inputs: [] }),
      })
    ).body;
    const permissions = { write: true, execute: true };
    await alice.post(`/projects/${world.project}/members`, { username: runner.username, permissions });
    await runner.post(`/tasks/${id}/actions/run`);
    const { outputs } = await world.ended(id);
    const edit = (user: TestUser) =>
      user.call('PATCH', `/files/${outputs.made.path}/metadata`, { body: { sample: 's' } });
    expect((await edit(alice)).body).toMatchObject({ status: 403, code: 5009 });
    expect((await edit(runner)).body).toEqual({ sample: 's' });
  });

  test('tells the tools that ran, with their commands, and their log', async () => {
    const id = await world.run(await world.script('echo progress >&2'));
    await world.ended(id);
    const { body } = await alice.get(`/tasks/${id}/execution_details`);
    expect(body).toMatchObject({ status: 'COMPLETED', message: 'The task has completed.' });
    expect(body.jobs).toMatchObject([
      { name: 'app1', status: 'COMPLETED', command_line: expect.stringMatching(/^sh -c/) },
    ]);
    expect(await world.log(id)).toMatch(/^progress$/m);
    expect(await world.names()).toEqual(['__logs']);
  });

  test('shows its log also where a file has the name of the folder for logs', async () => {
    await alice.upload(world.root, '__logs', 'mine');
    const app = await world.script('echo progress >&2');
    for (const id of [await world.run(app), await world.run(app)]) {
      await world.ended(id);
      expect(await world.log(id)).toMatch(/^progress$/m);
    }
    expect(await world.names()).toEqual(['_1___logs', '__logs']);
    const { body } = await alice.get(`/files?project=${world.project}&name=_1___logs`);
    expect(await world.names(body.items[0].id)).toHaveLength(2);
  });

  test('shows its log while it runs', async () => {
    const id = await world.run(await world.script('echo begun >&2; sleep 60'));
    await waitUntil(async () => /^begun$/m.test(await world.log(id)), { timeoutMs: 20_000 });
    expect((await world.task(id)).status).toBe('RUNNING');
    await alice.post(`/tasks/${id}/actions/abort`);
    await world.ended(id);
  });

  test('costs what its instance costs for that long, in the books of the billing group', async () => {
    const group = await service.operator.createBillingGroup('alice', 'Funds');
    await alice.call('PATCH', `/projects/${world.project}`, { body: { billing_group: group } });
    const app = await world.script('true');
    const whole = await world.ended(await world.run(app));
    const cheap = await world.ended(await world.run(app, {}, { use_interruptible_instances: true }));
    const cents = ({ execution_status, price }: typeof whole) =>
      Number(price.amount) / (execution_status.running_duration / 1000);
    // 36 USD an hour are a cent a second; the durations shown leave out what comes before the tools and after.
    expect(cents(whole)).toBeGreaterThan(0.005);
    expect(cents(whole)).toBeLessThan(0.02);
    expect(cents(cheap) / cents(whole)).toBeCloseTo(0.5, 0);
    const { body } = await alice.get(`/billing/groups/${group}/breakdown`);
    const [spent] = body.project_breakdown.filter(
      ({ task_breakdown }: { task_breakdown: [] }) => task_breakdown.length,
    );
    const costs = spent.task_breakdown.map(({ task_cost }: { task_cost: object }) => task_cost);
    expect([whole.price, cheap.price]).toMatchObject(costs);
    expect(spent.task_breakdown[0].time_finished).toBe(whole.end_time);
  });

  test('leaves nothing behind where it ran', async () => {
    await world.ended(await world.run(await world.script('echo x > x')));
    await waitUntil(async () => (await readdir(join(service.dataDir, 'tasks'))).length === 0);
  });
});

describe('outputs', () => {
  test('of a taken name are numbered, together with their secondary files', async () => {
    await alice.upload(world.root, 'x.bam', 'mine');
    const app = await world.script('echo new > x.bam; echo index > x.bam.bai', {
      outputs: [{ id: 'made', type: 'File', secondaryFiles: ['.bai'], outputBinding: { glob: 'x.bam' } }],
    });
    const task = await world.ended(await world.run(app));
    expect(task.outputs.made).toMatchObject({ name: '_1_x.bam', secondaryFiles: [{ name: '_1_x.bam.bai' }] });
    expect(await world.names()).toEqual(expect.arrayContaining(['x.bam', '_1_x.bam', '_1_x.bam.bai']));
    expect(await made(task)).toBe('new\n');
  });

  test('may be folders; none gets a name that is reserved', async () => {
    const app = await world.script('mkdir -p __own/in; echo deep > __own/in/file; : > __own/empty', {
      outputs: [{ id: 'made', type: 'Directory', outputBinding: { glob: '__own' } }],
    });
    const task = await world.ended(await world.run(app));
    expect(task.outputs.made).toMatchObject({ class: 'Directory', name: '_own' });
    expect(await world.names(task.outputs.made.path)).toEqual(['empty', 'in']);
  });

  test('inherit metadata where the app says so, and have what it sets', async () => {
    const inputs = await Promise.all(['a', 'b'].map((name) => alice.upload(world.root, name)));
    for (const [at, { id }] of inputs.entries()) {
      await alice.call('PATCH', `/files/${id}/metadata`, { body: { sample: 'S1', lane: String(at) } });
    }
    const app = await world.script('echo x > plain; echo x > heir', {
      requirements: [{ class: 'InlineJavascriptRequirement' }],
      inputs: [{ id: 'files', type: 'File[]' }],
      outputs: [
        { id: 'plain', type: 'File', outputBinding: { glob: 'plain' } },
        {
          id: 'heir',
          type: 'File',
          'svc:inheritMetadataFrom': '#files',
          'svc:metadata': { kind: 'result' },
          outputBinding: {
            glob: 'heir',
            outputEval: `\${
              self[0].metadata = {"lane": inputs.files[1].metadata.lane, "bad": null};
              return self;
            }`,
          },
        },
      ],
    });
    const task = await world.ended(await world.run(app, { files: inputs.map(({ id }) => file(id)) }));
    const metadata = async (output: string) =>
      (await alice.get(`/files/${task.outputs[output].path}/metadata`)).body;
    expect(await metadata('plain')).toEqual({});
    expect(await metadata('heir')).toEqual({ sample: 'S1', kind: 'result', lane: '1' });
  });

  test('go to the folder that the task names, which is made when it is missing', async () => {
    const app = await world.script('echo x > x', {
      outputs: [{ id: 'x', type: 'File', outputBinding: { glob: 'x' } }],
    });
    await world.ended(await world.run(app, {}, { output_location: { main_location: '/results/today' } }));
    const { body } = await alice.get(`/files?project=${world.project}&name=results`);
    const inner = await alice.get(`/files/${body.items[0].id}/list`);
    expect(await world.names(inner.body.items[0].id)).toEqual(['x']);
  });

  test('are kept when the store of contents is away for a moment', async () => {
    const { blobs } = service.services;
    const write = blobs.write.bind(blobs);
    let calls = 0;
    const away = vi.spyOn(blobs, 'write').mockImplementation(async (...args) => {
      calls += 1;
      if (calls % 3 === 0) return write(...args);
      throw new BucketError('unreachable', 'the store cannot be reached');
    });
    onTestFinished(() => away.mockRestore());
    const app = await world.script('printf whole', { ...CAT, inputs: [] });
    const task = await world.ended(await world.run(app));
    expect(task).toMatchObject({ status: 'COMPLETED', errors: [] });
    expect(await made(task)).toBe('whole');
    expect(await world.log(task.id)).toMatch(/completed success/);
  });
});

describe('an abort', () => {
  const SLEEPER = { outputs: [{ id: 'half', type: 'File', outputBinding: { glob: 'half' } }] };

  test('ends every process of the task, and shows nothing of what it made', async () => {
    const seconds = `1${Date.now()}`;
    const script = `echo half > half; setsid sleep ${seconds} & sleep ${seconds}`;
    const id = await world.run(await world.script(script, SLEEPER));
    await waitUntil(async () => (await processesWith(seconds, 'sleep')) === 2, { timeoutMs: 20_000 });
    const { status, body } = await alice.post(`/tasks/${id}/actions/abort`);
    expect([status, body.status]).toEqual([200, 'ABORTING']);
    const task = await world.ended(id);
    expect(task).toMatchObject({ status: 'ABORTED', errors: [], outputs: { half: null } });
    expect(Number(task.price.amount)).toBeGreaterThan(0);
    await waitUntil(async () => (await processesWith(seconds)) === 0);
    expect(await world.names()).toEqual(['__logs']);
    expect(await alice.post(`/tasks/${id}/actions/abort`)).toMatchObject({
      status: 403,
      body: { code: 7008 },
    });
  });

  test('of a task that waits for a worker ends it at once, for nothing', async () => {
    const app = await world.script('sleep 1000');
    const running = [await world.run(app), await world.run(app)];
    for (const id of running) await world.until(id, ({ execution_status }) => execution_status.running === 1);
    const waiting = await world.run(app);
    expect((await world.task(waiting)).execution_status).toMatchObject({ queued: 1, running: 0 });
    const { body } = await alice.post(`/tasks/${waiting}/actions/abort`);
    expect(body).toMatchObject({
      status: 'ABORTED',
      price: { amount: '0.00' },
      end_time: expect.any(String),
    });
    for (const id of running) await alice.post(`/tasks/${id}/actions/abort`);
    for (const id of running) await world.ended(id);
  });
});

/** How many processes have a text in their command line, of those of a program when one is given. */
async function processesWith(text: string, program = ''): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.filter((command) => command.startsWith(program) && command.includes(text)).length;
}

describe('a batch', () => {
  const app = () =>
    world.script('test "$1" != bad && sleep $2', {
      inputs: [
        { id: 'word', type: 'string', inputBinding: { position: 1 } },
        { id: 'seconds', type: 'int', default: 0, inputBinding: { position: 2 } },
      ],
    });
  const batch = (words: string[], more: object = {}) => ({
    inputs: { word: words, ...more },
    batch_input: 'word',
    batch_by: { type: 'ITEM' },
  });
  const run = async (settings: object) =>
    (await alice.post('/tasks?action=run', { project: world.project, app: await app(), ...settings })).body
      .id;

  test('runs its tasks, and has completed with the last of them', async () => {
    const task = await world.ended(await run(batch(['a', 'b', 'c'])));
    expect(task).toMatchObject({
      status: 'COMPLETED',
      execution_status: { queued: 0, running: 0, completed: 3, failed: 0, aborted: 0 },
    });
    const children = (await alice.get(`/tasks?parent=${task.id}&fields=status,end_time`)).body.items;
    expect(children.map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('COMPLETED'));
    const ends = children.map(({ end_time }: { end_time: string }) => end_time).sort();
    expect(task.end_time).toBe(ends.at(-1));
  });

  test('has failed when one of its tasks has', async () => {
    const task = await world.ended(await run(batch(['a', 'bad'])));
    expect(task).toMatchObject({ status: 'FAILED', execution_status: { completed: 1, failed: 1 } });
  });

  test('tells those that wait, and is aborted with all of its tasks', async () => {
    const id = await run(batch(['a', 'b', 'c'], { seconds: 1000 }));
    const counts = { queued: 1, running: 2, completed: 0 };
    await world.until(id, ({ execution_status }) => execution_status.running === counts.running);
    expect((await world.task(id)).execution_status).toMatchObject(counts);
    expect((await alice.post(`/tasks/${id}/actions/abort`)).body).toMatchObject({ status: 'ABORTING' });
    expect(await world.ended(id)).toMatchObject({
      status: 'ABORTED',
      execution_status: { aborted: 3, running: 0 },
    });
  });
});

test('a workflow runs its steps, and tells how many are done', async () => {
  const tool = (script: string) => ({
    class: 'CommandLineTool',
    baseCommand: ['sh', '-c', script, 'sh'],
    inputs: { text: { type: 'File', inputBinding: {} } },
    outputs: { made: 'stdout' },
  });
  const app = await world.install({
    class: 'Workflow',
    'svc:categories': ['Test'],
    inputs: { text: 'File' },
    outputs: { final: { type: 'File', outputSource: 'reverse/made' } },
    steps: {
      sort: { run: tool('sort $1'), in: { text: 'text' }, out: ['made'] },
      reverse: { run: tool('tac $1'), in: { text: 'sort/made' }, out: ['made'] },
    },
  });
  const input = await alice.upload(world.root, 'in.txt', 'b\na\nc\n');
  const task = await world.ended(await world.run(app, { text: file(input.id) }));
  expect(task).toMatchObject({
    status: 'COMPLETED',
    execution_status: { steps_total: 2, steps_completed: 2 },
  });
  expect(await made(task, 'final')).toBe('c\nb\na\n');
  const { body } = await alice.get(`/tasks/${task.id}/execution_details`);
  expect(body.jobs.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
    ['sort', 'COMPLETED'],
    ['reverse', 'COMPLETED'],
  ]);
});
