import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../support/wait-until.ts';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let project: string;
let root: string;

beforeAll(async () => {
  service = await TestService.start({ workers: true, tasks: { executor: 'cwltool' } });
  alice = await service.user('alice');
  const made = await alice.project('Runs');
  project = made.id;
  root = made.root_folder;
});
afterAll(() => service.stop());

const ENDED = ['COMPLETED', 'FAILED', 'ABORTED'];
let apps = 0;

async function install(document: object): Promise<string> {
  const id = `${project}/app${++apps}`;
  expect(await alice.post(`/apps/${id}/raw`, document)).toMatchObject({ status: 200 });
  return id;
}

async function run(app: string, inputs: object, more: object = {}): Promise<string> {
  const { status, body } = await alice.post('/tasks?action=run', {
    project,
    app,
    inputs,
    name: 'Run',
    ...more,
  });
  expect([status, body.errors]).toEqual([200, []]);
  return body.id;
}

function ended(id: string) {
  const look = async () => {
    const { body } = await alice.get(`/tasks/${id}`);
    return ENDED.includes(body.status) ? body : undefined;
  };
  return waitUntil(look, { timeoutMs: 30_000 });
}

async function text(id: string): Promise<string> {
  return (await alice.download(id)).text();
}

const file = (id: string) => ({ class: 'File', path: id });

describe('a tool', () => {
  test('runs on a file of the project, and its output becomes one, made by the task', async () => {
    const input = await alice.upload(root, 'words.txt', 'b\na\n');
    const app = await install({
      cwlVersion: 'v1.2',
      class: 'CommandLineTool',
      description: 'Sorts lines.',
      baseCommand: ['sort'],
      inputs: { lines: { type: 'File', inputBinding: {} } },
      outputs: { sorted: { type: 'stdout' } },
      stdout: 'sorted.txt',
    });
    const task = await ended(await run(app, { lines: file(input.id) }));
    expect(task).toMatchObject({ status: 'COMPLETED', errors: [], executed_by: 'alice' });
    expect(task.outputs.sorted).toMatchObject({ class: 'File', name: 'sorted.txt' });
    const made = (await alice.get(`/files/${task.outputs.sorted.path}`)).body;
    expect(made).toMatchObject({ name: 'sorted.txt', size: 4, project, origin: { task: task.id } });
    expect(await text(made.id)).toBe('a\nb\n');
  });
});
