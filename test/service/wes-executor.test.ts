import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inputAddress } from '../../src/service/task-runs/input-address.ts';
import { freePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';
import { WesServer } from '../support/wes-server.ts';
import { file, folder, TaskWorld } from './task-world.ts';
import { TestService, type TestUser } from './test-service.ts';
import { runToEnd, TestVolume } from './volume-world.ts';

const TOKEN = 'token of the cluster';

let wes: WesServer;
let service: TestService;
let alice: TestUser;
let world: TaskWorld;
let count = 0;

beforeAll(async () => {
  wes = await WesServer.start(TOKEN);
  const port = await freePort();
  const tasks = {
    executor: 'wes',
    url: wes.url,
    token: TOKEN,
    publicUrl: `http://127.0.0.1:${port}`,
  } as const;
  service = await TestService.start({ port, workers: true, tasks });
  alice = await service.user('alice');
});
beforeEach(async () => {
  count += 1;
  world = await TaskWorld.make(alice, `Runs ${count}`);
});
afterAll(async () => {
  await service.stop();
  await wes.stop();
});

const CAT = {
  inputs: [{ id: 'text', type: 'File', inputBinding: {} }],
  outputs: [{ id: 'made', type: 'stdout' }],
  stdout: 'made.txt',
};

describe('a task on a cluster', () => {
  test('fetches its inputs from the service, and its outputs become files of the project', async () => {
    const input = await alice.upload(world.root, 'a b#c.txt', 'hello');
    await alice.upload(world.root, 'a b#c.txt.idx', ' index');
    const port = { ...CAT.inputs[0], secondaryFiles: ['.idx'] };
    const app = await world.script('cat "$1" "$1.idx"', { ...CAT, inputs: [port] });
    const task = await world.ended(await world.run(app, { text: file(input.id) }));
    expect(task).toMatchObject({ status: 'COMPLETED', errors: [] });
    expect(await world.text(task.outputs.made.path)).toBe('hello index');
    const { body } = await alice.get(`/files/${task.outputs.made.path}`);
    expect(body).toMatchObject({ name: 'made.txt', origin: { task: task.id } });
    expect(await world.log(task.id)).toMatch(/completed success/);
    expect(Number(task.price.amount)).toBeGreaterThan(0);
    expect([...wes.runs.values()].at(-1)?.request).toMatchObject({ tags: { task: task.id } });
  });

  test('reads aliases and folders, and makes folders', async () => {
    const volume = await TestVolume.make(service, alice, { name: `volume${count}` });
    await volume.lay('object.txt', 'alias');
    const { id } = await alice.folder(world.root, 'folder');
    await runToEnd(alice, '/storage/imports', {
      source: { volume: volume.id, location: 'object.txt' },
      destination: { parent: id },
    });
    const app = await world.script('mkdir -p out/in; cat $1/object.txt > out/in/copy', {
      inputs: [{ id: 'text', type: 'Directory', inputBinding: {} }],
      outputs: [
        { id: 'made', type: 'Directory', outputBinding: { glob: 'out', loadListing: 'deep_listing' } },
      ],
    });
    const task = await world.ended(await world.run(app, { text: folder(id) }));
    expect(task.status).toBe('COMPLETED');
    const [inner] = (await alice.get(`/files/${task.outputs.made.path}/list`)).body.items;
    const [copy] = (await alice.get(`/files/${inner.id}/list`)).body.items;
    expect(await world.text(copy.id)).toBe('alias');
  });

  test('fails when the run does, and says why', async () => {
    const task = await world.ended(await world.run(await world.script('echo reason >&2; exit 3')));
    expect(task).toMatchObject({
      status: 'FAILED',
      errors: ['The run ended in state EXECUTOR_ERROR, exit status 1.'],
    });
    expect(await world.log(task.id)).toMatch(/^reason$/m);
  });

  test('is cancelled there when it is aborted', async () => {
    const id = await world.run(await world.script('sleep 1000'));
    await world.until(id, ({ execution_status }) => execution_status.running === 1);
    await waitUntil(() =>
      [...wes.runs.values()].some(({ request, state }) => isOf(request, id) && state === 'RUNNING'),
    );
    await alice.post(`/tasks/${id}/actions/abort`);
    expect((await world.ended(id)).status).toBe('ABORTED');
    const run = [...wes.runs.values()].find(({ request }) => isOf(request, id));
    expect(run?.state).toBe('CANCELED');
  });

  test('bears a cluster that fails for a while', async () => {
    wes.faults.push(503, 502, 429);
    const task = await world.ended(await world.run(await world.script('true')));
    expect(task.status).toBe('COMPLETED');
  });

  test('bears a cluster that fails while it gives out what the task made', async () => {
    wes.outputFaults.push(503, 'broken off');
    const app = await world.script('printf whole', { ...CAT, inputs: [] });
    const task = await world.ended(await world.run(app));
    expect(task).toMatchObject({ status: 'COMPLETED', errors: [] });
    expect(await world.text(task.outputs.made.path)).toBe('whole');
    expect(wes.outputFaults).toEqual([]);
  });

  test('fails with what the cluster says when it refuses', async () => {
    wes.faults.push(400);
    const task = await world.ended(await world.run(await world.script('true')));
    expect(task).toMatchObject({ status: 'FAILED', errors: ['The workflow service refused: not now'] });
  });

  test('takes no output from anywhere else', async () => {
    const app = await world.script('true', {
      outputs: [{ id: 'made', type: 'File?', outputBinding: { glob: 'x' } }],
    });
    wes.outputs = { made: { class: 'File', location: `${service.url}/`, basename: 'x' } };
    const task = await world.ended(await world.run(app));
    wes.outputs = undefined;
    expect(task).toMatchObject({
      status: 'FAILED',
      errors: [expect.stringMatching(/is no address of the workflow/)],
    });
    expect(await world.names()).toEqual(['__logs']);
  });

  test('takes nothing of another run for its output', async () => {
    const app = await world.script('echo secret >&2', {
      outputs: [{ id: 'made', type: 'File?', outputBinding: { glob: 'x' } }],
    });
    await world.ended(await world.run(app));
    const location = `${wes.url}/runs/${[...wes.runs.keys()].at(-1)}/data/stderr`;
    wes.outputs = { made: { class: 'File', location, basename: 'x' } };
    const task = await world.ended(await world.run(app));
    wes.outputs = undefined;
    expect(task).toMatchObject({
      status: 'FAILED',
      errors: [expect.stringMatching(/is no address of the workflow/)],
    });
  });
});

function isOf(request: Readonly<Record<string, unknown>>, task: string): boolean {
  return (request['tags'] as { task?: string }).task === task;
}

describe('the address of an input', () => {
  test('leads to the content, for who has it whole', async () => {
    const input = await alice.upload(world.root, 'x', 'content');
    const origin = new URL(service.url).origin;
    const address = `${origin}${inputAddress(service.services, input.id)}`;
    expect(await (await fetch(address)).text()).toBe('content');
    const other = await alice.upload(world.root, 'y');
    expect((await fetch(address.replace(input.id, other.id))).status).toBe(403);
    expect((await fetch(address.replace(/signature=./, 'signature=x'))).status).toBe(403);
    expect((await fetch(address, { method: 'POST' })).status).not.toBe(200);
    await alice.call('DELETE', `/files/${input.id}`);
    expect((await fetch(address)).status).toBe(404);
  });
});
