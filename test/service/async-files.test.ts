import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { blobGarbageIn } from '../../src/service/files/tables/blob-garbage-table.ts';
import { TestService, type TestUser } from './test-service.ts';
import { runToEnd } from './volume-world.ts';

let service: TestService;
let alice: TestUser;
let bob: TestUser;
let from: Awaited<ReturnType<TestUser['project']>>;
let to: Awaited<ReturnType<TestUser['project']>>;
let made = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
  bob = await service.user('bob');
});

beforeEach(async () => {
  made += 1;
  from = await alice.project(`From ${made}`);
  to = await alice.project(`To ${made}`);
});

afterAll(() => service.stop());

/** Names below a folder, folders ending in `/`, with the ids of the files. */
async function namesBelow(folder: string, path = ''): Promise<Record<string, string>> {
  const names: Record<string, string> = {};
  for (const { id, name, type } of (await alice.get(`/files/${folder}/list?limit=100`)).body.items) {
    if (type === 'FOLDER')
      Object.assign(names, { [`${path}${name}/`]: '' }, await namesBelow(id, `${path}${name}/`));
    else names[path + name] = id;
  }
  return names;
}

/** `tree/a`, `tree/sub/b` with metadata and tags on the latter. */
async function makeTree() {
  const tree = await alice.folder(from.root_folder, 'tree');
  const sub = await alice.folder(tree.id, 'sub');
  const a = await alice.upload(tree.id, 'a', 'content a');
  const b = await alice.upload(sub.id, 'b', 'content b');
  await alice.call('PATCH', `/files/${b.id}`, { body: { metadata: { sample: '1' }, tags: ['x', 'y'] } });
  return { tree, sub, a, b };
}

describe('an asynchronous move', () => {
  it('moves a folder to another project: files keep their ids, metadata and tags, folders get new ones', async () => {
    const { tree, sub, a, b } = await makeTree();
    const items = [{ file: tree.id, project: to.id, parent: '', name: '' }];
    const job = await runToEnd(alice, '/async/files/move', { items });
    expect(job).toMatchObject({
      type: 'MOVE',
      state: 'FINISHED',
      total_files: 2,
      completed_files: 2,
      failed_files: 0,
      result: [{ resource: { name: 'tree', type: 'FOLDER', project: to.id } }],
    });
    expect(await namesBelow(to.root_folder)).toEqual({
      'tree/': '',
      'tree/a': a.id,
      'tree/sub/': '',
      'tree/sub/b': b.id,
    });
    expect(await namesBelow(from.root_folder)).toEqual({});
    expect(job.result[0].resource.id).not.toBe(tree.id);
    for (const gone of [tree, sub]) expect((await alice.get(`/files/${gone.id}`)).status).toBe(404);
    expect((await alice.get(`/files/${b.id}`)).body).toMatchObject({
      project: to.id,
      metadata: { sample: '1' },
      tags: ['x', 'y'],
    });
    expect(await (await alice.download(b.id)).text()).toBe('content b');
  });

  it('merges with a folder of the same name, and numbers a file whose name is taken', async () => {
    const { tree, a } = await makeTree();
    const there = await alice.folder(to.root_folder, 'tree');
    const taken = await alice.upload(there.id, 'a', 'was here');
    const job = await runToEnd(alice, '/async/files/move', { items: [{ file: tree.id, project: to.id }] });
    expect(job.result[0].resource.id).toBe(there.id);
    expect(await namesBelow(to.root_folder)).toMatchObject({
      'tree/a': taken.id,
      'tree/_1_a': a.id,
      'tree/sub/': '',
    });
  });

  it('numbers a long name so that it is as long as names may be, and keeps its end', async () => {
    const long = `${'é'.repeat(251)}.bam`;
    await alice.upload(to.root_folder, long);
    const { id: file } = await alice.upload(from.root_folder, long);
    await runToEnd(alice, '/async/files/move', { items: [{ file, project: to.id }] });
    expect(await namesBelow(to.root_folder)).toMatchObject({ [`_1_${long.slice(3)}`]: file });
  });

  it('renames a folder inside its parent, and moves a file under a new name', async () => {
    const { tree, a } = await makeTree();
    await runToEnd(alice, '/async/files/move', {
      items: [
        { file: tree.id, parent: from.root_folder, name: 'renamed' },
        { file: a.id, parent: from.root_folder, name: 'top' },
      ],
    });
    expect(Object.keys(await namesBelow(from.root_folder)).sort()).toEqual([
      'renamed/',
      'renamed/sub/',
      'renamed/sub/b',
      'top',
    ]);
  });

  it('counts the failure of a folder in which there is no file', async () => {
    const job = await runToEnd(alice, '/async/files/move', {
      items: [{ file: from.root_folder, project: to.id }],
    });
    expect(job).toMatchObject({ total_files: 1, completed_files: 0, failed_files: 1 });
  });

  it('fails for one item alone, and says why', async () => {
    const { tree, sub, a } = await makeTree();
    const job = await runToEnd(alice, '/async/files/move', {
      items: [
        { file: tree.id, parent: sub.id },
        { file: tree.id, parent: tree.id },
        { file: from.root_folder, project: to.id },
        { file: 'none', project: to.id },
        { file: tree.id, project: to.id, name: '__reserved' },
        { file: a.id, project: to.id },
      ],
    });
    expect(job).toMatchObject({ state: 'FINISHED', completed_files: 1 });
    const outcome = ({ error, resource }: { error?: { code: number }; resource?: { name: string } }) =>
      error?.code ?? resource?.name;
    expect(job.result.map(outcome)).toEqual([57010, 57010, 57020, 5002, 5024, 'a']);
    expect(await namesBelow(to.root_folder)).toEqual({ a: a.id });
  });

  it('needs write on both sides', async () => {
    const { a } = await makeTree();
    const own = await bob.project('Own');
    await alice.post(`/projects/${from.id}/members`, { username: 'bob', permissions: { copy: true } });
    const taking = await runToEnd(bob, '/async/files/move', { items: [{ file: a.id, project: own.id }] });
    expect(taking.result[0].error.code).toBe(57016);
    const mine = await bob.upload(own.root_folder, 'mine');
    const giving = await runToEnd(bob, '/async/files/move', { items: [{ file: mine.id, project: from.id }] });
    expect(giving.result[0].error.code).toBe(57015);
    expect(Object.keys(await namesBelow(from.root_folder))).toContain('tree/a');
  });
});

it.each(['copy', 'move', 'delete'])(
  'a %s tells nothing of a folder that its submitter cannot see',
  async (kind) => {
    const { tree } = await makeTree();
    const own = await bob.project(`Own ${made}`);
    const place = kind === 'delete' ? {} : { project: own.id };
    const job = await runToEnd(bob, `/async/files/${kind}`, {
      items: [
        { file: tree.id, ...place },
        { file: 'none', ...place },
      ],
    });
    expect(job).toMatchObject({ total_files: 2, completed_files: 0, failed_files: 2 });
    expect(job.result[0]).toEqual(job.result[1]);
  },
);

describe('an asynchronous copy', () => {
  it('copies a folder with everything in it, sharing the content', async () => {
    const { tree, a, b } = await makeTree();
    const job = await runToEnd(alice, '/async/files/copy', {
      items: [{ file: tree.id, project: to.id, name: 'copy' }],
    });
    expect(job).toMatchObject({ type: 'COPY', state: 'FINISHED', total_files: 2, completed_files: 2 });
    const copied = await namesBelow(to.root_folder);
    expect(Object.keys(copied).sort()).toEqual(['copy/', 'copy/a', 'copy/sub/', 'copy/sub/b']);
    expect([copied['copy/a'], copied['copy/sub/b']]).not.toContain(a.id);
    const copy = (await alice.get(`/files/${copied['copy/sub/b']}`)).body;
    expect(copy).toMatchObject({ metadata: { sample: '1' }, tags: ['x', 'y'] });
    await runToEnd(alice, '/async/files/delete', { items: [{ file: tree.id }] });
    expect(await (await alice.download(copy.id)).text()).toBe('content b');
    expect((await alice.get(`/files/${b.id}`)).status).toBe(404);
  });

  it('refuses archived files, as a copy at once does, and copies nothing of a folder that holds one', async () => {
    const { tree, sub, a, b } = await makeTree();
    await service.operator.markFile(b.id, { archived: true });
    const items = [b, sub, tree, a].map(({ id }) => ({ file: id, project: to.id }));
    const job = await runToEnd(alice, '/async/files/copy', { items });
    const refused = { error: { status: 400, code: 5007, message: 'The archived file b cannot be copied.' } };
    expect(job).toMatchObject({
      total_files: 5,
      completed_files: 1,
      failed_files: 4,
      result: [refused, refused, refused, { resource: { name: 'a' } }],
    });
    expect(Object.keys(await namesBelow(to.root_folder))).toEqual(['a']);
    const moved = await runToEnd(alice, '/async/files/move', { items: [{ file: tree.id, project: to.id }] });
    expect(moved).toMatchObject({ completed_files: 2, failed_files: 0 });
  });

  it('tells nobody of archived files who may not copy', async () => {
    const { tree, b } = await makeTree();
    await service.operator.markFile(b.id, { archived: true });
    const own = await bob.project('Own');
    await alice.post(`/projects/${from.id}/members`, { username: 'bob', permissions: { write: true } });
    const job = await runToEnd(bob, '/async/files/copy', { items: [{ file: tree.id, project: own.id }] });
    expect(job.result[0].error.code).toBe(57016);
  });

  it('refuses to copy a folder into itself', async () => {
    const { tree, sub } = await makeTree();
    const job = await runToEnd(alice, '/async/files/copy', { items: [{ file: tree.id, parent: sub.id }] });
    expect(job.result[0].error.code).toBe(57012);
  });
});

describe('an asynchronous deletion', () => {
  it('deletes full folders, and the bytes nobody refers to become garbage', async () => {
    const { tree } = await makeTree();
    const before = (await blobGarbageIn(service.services.store).unusedSince('9999', 1000)).length;
    const job = await runToEnd(alice, '/async/files/delete', { items: [{ file: tree.id }] });
    expect(job).toMatchObject({
      type: 'DELETE',
      state: 'FINISHED',
      result: [{ resource: null }],
      completed_files: 2,
    });
    expect(await namesBelow(from.root_folder)).toEqual({});
    expect((await blobGarbageIn(service.services.store).unusedSince('9999', 1000)).length).toBe(before + 2);
  });

  it('never deletes the root folder of a project', async () => {
    const job = await runToEnd(alice, '/async/files/delete', { items: [{ file: from.root_folder }] });
    expect(job.result[0].error.code).toBe(57024);
  });
});

describe('asynchronous jobs', () => {
  it('are SUBMITTED at first, without finished_on', async () => {
    const { a } = await makeTree();
    const { body } = await alice.post('/async/files/copy', { items: [{ file: a.id, project: to.id }] });
    expect(body).toMatchObject({ type: 'COPY', state: 'SUBMITTED', result: [], total_files: 0 });
    expect(body.started_on).toMatch(/Z$/);
    expect(body).not.toHaveProperty('finished_on');
    expect(body.href).toBe(`${service.url}/async/files/copy/${body.id}`);
  });

  it('are listed together, and known by their own kind only', async () => {
    const { a } = await makeTree();
    const job = await runToEnd(alice, '/async/files/copy', { items: [{ file: a.id, project: to.id }] });
    const { body } = await alice.get('/async/files?limit=100');
    expect(body.items).toContainEqual(
      expect.objectContaining({ id: job.id, type: 'COPY', state: 'FINISHED' }),
    );
    const { status, body: other } = await alice.get(`/async/files/move/${job.id}`);
    expect([status, other.code]).toEqual([404, 57039]);
    expect((await bob.get(`/async/files/copy/${job.id}`)).status).toBe(404);
  });

  it.each([
    ['no items', 'move', [], 57006],
    ['too many items', 'move', Array.from({ length: 101 }, () => ({ file: 'x', project: 'a/b' })), 57007],
    ['an item without a file', 'copy', [{ file: '', project: 'a/b' }], 57008],
    ['an item without a destination', 'copy', [{ file: 'x', parent: '' }], 57009],
    ['a deletion without a file', 'delete', [{ file: '' }], 57008],
  ])('are refused for %s', async (_what, kind, items, code) => {
    const { status, body } = await alice.post(`/async/files/${kind}`, { items });
    expect([status, body.code]).toEqual([400, code]);
  });
});
