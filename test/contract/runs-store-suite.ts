import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppRevisionRow, AppRow } from '../../src/service/apps/app-table.ts';
import { appsIn } from '../../src/service/apps/app-table.ts';
import { chargesIn } from '../../src/service/billing/charge-table.ts';
import { newFile } from '../../src/service/files/new-file.ts';
import type { FileRow } from '../../src/service/files/tables/file-table.ts';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import { ALL_PERMISSIONS } from '../../src/service/members/permissions.ts';
import { projectsIn } from '../../src/service/members/project-table.ts';
import { NEW_PROJECT_SETTINGS } from '../../src/service/projects/project-fields.ts';
import type { Store } from '../../src/service/store/store.ts';
import type { TaskListing, TaskRow } from '../../src/service/tasks/task-table.ts';
import { tasksIn } from '../../src/service/tasks/task-table.ts';
import { usersIn } from '../../src/service/users/user-table.ts';
import type { StoreFixture } from './store-suite.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const PROJECT = 'alice/p';

/** The tests of apps, tasks and charges that every database must pass. */
export function runsStoreSuite(fixture: () => StoreFixture): void {
  let store: Store;

  beforeEach(async () => {
    store = await fixture().open();
    for (const username of ['alice', 'bob']) {
      await usersIn(store).insert({ username, email: `${username}@x`, profile: '{}', created_on: NOW });
    }
    await projectsIn(store).insert({
      id: PROJECT,
      owner: 'alice',
      short_name: 'p',
      name: 'P',
      description: '',
      billing_group: null,
      tags: '[]',
      settings: JSON.stringify(NEW_PROJECT_SETTINGS),
      category: 'PRIVATE',
      root_folder: 'root',
      created_by: 'alice',
      created_on: NOW,
      modified_on: NOW,
    });
    await projectsIn(store).setMember(PROJECT, 'alice', ALL_PERMISSIONS);
  });
  afterEach(async () => {
    await store.close();
    await fixture().clean();
  });

  test('apps are found by words that stand for themselves, by owners to the letter, and by visibility', async () => {
    await appsIn(store).insert(app('one', { search_text: 'bwa_mem 100%' }), [revision('one', 0)]);
    await appsIn(store).insert(app('two', { search_text: 'bwaxmem 100', is_public: 1 }), [
      revision('two', 0),
    ]);
    const found = async (listing: object, member = 'alice') =>
      (await appsIn(store).list({ visible: { member }, ...listing }, { offset: 0, limit: 10 })).rows.map(
        ({ name }) => name,
      );
    expect(await found({})).toEqual(['one', 'two']);
    expect(await found({ terms: ['bwa_mem'] })).toEqual(['one']);
    expect(await found({ terms: ['100%'] })).toEqual(['one']);
    expect(await found({ terms: ['mem', '100'] })).toEqual(['one', 'two']);
    expect(await found({ projectOwner: 'Alice' })).toEqual([]);
    expect(await found({ projectOwner: 'alice', ids: [`${PROJECT}/two`] })).toEqual(['two']);
    expect(await found({}, 'bob')).toEqual([]);
    expect(await found({ visible: 'public' }, 'bob')).toEqual(['two']);
  });

  test('revisions come oldest first, and raise the newest of their app', async () => {
    await appsIn(store).insert(app('one'), [revision('one', 0)]);
    await appsIn(store).addRevision(revision('one', 1), { name: 'New' });
    expect(await appsIn(store).find(`${PROJECT}/one`)).toMatchObject({ name: 'New', latest_revision: 1 });
    const numbers = (rows: readonly { revision: number }[]) => rows.map((row) => row.revision);
    expect(numbers(await appsIn(store).revisions(`${PROJECT}/one`))).toEqual([0, 1]);
    expect(numbers(await appsIn(store).revisionNotes(`${PROJECT}/one`))).toEqual([0, 1]);
    await expect(appsIn(store).addRevision(revision('one', 1), {})).rejects.toThrow();
  });

  test('tasks are ordered by what they were told, what has not happened first, ties by id', async () => {
    await tasksIn(store).insert([
      task('a', { name: 'é', start_time: '2026-01-03T00:00:00.000Z' }),
      task('b', { name: 'Z' }),
      task('c', { name: 'z', start_time: '2026-01-02T00:00:00.000Z', status: 'RUNNING' }),
    ]);
    const ids = async (fields: Partial<TaskListing>) => {
      const all = { member: 'alice', created: {}, started: {}, ended: {}, orderBy: 'created_time' } as const;
      const listing: TaskListing = { ...all, order: 'asc', ...fields };
      return (await tasksIn(store).list(listing, { offset: 0, limit: 10 })).rows.map(({ id }) => id);
    };
    expect(await ids({})).toEqual(['a', 'b', 'c']);
    expect(await ids({ order: 'desc' })).toEqual(['c', 'b', 'a']);
    expect(await ids({ orderBy: 'start_time' })).toEqual(['b', 'c', 'a']);
    expect(await ids({ orderBy: 'name' })).toEqual(['b', 'c', 'a']);
    expect(
      await ids({ started: { from: '2026-01-02T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' } }),
    ).toEqual(['c']);
    expect(await ids({ status: 'DRAFT' })).toEqual(['a', 'b']);
    expect(await ids({ member: 'bob' })).toEqual([]);
  });

  test('a batch is counted by the statuses of its tasks, and is deleted with them', async () => {
    const parent_id = 'batch';
    await tasksIn(store).insert([
      task('batch', { is_batch: 1 }),
      task('x', { parent_id, status: 'RUNNING' }),
      task('y', { parent_id, status: 'RUNNING' }),
      task('z', { parent_id, status: 'FAILED' }),
    ]);
    const counts = (await tasksIn(store).childStatuses(['batch', 'other'])).get('batch');
    expect(Object.fromEntries(counts ?? [])).toEqual({ RUNNING: 2, FAILED: 1 });
    await tasksIn(store).delete('batch');
    expect(await tasksIn(store).find('x')).toBeUndefined();
  });

  test('charges are kept when their project goes, and storage is summed exactly', async () => {
    const charge = {
      billing_group: 'g',
      project_id: PROJECT,
      project_name: 'P',
      task_name: 't',
      app_name: 'a',
      ran_by: 'alice',
      status: 'RUNNING',
      time_finished: null,
      amount_micros: 100_000,
      refunded_micros: 0,
    };
    await chargesIn(store).insert([
      { ...charge, task_id: 't1', time_started: '2026-01-01T00:00:00.000Z' },
      { ...charge, task_id: 't2', time_started: '2026-02-01T00:00:00.000Z' },
    ]);
    const size = 5 * 1024 ** 4;
    await filesIn(store).insert(file({ id: 'big', size, blob_key: 'b1' }));
    await filesIn(store).insert(file({ id: 'also', size: 1, blob_key: 'b2' }));
    await filesIn(store).insert(file({ id: 'old', size: 7, blob_key: 'b3', is_archived: 1 }));
    await filesIn(store).insert(file({ id: 'alias', size: 9, volume_id: 'v', location: 'l' }));
    const stored = { projectId: PROJECT, active: BigInt(size) + 1n, archived: 7n };
    expect(await chargesIn(store).storedIn([PROJECT, 'none'])).toEqual([stored]);
    await projectsIn(store).delete(PROJECT);
    const ids = (rows: readonly { task_id: string }[]) => rows.map(({ task_id }) => task_id);
    expect(ids(await chargesIn(store).all({ billingGroup: 'g' }))).toEqual(['t1', 't2']);
    const before = { billingGroup: 'g', before: '2026-02-01T00:00:00.000Z' };
    expect(ids(await chargesIn(store).all(before))).toEqual(['t1']);
    await chargesIn(store).insert([
      { ...charge, task_id: 't3', time_started: '2026-02-28T23:59:59.999Z', amount_micros: 205_001 },
    ]);
    expect(await chargesIn(store).byMonth({ billingGroup: 'g' })).toEqual([
      { month: '2026-02', micros: 305_001 },
      { month: '2026-01', micros: 100_000 },
    ]);
  });
}

const app = (id: string, fields: Partial<AppRow> = {}): AppRow => ({
  id: `${PROJECT}/${id}`,
  project_id: PROJECT,
  name: id,
  latest_revision: 0,
  is_public: 0,
  created_on: NOW,
  search_text: id,
  copy_of: null,
  copy_of_revision: null,
  ...fields,
});
const revision = (appId: string, number: number): AppRevisionRow => ({
  app_id: `${PROJECT}/${appId}`,
  revision: number,
  raw: '{}',
  created_by: 'alice',
  created_on: NOW,
  notes: null,
});

const task = (id: string, fields: Partial<TaskRow> = {}): TaskRow => ({
  id,
  project_id: PROJECT,
  name: id,
  status: 'DRAFT',
  app_id: `${PROJECT}/one`,
  app_revision: 0,
  created_by: 'alice',
  created_on: NOW,
  executed_by: null,
  start_time: null,
  end_time: null,
  parent_id: null,
  is_batch: 0,
  origin_id: null,
  details: '{}',
  ...fields,
});

const file = (fields: Partial<FileRow> & { id: string }): FileRow =>
  newFile({
    project_id: PROJECT,
    parent_id: null,
    name: fields.id,
    created_by: 'alice',
    created_on: NOW,
    ...fields,
  });
