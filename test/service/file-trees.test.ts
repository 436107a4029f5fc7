import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { randomId } from '../../src/lib/random-id.ts';
import { runFileJob } from '../../src/service/file-jobs/run-file-job.ts';
import { newFile } from '../../src/service/files/new-file.ts';
import { blobGarbageIn } from '../../src/service/files/tables/blob-garbage-table.ts';
import { fileBatchesIn } from '../../src/service/files/tables/file-batch-table.ts';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import { JOB_WORKS } from '../../src/service/job-works.ts';
import { jobsIn, LeaseLostError } from '../../src/service/jobs/job-table.ts';
import { Worker, type WorkerOptions } from '../../src/service/jobs/worker.ts';
import { waitUntil } from '../support/wait-until.ts';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let from: Awaited<ReturnType<TestUser['project']>>;
let to: Awaited<ReturnType<TestUser['project']>>;
let made = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: false });
  alice = await service.user('alice');
});
beforeEach(async () => {
  made += 1;
  from = await alice.project(`From ${made}`);
  to = await alice.project(`To ${made}`);
});
afterAll(() => service.stop());

/** Files `f0000` and on in a folder, with a pair and a tag each; more than one batch takes. */
async function fill(folder: string, count: number): Promise<void> {
  const { store } = service.services;
  const [{ project_id } = { project_id: '' }] = await fileBatchesIn(store).findMany([folder]);
  const files = Array.from({ length: count }, (_, at) => ({
    ...newFile({
      id: randomId(),
      project_id,
      parent_id: folder,
      name: `f${String(at).padStart(4, '0')}`,
      created_by: 'alice',
      created_on: '2026-01-01T00:00:00.000Z',
      blob_key: randomId(),
      size: at,
    }),
    metadata: { at: String(at) },
    tags: [`t${at}`],
  }));
  await store.transaction((tx) => fileBatchesIn(tx).insert(files));
}

/** Paths below a folder, folders ending in `/`, in order. */
async function below(folder: string, path = ''): Promise<string[]> {
  const paths: string[] = [];
  for (const child of await filesIn(service.services.store).children(folder)) {
    if (child.kind === 'file') paths.push(path + child.name);
    else paths.push(`${path}${child.name}/`, ...(await below(child.id, `${path}${child.name}/`)));
  }
  return paths.sort();
}

async function submit(kind: string, item: object): Promise<string> {
  return (await alice.post(`/async/files/${kind}`, { items: [item] })).body.id;
}

async function finish(kind: string, id: string, options: WorkerOptions = { leaseSeconds: 1 }) {
  const worker = new Worker(service.services, JOB_WORKS, options);
  worker.start();
  try {
    const finished = async () => {
      const { body } = await alice.get(`/async/files/${kind}/${id}`);
      return body.state === 'FINISHED' && body;
    };
    return await waitUntil(finished);
  } finally {
    await worker.stop();
  }
}

describe('a folder of more entries than are done at once', () => {
  async function bigTree(): Promise<string> {
    const tree = await alice.folder(from.root_folder, 'tree');
    await fill(tree.id, 450);
    const sub = await alice.folder(tree.id, 'f0200-sub');
    await fill(sub.id, 250);
    await alice.folder(sub.id, 'empty');
    return tree.id;
  }

  test('is copied whole, with metadata and tags', async () => {
    const tree = await bigTree();
    const wanted = await below(from.root_folder);
    const job = await finish('copy', await submit('copy', { file: tree, project: to.id }));
    expect(job).toMatchObject({ total_files: 700, completed_files: 700, failed_files: 0 });
    expect(await below(to.root_folder)).toEqual(wanted);
    expect(await below(from.root_folder)).toEqual(wanted);
    const [, ...copies] = await filesIn(service.services.store).children(job.result[0].resource.id);
    const [detailed] = await filesIn(service.services.store).withDetails(copies.slice(300, 301));
    expect(detailed?.metadata['at']).toBe(String(Number(detailed?.name.slice(1))));
    expect(detailed?.tags).toEqual([`t${detailed?.metadata['at']}`]);
  });

  test('is moved whole, and merged with what is there', async () => {
    const tree = await bigTree();
    const wanted = await below(from.root_folder);
    const there = await alice.folder(to.root_folder, 'tree');
    await fill(there.id, 1);
    const job = await finish('move', await submit('move', { file: tree, project: to.id }));
    expect(job).toMatchObject({ total_files: 700, completed_files: 700, failed_files: 0 });
    expect(await below(to.root_folder)).toEqual([...wanted, 'tree/_1_f0000'].sort());
    expect(await below(from.root_folder)).toEqual([]);
  });

  test('is deleted whole, and its bytes become garbage', async () => {
    const tree = await bigTree();
    const blobGarbage = blobGarbageIn(service.services.store);
    const before = (await blobGarbage.unusedSince('9999', 100_000)).length;
    const job = await finish('delete', await submit('delete', { file: tree }));
    expect(job).toMatchObject({ total_files: 700, completed_files: 700, failed_files: 0 });
    expect(await below(from.root_folder)).toEqual([]);
    expect(await blobGarbage.unusedSince('9999', 100_000)).toHaveLength(before + 700);
  });
});

test('others are answered while a folder is worked on', async () => {
  const tree = await alice.folder(from.root_folder, 'tree');
  await fill(tree.id, 2000);
  const id = await submit('copy', { file: tree.id, project: to.id });
  const worker = new Worker(service.services, JOB_WORKS, { leaseSeconds: 10 });
  worker.start();
  const seen = new Set<number>();
  try {
    await waitUntil(
      async () => {
        const { body } = await alice.get(`/async/files/copy/${id}`);
        seen.add(body.completed_files);
        return body.state === 'FINISHED';
      },
      { everyMs: 0 },
    );
  } finally {
    await worker.stop();
  }
  // Seen on the way, not only before and after.
  expect(seen.size).toBeGreaterThan(3);
});

test('a batch that takes longer than a lease is renewed for is done once', async () => {
  const tree = await alice.folder(from.root_folder, 'tree');
  await fill(tree.id, 1000);
  const id = await submit('copy', { file: tree.id, project: to.id });
  const { store } = service.services;
  const { transaction } = store;
  let batches = 0;
  store.transaction = (work) => {
    return transaction.call(store, (tx) => {
      const insert = fileBatchesIn(tx).insert.bind(fileBatchesIn(tx));
      fileBatchesIn(tx).insert = (files) => {
        batches += 1;
        return insert(files);
      };
      return work(tx);
    }) as never;
  };
  try {
    const job = await finish('copy', id, { leaseSeconds: 0.03, pollSeconds: 60 });
    expect(job).toMatchObject({ completed_files: 1000, failed_files: 0 });
  } finally {
    store.transaction = transaction;
  }
  expect(batches).toBe(5);
});

describe('files of names that are taken', () => {
  /**
   * The target also has an `f0000`, as the folder that is copied or moved does. The target also has the name that such a
   * file would get there.
   */
  async function clash() {
    const tree = await alice.folder(from.root_folder, 'tree');
    const there = await alice.folder(to.root_folder, 'tree');
    await fill(tree.id, 450);
    await fill(there.id, 430);
    await alice.upload(tree.id, '_1_f0000', 'free where f0000 is not');
    await alice.upload(there.id, '_1_f0001', 'in the way');
    await alice.upload(there.id, '_2_f0001', 'in the way');
    return tree.id;
  }

  test.each(['copy', 'move'])('get the lowest free number each: %s', async (kind) => {
    const tree = await clash();
    const job = await finish(kind, await submit(kind, { file: tree, project: to.id }));
    expect(job).toMatchObject({ total_files: 451, completed_files: 451, failed_files: 0 });
    const names = (await below(to.root_folder)).filter((path) => path.startsWith('tree/'));
    expect(names).toHaveLength(1 + 432 + 451);
    expect(names).toEqual(expect.arrayContaining(['tree/_1_f0000', 'tree/_2_f0000', 'tree/_3_f0001']));
    expect(names).toContain('tree/_1_f0429');
    expect(names).not.toContain('tree/_1_f0430');
    expect(names.filter((name) => /_[23]_/.test(name))).toHaveLength(3);
  });
});

describe('a folder copied or moved to a place above it', () => {
  test('is merged with itself when it is copied into its own parent: each file once more', async () => {
    const tree = await alice.folder(from.root_folder, 'tree');
    await fill(tree.id, 250);
    const sub = await alice.folder(tree.id, 'sub');
    await fill(sub.id, 2);
    await finish('copy', await submit('copy', { file: tree.id, parent: from.root_folder }));
    const files = (await below(from.root_folder)).filter((path) => !path.endsWith('/'));
    expect(files).toHaveLength(504);
    expect(files).toContain('tree/_1_f0249');
    expect(files.filter((path) => path.includes('_1__1_') || path.includes('_2_'))).toEqual([]);
  });

  test.each(['copy', 'move'])(
    'loses and doubles nothing when it is found again on the way: %s',
    async (kind) => {
      const outer = await alice.folder(from.root_folder, 'a');
      const inner = await alice.folder(outer.id, 'a');
      const innermost = await alice.folder(inner.id, 'a');
      await fill(innermost.id, 3);
      await finish(kind, await submit(kind, { file: inner.id, parent: from.root_folder }));
      const files = (await below(from.root_folder)).filter((path) => !path.endsWith('/'));
      expect(files).toHaveLength(kind === 'copy' ? 6 : 3);
    },
  );
});

describe('a job on a folder whose worker dies', () => {
  /** Does the job until some files are done, and falls silent as a killed process does. */
  async function dieWithin(kind: string, id: string) {
    const { services } = service;
    const now = Date.now();
    const times = { now: new Date(now).toISOString(), until: new Date(now).toISOString() };
    const job = await jobsIn(services.store).lease('victim', times);
    expect(job?.id).toBe(id);
    const death = new AbortController();
    const run = { services, job: job!, lease: { jobId: id, worker: 'victim' }, signal: death.signal };
    const { transaction } = services.store;
    let transactions = 0;
    services.store.transaction = async (work) => {
      const done = await transaction.call(services.store, work);
      transactions += 1;
      if (transactions === 2) death.abort(new Error('killed'));
      return done as never;
    };
    await expect(runFileJob(run)).rejects.toThrow('killed');
    services.store.transaction = transaction;
    const { body } = await alice.get(`/async/files/${kind}/${id}`);
    expect(body.state).toBe('RUNNING');
    expect(body.completed_files).toBe(200);
    return run;
  }

  test.each(['copy', 'move', 'delete'])(
    'is gone on with by another where it stood, once: %s',
    async (kind) => {
      const tree = await alice.folder(from.root_folder, 'tree');
      await fill(tree.id, 650);
      const wanted = await below(from.root_folder);
      const item = { file: tree.id, ...(kind === 'delete' ? {} : { project: to.id }) };
      const id = await submit(kind, item);
      const silent = await dieWithin(kind, id);
      const job = await finish(kind, id);
      expect(job).toMatchObject({ total_files: 650, completed_files: 650, failed_files: 0 });
      expect(await below(to.root_folder)).toEqual(kind === 'delete' ? [] : wanted);
      expect(await below(from.root_folder)).toEqual(kind === 'copy' ? wanted : []);
      const awake = { ...silent, signal: new AbortController().signal };
      await expect(runFileJob(awake)).rejects.toThrow(LeaseLostError);
      expect(await below(to.root_folder)).toEqual(kind === 'delete' ? [] : wanted);
    },
  );

  test('ends where a file has been archived meanwhile, and says how much was done', async () => {
    const tree = await alice.folder(from.root_folder, 'tree');
    await fill(tree.id, 650);
    const id = await submit('copy', { file: tree.id, project: to.id });
    await dieWithin('copy', id);
    const late = await filesIn(service.services.store).findChild(tree.id, 'f0500');
    await service.operator.markFile(late?.id ?? '', { archived: true });
    const job = await finish('copy', id);
    expect(job).toMatchObject({ completed_files: 400, failed_files: 250 });
    expect(job.result[0].error).toMatchObject({ code: 5007, message: expect.stringContaining('f0500') });
  });

  test('ends where its submitter has lost the permission meanwhile, and says how much was done', async () => {
    const bob = await service.user(`bob${made}`);
    const tree = await alice.folder(from.root_folder, 'tree');
    await fill(tree.id, 650);
    const own = await bob.project('Own');
    await alice.post(`/projects/${from.id}/members`, { username: bob.username, permissions: { copy: true } });
    const items = [{ file: tree.id, project: own.id }];
    const id = (await bob.post('/async/files/copy', { items })).body.id;
    const seen = alice;
    alice = bob;
    try {
      await dieWithin('copy', id);
      await seen.call('DELETE', `/projects/${from.id}/members/${bob.username}`);
      const job = await finish('copy', id);
      expect(job).toMatchObject({ completed_files: 200, failed_files: 450 });
      expect(job.result[0].error.code).toBe(57016);
    } finally {
      alice = seen;
    }
  });
});
