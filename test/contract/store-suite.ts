import { afterEach, beforeEach, expect, test } from 'vitest';
import { newFile } from '../../src/service/files/new-file.ts';
import { blobGarbageIn } from '../../src/service/files/tables/blob-garbage-table.ts';
import type { FileRow } from '../../src/service/files/tables/file-table.ts';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import type { JobRow } from '../../src/service/jobs/job-table.ts';
import { jobsIn } from '../../src/service/jobs/job-table.ts';
import { ALL_PERMISSIONS } from '../../src/service/members/permissions.ts';
import { projectsIn } from '../../src/service/members/project-table.ts';
import type { AuditQuery } from '../../src/service/operations/audit/audit-table.ts';
import { auditIn } from '../../src/service/operations/audit/audit-table.ts';
import { rateWindowsIn } from '../../src/service/operations/rate-limit/rate-window-table.ts';
import { NEW_PROJECT_SETTINGS } from '../../src/service/projects/project-fields.ts';
import { databaseFailure } from '../../src/service/store/database-failure.ts';
import type { Store } from '../../src/service/store/store.ts';
import { uploadsIn } from '../../src/service/uploads/upload-table.ts';
import { tokensIn } from '../../src/service/users/token-table.ts';
import { usersIn } from '../../src/service/users/user-table.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const PROJECT = 'alice/p';
const ROOT = 'root';

export interface StoreFixture {
  /** A new, empty database. */
  open(): Promise<Store>;
  /** The same database again. */
  reopen(): Promise<Store>;
  clean(): Promise<void>;
}

/** The tests that every database behind the store must pass. */
export function storeSuite(fixture: () => StoreFixture): void {
  let store: Store;

  beforeEach(async () => {
    store = await fixture().open();
    await usersIn(store).insert({ username: 'alice', email: 'a@x', profile: '{}', created_on: NOW });
    await usersIn(store).insert({ username: 'bob', email: 'b@x', profile: '{}', created_on: NOW });
    await insertProject();
  });
  afterEach(async () => {
    await store.close();
    await fixture().clean();
  });

  async function insertProject(): Promise<void> {
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
      root_folder: ROOT,
      created_by: 'alice',
      created_on: NOW,
      modified_on: NOW,
    });
    await projectsIn(store).setMember(PROJECT, 'alice', ALL_PERMISSIONS);
    await filesIn(store).insert(file({ id: ROOT, parent_id: null, kind: 'folder' }));
  }

  function file(fields: Partial<FileRow> & { id: string }): FileRow {
    return newFile({
      project_id: PROJECT,
      parent_id: ROOT,
      name: fields.id,
      created_by: 'alice',
      created_on: NOW,
      ...fields,
    });
  }

  const listed = async (listing: object = {}, range = { offset: 0, limit: 100 }): Promise<string[]> =>
    (await filesIn(store).list({ parentId: ROOT, ...listing }, range)).rows.map(({ name }) => name);

  test('opening again keeps what there is', async () => {
    await store.close();
    store = await fixture().reopen();
    expect((await usersIn(store).find('alice'))?.email).toBe('a@x');
  });

  test('a transaction that fails leaves nothing', async () => {
    const failing = store.transaction(async (tx) => {
      await filesIn(tx).insert(file({ id: 'a' }));
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await filesIn(store).find('a')).toBeUndefined();
  });

  test('transactions at the same time do not see each other half done', async () => {
    const increment = () =>
      store.transaction(async (tx) => {
        const present = await filesIn(tx).find('n');
        if (present === undefined) await filesIn(tx).insert(file({ id: 'n', size: 1 }));
        else await filesIn(tx).update('n', { size: present.size + 1 });
      });
    await Promise.all(Array.from({ length: 30 }, increment));
    expect((await filesIn(store).find('n'))?.size).toBe(30);
  });

  test('a long transaction comes to its end among many short ones', async () => {
    for (let n = 0; n < 20; n += 1) await filesIn(store).insert(file({ id: `old${n}` }));
    let over = false;
    let inserted = 0;
    const insertOnAndOn = async (): Promise<void> => {
      while (!over) {
        await store.transaction(async (tx) => {
          inserted += 1;
          const id = `new${inserted}`;
          if ((await filesIn(tx).findChild(ROOT, id)) === undefined) await filesIn(tx).insert(file({ id }));
        });
      }
    };
    const others = [insertOnAndOn(), insertOnAndOn()];
    const seen = await store.transaction(async (tx) => {
      const children = await filesIn(tx).children(ROOT);
      for (const child of children) await filesIn(tx).update(child.id, { size: children.length });
      return children.length;
    });
    over = true;
    await Promise.all(others);
    expect(await filesIn(store).count({ parentId: ROOT })).toBeGreaterThan(20);
    expect((await filesIn(store).find('old0'))?.size).toBe(seen);
  });

  test('a name is taken once in a folder', async () => {
    await filesIn(store).insert(file({ id: 'a', name: 'same' }));
    const error = await filesIn(store)
      .insert(file({ id: 'b', name: 'same' }))
      .catch((reason) => reason);
    expect(databaseFailure(error)).toBe('taken');
    await filesIn(store).insert(file({ id: 'c', parent_id: 'a', name: 'same' }));
  });

  test('sizes up to five tebibytes are exact', async () => {
    const size = 5 * 1024 ** 4 - 1;
    await filesIn(store).insert(file({ id: 'big', size }));
    expect((await filesIn(store).find('big'))?.size).toBe(size);
  });

  test('pages and totals follow every change between them', async () => {
    const page = async (offset: number) => {
      const { rows, total } = await filesIn(store).list({ parentId: ROOT }, { offset, limit: 2 });
      return [...rows.map(({ name }) => name), total];
    };
    for (const id of ['b', 'd', 'f', 'h', 'j']) await filesIn(store).insert(file({ id }));
    expect(await page(0)).toEqual(['b', 'd', 5]);
    expect(await page(3)).toEqual(['h', 'j', 5]);
    expect(await page(2)).toEqual(['f', 'h', 5]);
    expect(await page(2)).toEqual(['f', 'h', 5]);
    await filesIn(store).insert(file({ id: 'a' }));
    expect(await page(2)).toEqual(['d', 'f', 6]);
    expect(await page(4)).toEqual(['h', 'j', 6]);
    const other = await fixture().reopen();
    await filesIn(other).delete({ id: 'a', blob_key: null }, NOW);
    await other.close();
    expect(await page(4)).toEqual(['j', 5]);
    expect(await page(6)).toEqual([5]);
    await store.transaction((tx) => filesIn(tx).update('j', { name: 'c' }));
    expect(await page(2)).toEqual(['d', 'f', 5]);
  });

  test('names sort by their bytes, not by language, and pages join', async () => {
    const names = ['a', 'B', 'é', '10', '9', 'Z', '😀', 'a b', '\uffff'];
    for (const name of names) await filesIn(store).insert(file({ id: name, name }));
    const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(await listed()).toEqual(sorted);
    const pages = [
      await listed({}, { offset: 0, limit: 4 }),
      await listed({}, { offset: 4, limit: 4 }),
      await listed({}, { offset: 8, limit: 4 }),
    ];
    expect(pages.flat()).toEqual(sorted);
    expect(await listed({ afterName: 'a b' })).toEqual(sorted.slice(sorted.indexOf('a b') + 1));
  });

  test('filters are exact; values are alternatives, filters add up', async () => {
    for (const id of ['x', 'y', 'z']) await filesIn(store).insert(file({ id, origin_task: `t-${id}` }));
    await filesIn(store).mergeMetadata('x', { k: 'a', l: '1' });
    await filesIn(store).mergeMetadata('y', { k: 'b', l: '1' });
    await filesIn(store).mergeMetadata('z', { K: 'a' });
    await filesIn(store).replaceTags('x', ['t']);
    const k = (...values: string[]) => ({ key: 'k', values });
    expect(await listed({ names: ['x', 'z', 'q'] })).toEqual(['x', 'z']);
    expect(await listed({ metadata: [k('a')] })).toEqual(['x']);
    expect(await listed({ metadata: [k('a', 'b')] })).toEqual(['x', 'y']);
    expect(await listed({ metadata: [k('a', 'b'), { key: 'l', values: ['1'] }], tags: ['t'] })).toEqual([
      'x',
    ]);
    expect(await listed({ originTasks: ['t-y'] })).toEqual(['y']);
    expect(await filesIn(store).count({ parentId: ROOT, metadata: [k('a', 'b')] })).toBe(2);
  });

  test('nothing is found by text that cannot be stored', async () => {
    expect(await filesIn(store).find('\0')).toBeUndefined();
    expect(await listed({ names: ['a\0', '\ud800'] })).toEqual([]);
  });

  test('metadata merges and is replaced; keys differ by case', async () => {
    await filesIn(store).insert(file({ id: 'm' }));
    await filesIn(store).mergeMetadata('m', { a: '1', A: '2' });
    await filesIn(store).mergeMetadata('m', { a: '3' });
    expect(await filesIn(store).metadata('m')).toEqual({ a: '3', A: '2' });
    await filesIn(store).replaceMetadata('m', { b: '' });
    expect(await filesIn(store).metadata('m')).toEqual({ b: '' });
  });

  test('tags keep their order', async () => {
    const row = file({ id: 't' });
    await filesIn(store).insert(row);
    await filesIn(store).replaceTags('t', ['z', 'a', 'm']);
    const [detailed] = await filesIn(store).withDetails([row]);
    expect(detailed?.tags).toEqual(['z', 'a', 'm']);
  });

  test('a blob becomes garbage with its last file', async () => {
    for (const id of ['one', 'two']) await filesIn(store).insert(file({ id, blob_key: 'blob' }));
    await filesIn(store).delete({ id: 'one', blob_key: 'blob' }, NOW);
    expect(await blobGarbageIn(store).unusedSince(NOW, 10)).toEqual([]);
    await filesIn(store).delete({ id: 'two', blob_key: 'blob' }, NOW);
    expect(await blobGarbageIn(store).unusedSince('2025-12-31T23:59:59.999Z', 10)).toEqual([]);
    expect(await blobGarbageIn(store).unusedSince(NOW, 10)).toEqual(['blob']);
    await blobGarbageIn(store).forget('blob');
    expect(await blobGarbageIn(store).unusedSince(NOW, 10)).toEqual([]);
  });

  test('a blob that is given away is told while a file uses it, and is garbage with that', async () => {
    const blobGarbage = blobGarbageIn(store);
    const files = filesIn(store);
    const [before, later] = ['2025-12-31T23:59:59.999Z', '2099-01-01T00:00:00.000Z'];
    await files.insert(file({ id: 'giver', blob_key: 'given' }));
    await blobGarbage.giveAway('given', NOW);
    await blobGarbage.giveAway('given', NOW);
    expect(await blobGarbage.givenAwayUntil(before, 10)).toEqual([]);
    expect(await blobGarbage.givenAwayUntil(NOW, 10)).toEqual(['given']);
    expect(await blobGarbage.unusedSince(NOW, 10)).toEqual([]);
    await files.delete({ id: 'giver', blob_key: 'given' }, later);
    // Of what happened meanwhile nothing is forgotten.
    await blobGarbage.forgetUntil('given', NOW);
    expect(await blobGarbage.givenAwayUntil(later, 10)).toEqual([]);
    expect(await blobGarbage.unusedSince(NOW, 10)).toEqual([]);
    expect(await blobGarbage.unusedSince(later, 10)).toEqual(['given']);
    await blobGarbage.forgetUntil('given', later);
    expect(await blobGarbage.unusedSince(later, 10)).toEqual([]);
  });

  test('a token works until it expires or is revoked, or its user is disabled', async () => {
    const token = { username: 'alice', created_on: NOW };
    const later = '2099-01-01T00:00:00.000Z';
    const userOf = async (hash: string, now: string) => (await tokensIn(store).findGood(hash, now))?.username;
    await tokensIn(store).insert({ ...token, hash: 'for-ever' });
    await tokensIn(store).insert({ ...token, hash: 'an-hour', expires_on: '2026-01-01T01:00:00.000Z' });
    expect(await userOf('an-hour', '2026-01-01T00:59:59.999Z')).toBe('alice');
    expect(await userOf('an-hour', '2026-01-01T01:00:00.000Z')).toBeUndefined();
    expect(await userOf('for-ever', later)).toBe('alice');
    await usersIn(store).setDisabled('alice', NOW);
    expect(await userOf('for-ever', later)).toBeUndefined();
    await usersIn(store).setDisabled('alice', null);
    expect(await userOf('for-ever', later)).toBe('alice');
    await tokensIn(store).revoke('for-ever', NOW);
    expect(await userOf('for-ever', NOW)).toBeUndefined();
    expect(await userOf('unknown', NOW)).toBeUndefined();
  });

  test('a use of a token is noted, unless one was lately', async () => {
    await tokensIn(store).insert({ username: 'alice', created_on: NOW, hash: 'used' });
    const [first, second, third] = [0, 1, 2].map((n) => `2026-01-01T0${n}:00:00.000Z`) as [
      string,
      string,
      string,
    ];
    await tokensIn(store).noteUse('used', { now: first, before: first });
    await tokensIn(store).noteUse('used', { now: second, before: first });
    expect(await tokensIn(store).findGood('used', NOW)).toMatchObject({ last_used_on: first });
    await tokensIn(store).noteUse('used', { now: third, before: second });
    expect(await tokensIn(store).findGood('used', NOW)).toMatchObject({ last_used_on: third });
  });

  test('a token is found by the beginning of its hash', async () => {
    for (const hash of ['abf0', 'abf1', 'abff', 'ac00']) {
      await tokensIn(store).insert({ username: 'alice', created_on: NOW, hash });
    }
    const found = async (prefix: string) =>
      (await tokensIn(store).findByPrefix(prefix)).map(({ hash }) => hash);
    expect(await found('abf0')).toEqual(['abf0']);
    expect(await found('abff')).toEqual(['abff']);
    expect(await found('abf')).toHaveLength(2);
    expect(await found('ad')).toEqual([]);
  });

  test('the audit log is asked by who, what, to what and when, and forgets only what is old', async () => {
    const entry = (n: number, username: string, action: string, object: string) => ({
      at: `2026-01-01T00:00:0${n}.000Z`,
      id: String(n),
      request_id: 'request',
      username,
      token: null,
      address: null,
      action,
      object,
      status: 200,
      code: null,
      detail: null,
    });
    const entries = [
      entry(1, 'alice', 'file.edit', 'f1'),
      entry(2, 'bob', 'file.delete', 'f1'),
      entry(3, 'alice', 'files', 'f2'),
      entry(4, 'alice', 'file', 'f2'),
    ];
    await auditIn(store).append(entries);
    // A batch whose answer was lost is sent again.
    await auditIn(store).append(entries.slice(2));
    const found = async (query: Partial<AuditQuery>) =>
      (await auditIn(store).list({ limit: 10, ...query })).map(({ id }) => id).join('');
    expect(await found({})).toBe('4321');
    expect(await found({ limit: 2 })).toBe('43');
    expect(await found({ username: 'alice' })).toBe('431');
    expect(await found({ object: 'f1' })).toBe('21');
    expect(await found({ action: 'file' })).toBe('421');
    expect(await found({ action: 'file.delete' })).toBe('2');
    expect(await found({ since: entry(2, '', '', '').at, until: entry(4, '', '', '').at })).toBe('32');
    expect(await auditIn(store).removeBefore(entry(4, '', '', '').at, 2)).toBe(2);
    expect(await found({})).toBe('43');
    expect(await auditIn(store).removeBefore(entry(4, '', '', '').at, 2)).toBe(1);
    expect(await found({})).toBe('4');
    expect(await auditIn(store).removeBefore(entry(4, '', '', '').at, 2)).toBe(0);
  });

  test('members are added once and updated after', async () => {
    const reader = { ...ALL_PERMISSIONS, write: false, admin: false };
    await projectsIn(store).setMember(PROJECT, 'bob', ALL_PERMISSIONS);
    await projectsIn(store).setMember(PROJECT, 'bob', reader);
    expect(await projectsIn(store).permissionsOf('bob', PROJECT)).toEqual(reader);
    expect((await projectsIn(store).members(PROJECT, { offset: 0, limit: 10 })).total).toBe(2);
    expect((await projectsIn(store).list({ member: 'bob' }, { offset: 0, limit: 10 })).total).toBe(1);
    await projectsIn(store).removeMember(PROJECT, 'bob');
    expect(await projectsIn(store).findFor('bob', PROJECT)).toBeUndefined();
  });

  test('a deleted project takes its files, their metadata and its members along', async () => {
    await filesIn(store).insert(file({ id: 'f', blob_key: 'blob' }));
    await filesIn(store).mergeMetadata('f', { a: 'b' });
    expect(await filesIn(store).blobsOfProject(PROJECT)).toEqual(['blob']);
    await projectsIn(store).delete(PROJECT);
    expect(await filesIn(store).find('f')).toBeUndefined();
    expect(await filesIn(store).metadata('f')).toEqual({});
    expect(await projectsIn(store).permissionsOf('alice', PROJECT)).toBeUndefined();
  });

  test('an upload is deleted once, with its parts; a part is reported again in place', async () => {
    await uploadsIn(store).insert({
      id: 'u',
      project_id: PROJECT,
      parent_id: ROOT,
      name: 'n',
      size: null,
      part_size: 1,
      md5: null,
      overwrite: 0,
      created_by: 'alice',
      initiated: NOW,
      target: '{}',
    });
    const many = Array.from({ length: 1200 }, (_, at) => ({ part_number: at + 1, etag: 'e', size: 5 }));
    await uploadsIn(store).report('u', many);
    await uploadsIn(store).report('u', [{ part_number: 7, etag: 'new', size: 6 }]);
    expect(await uploadsIn(store).countParts('u')).toBe(1200);
    expect((await uploadsIn(store).parts('u'))[6]).toEqual({ part_number: 7, etag: 'new', size: 6 });
    expect(await uploadsIn(store).delete('u')).toBe(true);
    expect(await uploadsIn(store).delete('u')).toBe(false);
    expect(await uploadsIn(store).countParts('u')).toBe(0);
  });

  test('a project is found by tag exactly, and by part of its name without case', async () => {
    await projectsIn(store).update(PROJECT, { name: 'Trios 50%', tags: '["Exome","a_b"]' });
    const found = async (filter: object): Promise<number> =>
      (await projectsIn(store).list({ member: 'alice', ...filter }, { offset: 0, limit: 10 })).total;
    expect(await found({ tags: ['Exome', 'a_b'] })).toBe(1);
    expect(await found({ tags: ['exome'] })).toBe(0);
    expect(await found({ tags: ['axb'] })).toBe(0);
    expect(await found({ name: 'tRIO' })).toBe(1);
    expect(await found({ name: '0%' })).toBe(1);
    expect(await found({ name: 't%s' })).toBe(0);
  });

  test('each job is leased once, the oldest first, whoever asks at the same time', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `job${String(n).padStart(2, '0')}`);
    await jobsIn(store).insert(ids.map((id, n) => job({ id, created_on: time(n) })));
    const taken: string[] = [];
    const work = async (worker: string): Promise<void> => {
      for (;;) {
        const leased = await jobsIn(store).lease(worker, { now: time(100), until: time(115) });
        if (leased === undefined) return;
        taken.push(leased.id);
      }
    };
    expect((await jobsIn(store).lease('first', { now: time(100), until: time(115) }))?.id).toBe('job00');
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(work));
    expect(taken.sort()).toEqual(ids.slice(1));
  });

  test('a lease that is renewed holds; one that has run out goes to the next, who alone can record', async () => {
    await jobsIn(store).insert([job({ id: 'j' })]);
    await jobsIn(store).lease('slow', { now: time(0), until: time(15) });
    expect(await jobsIn(store).renew({ jobId: 'j', worker: 'slow' }, time(30))).toBe(true);
    expect(await jobsIn(store).lease('quick', { now: time(20), until: time(35) })).toBeUndefined();
    const leased = await jobsIn(store).lease('quick', { now: time(30), until: time(45) });
    expect(leased).toMatchObject({ id: 'j', attempts: 2, leased_by: 'quick' });
    expect(await jobsIn(store).renew({ jobId: 'j', worker: 'slow' }, time(60))).toBe(false);
    const late = jobsIn(store).record({ jobId: 'j', worker: 'slow' }, { state: 'COMPLETED' });
    await expect(late).rejects.toThrow('holds job j no more');
    const held = store.transaction((tx) => jobsIn(tx).hold({ jobId: 'j', worker: 'slow' }));
    await expect(held).rejects.toThrow('holds job j no more');
    await jobsIn(store).record({ jobId: 'j', worker: 'quick' }, { state: 'COMPLETED' });
    expect(await jobsIn(store).lease('third', { now: time(100), until: time(115) })).toBeUndefined();
  });

  test('requests are counted up to the limit in a window, however many come at once', async () => {
    const count = (now: number) => rateWindowsIn(store).count('key', { now, ends: now + 1000, most: 5 });
    const find = (now: number, key = 'key') => rateWindowsIn(store).find(key, { now, ends: now + 1000 });
    const counted = await Promise.all(Array.from({ length: 12 }, () => count(0)));
    expect(counted.flatMap((window) => window?.used ?? []).sort()).toEqual([1, 2, 3, 4, 5]);
    expect(await find(999)).toEqual({ ends: 1000, used: 5 });
    expect(await find(1000)).toBeUndefined();
    expect(await count(999)).toBeUndefined();
    expect(await count(1000)).toEqual({ ends: 2000, used: 1 });
    expect(await find(0, 'other')).toBeUndefined();
    // One other process has a clock that is a little behind. The clock of another one was set back.
    expect(await count(500)).toEqual({ ends: 2000, used: 2 });
    expect(await find(-3_600_000)).toBeUndefined();
    expect(await count(-3_600_000)).toEqual({ ends: -3_599_000, used: 1 });
  });
}

/** So many seconds after the beginning. */
function time(seconds: number): string {
  return new Date(Date.parse(NOW) + seconds * 1000).toISOString();
}

function job(fields: Partial<JobRow> & { id: string }): JobRow {
  return {
    kind: 'export',
    created_by: 'alice',
    state: 'PENDING',
    project_id: null,
    volume_id: null,
    request: '{}',
    result: null,
    error: null,
    created_on: NOW,
    started_on: null,
    finished_on: null,
    leased_by: null,
    lease_until: null,
    attempts: 0,
    ...fields,
  };
}
