import { beforeEach, describe, expect, it } from 'vitest';
import type { TaskSearch } from '../../../../src/api/compute.ts';
import type { FileRecord, TaskRecord } from '../../../../src/api/model.ts';
import { parseExactly } from '../../../../src/lib/exact-json.ts';
import { Catalog } from '../../../../src/vfs/directories/catalog.ts';
import { TasksTree } from '../../../../src/vfs/trees/tasks/tasks-tree.ts';
import { apiError } from '../../../support/fake-api.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { SyntheticWorld } from '../../../support/synthetic-world.ts';

const TTL_MS = 60_000;
const PROJECT = 'ada/one';

function task(number: number, changes: Partial<TaskRecord> = {}): TaskRecord {
  const id = `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
  const record = {
    id,
    name: 'Count',
    status: 'DRAFT',
    project: PROJECT,
    app: `${PROJECT}/wc/3`,
    message: 'Told.',
    createdBy: 'ada',
    createdMs: Date.UTC(2026, 0, 1) + number * 1000,
    startedMs: undefined,
    endedMs: undefined,
    price: undefined,
    errors: [],
    inputs: {},
    outputs: {},
    steps: undefined,
    ...changes,
  };
  return { ...record, wire: { id, name: record.name, status: record.status, ...changes } };
}

/** Tasks of a platform in memory, with the calls that are made. */
class Platform {
  readonly calls: string[] = [];
  readonly tasks: TaskRecord[] = [];
  readonly clock = new FakeClock();
  readonly files = new Map<string, Partial<FileRecord>>();
  tools: readonly { name: string; status: string; logs: Record<string, string> }[] = [];
  refusal: Error | undefined;

  readonly api = {
    isSpent: () => false,
    projects: {
      list: async () =>
        this.answer('projects', {
          items: [{ id: PROJECT, owner: 'ada', shortName: 'one', name: 'One' }],
          total: 1,
        }),
      get: async (id: string) => this.answer(`project ${id}`, { id, rootFolder: 'root' }),
    },
    files: {
      bulkGet: async (ids: readonly string[]) =>
        this.answer(
          `files ${ids.join(' ')}`,
          ids.map((id) => {
            const found = this.files.get(id);
            return found === undefined
              ? { ok: false, failure: { status: 404, code: 5002, message: 'No such file.' } }
              : { ok: true, value: { id, project: PROJECT, kind: 'file', parent: 'root', ...found } };
          }),
        ),
    },
    tasks: {
      list: async ({ status }: TaskSearch, { offset, limit }: { offset: number; limit: number }) => {
        const all = this.tasks.filter((each) => status === undefined || each.status === status);
        const items = all
          .toSorted((a, b) => (b.createdMs ?? 0) - (a.createdMs ?? 0))
          .slice(offset, offset + limit);
        return this.answer(`list ${status ?? ''}${offset}`, { items, total: all.length });
      },
      get: async (id: string) => {
        const found = this.tasks.find((each) => each.id === id);
        if (found === undefined) {
          this.calls.push(`get ${id.slice(0, 8)}`);
          throw apiError(404, 7002, 'No such task.');
        }
        return this.answer(`get ${id.slice(0, 8)}`, found);
      },
      bulkGet: async (ids: readonly string[]) =>
        this.answer(
          `bulk ${ids.length}`,
          ids.map((id) => {
            const value = this.tasks.find((each) => each.id === id);
            return value
              ? { ok: true, value }
              : { ok: false, failure: { status: 404, code: 7002, message: '' } };
          }),
        ),
      run: async (id: string) => {
        this.calls.push('run');
        if (this.refusal !== undefined) throw this.refusal;
        return this.change(id, { status: 'RUNNING' });
      },
      executedTools: async () => this.answer('tools', this.tools),
    },
  };

  change(id: string, changes: Partial<TaskRecord>): TaskRecord {
    const index = this.tasks.findIndex((each) => each.id === id);
    const before = this.tasks[index] ?? task(0);
    const after = { ...before, ...changes, wire: { ...before.wire, ...changes } };
    this.tasks[index] = after;
    return after;
  }

  taken(): string[] {
    return this.calls.splice(0);
  }

  answer<T>(call: string, value: T): T {
    this.calls.push(call);
    return value;
  }
}

let platform: Platform;
let world: SyntheticWorld;
let tree: TasksTree;
const changed: string[] = [];
beforeEach(() => {
  platform = new Platform();
  changed.length = 0;
  const api = platform.api as never;
  const time = { clock: platform.clock, ttlMs: TTL_MS };
  tree = new TasksTree({
    ...time,
    api,
    catalog: new Catalog(platform.api.projects as never, time),
    beliefs: { believes: () => false },
    onChanged: (paths) => {
      changed.push(...paths);
      world.trees.changed(paths.map((path) => path.replace(/^\/tasks/, '/top')));
    },
    onFound: () => {},
  });
  world = new SyntheticWorld(tree.directory);
});
const wait = async (ms: number): Promise<void> => {
  await platform.clock.advance(ms);
  await world.clock.advance(ms);
};
const at = (name: string, ...more: string[]) => ['ada/one', name, ...more].join('/');
const name = (record: TaskRecord) => `${record.name}~${record.id.slice(0, 8)}`;

describe('the tasks of a project', () => {
  it('are asked for by the hundred when a walk looks at them after their time', async () => {
    platform.tasks.push(...Array.from({ length: 250 }, (_, number) => task(number)));
    const names = await world.list('ada/one');
    await world.clock.advance(TTL_MS);
    await platform.clock.advance(TTL_MS);
    platform.taken();
    for (const name of names) await world.stat(`ada/one/${name}`);
    const asked = platform.taken().filter((call) => call !== 'projects');
    expect(asked).toEqual(['get 000000f9', 'get 000000f8', 'bulk 98', 'bulk 100', 'bulk 50']);
  });

  it('are listed the newest first, a page at a time: 50,000 open by one request', async () => {
    for (let number = 1; number <= 50_000; number += 1) platform.tasks.push(task(number));
    expect(await world.list('ada/one', 3)).toEqual(['Count~0000c350', 'Count~0000c34f', 'Count~0000c34e']);
    expect(platform.taken()).toEqual(['projects', 'list 0']);
    expect(await world.list('ada/one', 250)).toHaveLength(250);
    expect(platform.taken()).toEqual(['list 100', 'list 200']);
  });

  it('are told by their listing: ls -l and cat of each file cost nothing more', async () => {
    platform.tasks.push(
      task(1),
      task(2, { status: 'FAILED', message: 'No memory.', startedMs: 7000, endedMs: 9000 }),
    );
    const [newest = ''] = await world.list('ada/one');
    platform.taken();
    expect(await world.stat(at(newest))).toMatchObject({ attributes: { mtimeNs: 9_000_000_000n } });
    expect(await world.list(at(newest))).toEqual([
      'task.json',
      'status',
      'message',
      'app',
      'inputs.json',
      'inputs',
      'outputs',
      'logs',
      'ctl',
    ]);
    expect(await world.read(at(newest, 'status'))).toBe('FAILED\n');
    expect(await world.read(at(newest, 'message'))).toBe('No memory.\n');
    expect(JSON.parse(await world.read(at(newest, 'task.json')))).toMatchObject({ status: 'FAILED' });
    expect(await world.readlink(at(newest, 'app'))).toBe('../../../../apps/ada/one/wc/3.json');
    expect(platform.taken()).toEqual([]);
  });

  it('are not missed when tasks before them are removed between two pages', async () => {
    for (let number = 1; number <= 150; number += 1) platform.tasks.push(task(number));
    const list = platform.api.tasks.list;
    platform.api.tasks.list = async (...args) => {
      const page = await list(...args);
      if (args[1].offset === 0) platform.tasks.splice(140, 5);
      return page;
    };
    expect(await world.list('ada/one')).toHaveLength(150);
    expect(platform.taken()).toEqual(['projects', 'list 0', 'list 100', 'list 95']);
  });

  it('are found by the id in a name, whatever stands before it', async () => {
    for (let number = 1; number <= 150; number += 1) platform.tasks.push(task(number));
    expect(await world.read(at('anything at all~00000002', 'status'))).toBe('DRAFT\n');
    expect(platform.taken()).toEqual(['projects', 'list 0', 'list 100']);
    expect(await world.stat(at('x~00000003'))).toMatchObject({ attributes: { mode: 0o040_755 } });
    expect(await world.stat(at('Count'))).toMatchObject({ node: undefined });
    expect(await world.stat(at('.git~00000001'))).toMatchObject({ node: undefined });
    expect(platform.taken()).toEqual([]);
    expect(await world.stat(at('none~ffffffff'))).toMatchObject({ node: undefined });
    expect(platform.taken()).toEqual(['list 0', 'list 100']);
  });

  it('are not looked for without end', async () => {
    for (let number = 1; number <= 2500; number += 1) platform.tasks.push(task(number));
    await expect(world.stat(at('old~00000001'))).rejects.toMatchObject({
      errno: 'E2BIG',
      message: expect.stringContaining('by-id/'),
    });
    const [, old] = platform.tasks;
    expect(await world.readlink(at('by-id', old?.id ?? ''))).toBe('../Count~00000002');
    expect(await world.read(at('Count~00000002', 'status'))).toBe('DRAFT\n');
  });

  it('have names of their own, also when their names and the beginnings of their ids are alike', async () => {
    const [one, other] = [task(1), { ...task(1), id: '00000001-1111-4000-8000-000000000000' }];
    platform.tasks.push(one, other);
    const names = await world.list('ada/one');
    expect(new Set(names).size).toBe(2);
    for (const each of names) expect(await world.read(at(each, 'status'))).toBe('DRAFT\n');
  });

  it('are beside by status and by app, as links, unlisted', async () => {
    platform.tasks.push(task(1, { status: 'RUNNING' }), task(2, { app: 'ada/one/sort/0' }), task(3));
    expect(await world.list(at('by-status', 'RUNNING'))).toEqual(['Count~00000001']);
    expect(platform.taken()).toEqual(['projects', 'list RUNNING0']);
    expect(await world.readlink(at('by-status', 'RUNNING', 'Count~00000001'))).toBe('../../Count~00000001');
    expect(await world.stat(at('by-status', 'RUNNING', 'Count~00000002'))).toMatchObject({ node: undefined });
    expect(await world.stat(at('by-status', 'running'))).toMatchObject({ node: undefined });
    expect(await world.list(at('by-app', 'wc'))).toEqual(['Count~00000003', 'Count~00000001']);
    expect(await world.list('ada/one')).not.toContain('by-app');
  });
});

describe('values of a task', () => {
  const file = (path: string, name: string) => ({ class: 'File', path, name });

  it('are links to files, texts, and directories of lists with files', async () => {
    platform.files.set('f1', { name: 'a.bam', parent: 'd1' });
    platform.files.set('f2', { name: 'b.bam' });
    platform.files.set('d1', { kind: 'folder', name: 'reads' } as never);
    platform.tasks.push(
      task(1, {
        inputs: {
          reads: [file('f1', 'a.bam'), file('f2', 'b.bam'), 'plain'],
          deep: { bam: file('f9', 'gone.bam'), depth: 3 },
          limit: 5,
          words: ['a', 'b'],
          name: 'two\nlines',
          unset: null,
          ratio: parseExactly('0.10'),
        },
      }),
    );
    const inputs = at('Count~00000001', 'inputs');
    expect(await world.list(inputs)).toEqual(['reads', 'deep', 'limit', 'words', 'name', 'ratio']);
    expect(await world.list(`${inputs}/reads`)).toEqual(['0-a.bam', '1-b.bam', '2']);
    expect(platform.taken()).toEqual(['projects', 'list 0']);
    expect(await world.readlink(`${inputs}/reads/0-a.bam`)).toBe(
      '../../../../../../projects/ada/one/reads/a.bam',
    );
    expect(platform.taken()).toEqual(['files f1 f2', 'project ada/one', 'files d1']);
    expect(await world.readlink(`${inputs}/reads/1-b.bam`)).toBe('../../../../../../projects/ada/one/b.bam');
    expect(platform.taken()).toEqual([]);
    expect(await world.readlink(`${inputs}/deep/bam`)).toBe('gone/f9/gone.bam');
    expect(await world.read(`${inputs}/deep/depth`)).toBe('3\n');
    expect(await world.read(`${inputs}/words`)).toBe('["a","b"]\n');
    expect(await world.read(`${inputs}/name`)).toBe('two\nlines\n');
    expect(await world.read(`${inputs}/ratio`)).toBe('0.10\n');
  });

  it('have amounts with all their digits', async () => {
    platform.tasks.push(task(1, { price: { currency: 'USD', amount: '0.10' } }));
    expect(await world.read(at('Count~00000001', 'price'))).toBe('0.10 USD\n');
  });

  it('have the logs of each tool, which cost a request when somebody looks', async () => {
    platform.files.set('l1', { name: 'one.log' });
    platform.tools = [
      { name: 'wc', status: 'COMPLETED', logs: { 'task.log': 'l1' } },
      { name: 'wc', status: 'COMPLETED', logs: {} },
    ];
    platform.tasks.push(task(1, { status: 'COMPLETED' }));
    await world.list(at('Count~00000001'));
    platform.taken();
    expect(await world.list(at('Count~00000001', 'logs'))).toEqual(['wc', 'wc~2']);
    expect(await world.readlink(at('Count~00000001', 'logs/wc/task.log'))).toMatch(/\/one\.log$/);
    expect(platform.taken()[0]).toBe('tools');
  });
});

describe('ctl', () => {
  const write = async (word: string) => {
    const node = await world.node(at('Count~00000001', 'ctl'));
    const { handle } = world.trees.open(node, 1);
    return world.trees.write(handle, 0, Buffer.from(`${word}\n`), world.context);
  };

  it('runs a task, which is shown so at once', async () => {
    platform.tasks.push(task(1));
    expect(await world.read(at('Count~00000001', 'status'))).toBe('DRAFT\n');
    expect(await write('run')).toBe(4);
    expect(await world.read(at('Count~00000001', 'status'))).toBe('RUNNING\n');
    expect(platform.taken()).toEqual(['projects', 'list 0', 'run']);
  });

  it('says the status that forbids it, and takes no other word', async () => {
    platform.tasks.push(task(1, { status: 'COMPLETED' }));
    platform.refusal = apiError(403, 7007, 'Only a task in status DRAFT can be run.');
    await expect(write('run')).rejects.toMatchObject({
      errno: 'EINVAL',
      message: 'the task is COMPLETED: run is refused: Only a task in status DRAFT can be run.',
    });
    platform.taken();
    await expect(write('delete')).rejects.toMatchObject({ errno: 'EINVAL' });
    expect(platform.taken()).toEqual([]);
  });
});

describe('a change on the platform', () => {
  it('shows by itself while somebody looks, by one request in five seconds for all tasks', async () => {
    const [one, two] = [task(1, { status: 'RUNNING' }), task(2, { status: 'RUNNING' })];
    platform.tasks.push(one, two);
    for (const each of [one, two]) await world.read(at(name(each), 'status'));
    platform.taken();
    platform.change(one.id, { status: 'COMPLETED' });
    await wait(5000);
    expect(platform.taken()).toEqual(['bulk 2']);
    expect(changed).toContain('/tasks/ada/one/Count~00000001');
    expect(world.forgotten).toContain('/top/ada/one/Count~00000001/status');
    expect(await world.read(at(name(one), 'status'))).toBe('COMPLETED\n');
    await wait(5000);
    expect(platform.taken()).toEqual(['bulk 1']);
  });

  it('is not asked for when nobody looks any more, nor of what is over', async () => {
    const running = task(1, { status: 'RUNNING' });
    platform.tasks.push(running, task(2, { status: 'FAILED' }), task(3));
    await world.list('ada/one');
    for (const each of platform.tasks) await world.stat(at(name(each)));
    platform.taken();
    for (let passed = 0; passed <= 3 * TTL_MS; passed += 5000) await wait(5000);
    const asked = platform.taken();
    expect(new Set(asked)).toEqual(new Set(['bulk 1']));
    expect(asked).toHaveLength(36);
    await wait(60_000);
    expect(platform.taken()).toEqual([]);
  });

  it('of a draft is asked for when somebody reads in its directory', async () => {
    const draft = task(1);
    platform.tasks.push(draft);
    await world.read(at(name(draft), 'status'));
    platform.taken();
    await wait(5000);
    expect(platform.taken()).toEqual(['bulk 1']);
  });

  it('that removes a task is ESTALE to who is in its directory', async () => {
    const running = task(1, { status: 'RUNNING' });
    platform.tasks.push(running);
    const node = await world.node(at(name(running)));
    platform.tasks.length = 0;
    await wait(5000);
    await expect(world.trees.lookup(node, 'status', world.context)).rejects.toMatchObject({
      errno: 'ESTALE',
    });
    await wait(TTL_MS);
    expect(await world.stat(at(name(running)))).toMatchObject({ node: undefined });
  });

  it('that another way has made is shown at once', async () => {
    platform.tasks.push(task(1));
    expect(await world.list('ada/one')).toEqual(['Count~00000001']);
    const made = task(2, { name: 'New' });
    platform.tasks.push(made);
    tree.learn([made]);
    expect(await world.list('ada/one')).toEqual(['New~00000002', 'Count~00000001']);
  });
});
