import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { file, folder, TaskWorld } from './task-world.ts';
import { TestService, type TestUser } from './test-service.ts';
import { runToEnd, TestVolume } from './volume-world.ts';

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

describe('inputs', () => {
  test('are files by any name, numbers, texts, lists and records', async () => {
    const inputs = await Promise.all(
      ['a b#c%20é.txt', '-n'].map((name) => alice.upload(world.root, name, `<${name}>`)),
    );
    const app = await world.install({
      class: 'CommandLineTool',
      requirements: [{ class: 'InlineJavascriptRequirement' }],
      baseCommand: ['cat'],
      arguments: [
        '$(inputs.files[0].path)',
        '$(inputs.files[1].path)',
        '$(inputs.record.file.path)',
        { valueFrom: '/dev/stdin' },
      ],
      stdin: '$(inputs.record.file.path)',
      inputs: {
        files: 'File[]',
        count: 'int',
        text: 'string?',
        unset: 'File?',
        record: {
          type: {
            type: 'record',
            fields: [
              { name: 'file', type: 'File' },
              { name: 'on', type: 'boolean' },
            ],
          },
        },
      },
      outputs: {
        all: { type: 'stdout' },
        told: {
          type: 'string',
          outputBinding: { outputEval: '$(inputs.count + inputs.text + inputs.record.on + inputs.unset)' },
        },
      },
      stdout: 'all',
    });
    const [first, second] = inputs.map(({ id }) => file(id));
    const given = { files: [first, second], count: 7, text: 'x"y\n', record: { file: first, on: true } };
    const task = await world.ended(await world.run(app, given));
    expect(task).toMatchObject({ status: 'COMPLETED', outputs: { told: '7x"y\ntruenull' } });
    expect(await made(task, 'all')).toBe(`<a b#c%20é.txt><-n>${'<a b#c%20é.txt>'.repeat(2)}`);
  });

  test('may be aliases of objects on a volume', async () => {
    const volume = await TestVolume.make(service, alice, { name: `volume${count}` });
    await volume.lay('deep/object.txt', 'from the volume');
    const job = await runToEnd(alice, '/storage/imports', {
      source: { volume: volume.id, location: 'deep/object.txt' },
      destination: { project: world.project },
    });
    const task = await world.ended(
      await world.run(await world.script('cat $1', CAT), { text: file(job.result.id) }),
    );
    expect(await made(task)).toBe('from the volume');
  });

  test('bring the secondary files that the app asks for, and those that the task names', async () => {
    const bam = await alice.upload(world.root, 'x.bam', 'bam');
    await alice.upload(world.root, 'x.bam.bai', 'bai');
    await alice.upload(world.root, 'x.dict', 'dict');
    const other = await alice.upload(world.root, 'other', 'other');
    const port = { id: 'text', type: 'File', secondaryFiles: ['.bai', '^.dict', '.none?'], inputBinding: {} };
    const app = await world.script('cd $(dirname $1); ls | xargs', { ...CAT, inputs: [port] });
    const value = { ...file(bam.id), secondaryFiles: [file(other.id)] };
    expect(await made(await world.ended(await world.run(app, { text: value })))).toBe(
      'other x.bam x.bam.bai x.dict\n',
    );
    const alone = await alice.upload(world.root, 'y.bam', 'bam');
    const failed = await world.ended(await world.run(app, { text: file(alone.id) }));
    expect(failed).toMatchObject({ status: 'FAILED', errors: ['There is no file y.bam.bai beside y.bam.'] });
  });

  test('bring nothing from beside a file that whoever runs the task may not read', async () => {
    const bob = await service.user(`bob-${randomUUID()}`);
    const theirs = await bob.project('Theirs');
    const bam = await bob.upload(theirs.root_folder, 'x.bam');
    await service.operator.markFile(bam.id, { public: true });
    await bob.upload(theirs.root_folder, 'x.bam.bai', 'private');
    const parts = await bob.folder(theirs.root_folder, 'x.bam.parts');
    await bob.upload(parts.id, 'one', 'private');
    const patterns = ['.bai?', '.parts?'];
    const port = { id: 'text', type: 'File', secondaryFiles: patterns, inputBinding: {} };
    const app = await world.script('cd $(dirname $1); ls -R | xargs', { ...CAT, inputs: [port] });
    const seen = async () => made(await world.ended(await world.run(app, { text: file(bam.id) })));
    const share = (permissions: object) =>
      bob.post(`/projects/${theirs.id}/members`, { username: 'alice', permissions });
    expect(await seen()).toBe('.: x.bam\n');
    await share({ read: true, copy: false });
    expect(await seen()).toBe('.: x.bam\n');
    await share({ copy: true });
    expect(await seen()).toBe('.: x.bam x.bam.bai x.bam.parts ./x.bam.parts: one\n');
  });

  test('may be folders, with all that is in them', async () => {
    const top = await alice.folder(world.root, 'top');
    const inner = await alice.folder(top.id, 'inner');
    await alice.upload(top.id, 'a', 'A');
    await alice.upload(inner.id, 'b', 'B');
    const port = { id: 'text', type: 'Directory', inputBinding: {} };
    const app = await world.script('cat $1/a $1/inner/b', { ...CAT, inputs: [port] });
    expect(await made(await world.ended(await world.run(app, { text: folder(top.id) })))).toBe('AB');
  });

  test('cannot be changed by the tool', async () => {
    const input = await alice.upload(world.root, 'in.txt', 'as it was');
    const app = await world.script('echo changed > $(readlink -f $1); true', CAT);
    await world.ended(await world.run(app, { text: file(input.id) }));
    expect(await world.text(input.id)).toBe('as it was');
  });

  test('of other projects need the permission copy there, secondary ones too', async () => {
    const bob = await service.user(`bob-${randomUUID()}`);
    const theirs = await bob.project('Theirs');
    const secret = await bob.upload(theirs.root_folder, 'secret');
    const members = `/projects/${theirs.id}/members`;
    const app = await world.script('true', { inputs: [{ id: 'f', type: 'File' }] });
    const own = await alice.upload(world.root, 'own');
    const create = (f: object) => alice.post('/tasks', { project: world.project, app, inputs: { f } });
    const refused = { status: 400, body: { code: 7012 } };
    expect(await create(file(secret.id))).toMatchObject(refused);
    await bob.post(members, { username: 'alice', permissions: { read: true, copy: false } });
    expect(await create(file(secret.id))).toMatchObject(refused);
    expect(await create({ ...file(own.id), secondaryFiles: [file(secret.id)] })).toMatchObject(refused);
    await bob.post(members, { username: 'alice', permissions: { read: true, copy: true } });
    expect(await create(file(secret.id))).toMatchObject({ status: 200 });
  });

  test('that have gone since make the task fail', async () => {
    const input = await alice.upload(world.root, 'in.txt');
    const app = await world.script('true', { inputs: [{ id: 'f', type: 'File' }] });
    const { body } = await alice.post('/tasks', {
      project: world.project,
      app,
      inputs: { f: file(input.id) },
    });
    await alice.call('DELETE', `/files/${input.id}`);
    expect(await alice.post(`/tasks/${body.id}/actions/run`)).toMatchObject({
      status: 400,
      body: { code: 7010 },
    });
  });
});
