/** Of two calls at once that change the same, neither undoes what the other has done. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { JOB_WORKS } from '../../src/service/job-works.ts';
import { Worker } from '../../src/service/jobs/worker.ts';
import { interrupted } from './interrupted.ts';
import { type Answer, TestService, type TestUser } from './test-service.ts';
import { ended, TestVolume } from './volume-world.ts';

let service: TestService;
let alice: TestUser;
let carol: TestUser;
let project: { readonly id: string; readonly root_folder: string };
let volume: TestVolume;
let count = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: false });
  alice = await service.user('alice');
  await service.user('bob');
  carol = await service.user('carol');
});
afterAll(() => service.stop());
beforeEach(async () => {
  count += 1;
  project = await alice.project(`Project ${count}`);
  volume = await TestVolume.make(service, alice, { name: `volume_${count}` });
});

describe.each([
  {
    what: 'project',
    address: () => `/projects/${project.id}`,
    own: { table: 'projects', read: 'findFor' },
    member: { table: 'projects', read: 'permissionsOf' },
    refusal: 3001,
  },
  {
    what: 'volume',
    address: () => `/storage/volumes/${volume.id}`,
    own: { table: 'volumes', read: 'findFor' },
    member: { table: 'volumeMembers', read: 'find' },
    refusal: 9020,
  },
] as const)('a member of a $what', ({ address, own, member, refusal }) => {
  const members = () => `${address()}/members`;
  const permissions = async (): Promise<Answer['body']> =>
    (await alice.get(`${members()}/bob`)).body.permissions;
  const remove = () => alice.call('DELETE', `${members()}/bob`);
  const edit = (username: string, body: object, user = alice) =>
    user.call('PATCH', `${members()}/${username}/permissions`, { body });

  beforeEach(async () => {
    await alice.post(members(), { username: 'bob', permissions: { read: true, write: true, copy: true } });
    await alice.post(members(), { username: 'carol', permissions: { read: true, admin: true } });
  });

  test('who is removed while their permissions are edited does not come back', async () => {
    const answer = await interrupted(service.services.store, () => edit('bob', { copy: true }), {
      ...member,
      by: remove,
    });
    expect(answer).toMatchObject({ status: 404, body: { code: 3002 } });
    expect((await alice.get(`${members()}/bob`)).status).toBe(404);
  });

  test('who is removed while being added again has nothing from before', async () => {
    const body = { username: 'bob', permissions: { read: true, copy: true } };
    await interrupted(service.services.store, () => alice.post(members(), body), { ...member, by: remove });
    expect(await permissions()).toMatchObject({ copy: true, write: false });
  });

  test('loses what one edit takes away, although another gives something', async () => {
    await interrupted(service.services.store, () => edit('bob', { copy: true }), {
      ...member,
      by: () => edit('bob', { write: false }),
    });
    expect(await permissions()).toMatchObject({ write: false, copy: true });
  });

  // On PostgreSQL such a call counts as made before the other, whose outcome is the same in that order.
  test.skipIf(inject('postgres') !== undefined).each([
    ['edits', () => edit('bob', { admin: true }, carol)],
    ['adds', () => carol.post(members(), { username: 'bob', permissions: { admin: true } })],
    ['removes', () => carol.call('DELETE', `${members()}/bob`)],
  ])('who is an administrator no more %s nobody', async (_, call) => {
    const answer = await interrupted(service.services.store, call, {
      ...own,
      by: () => edit('carol', { admin: false }),
    });
    expect(answer).toMatchObject({ status: 403, body: { code: refusal } });
    expect(await permissions()).toMatchObject({ admin: false, write: true });
  });
});

test('two edits of the settings of a project leave what both have set', async () => {
  const set = (settings: object) => alice.call('PATCH', `/projects/${project.id}`, { body: { settings } });
  await interrupted(service.services.store, () => set({ locked: true }), {
    table: 'projects',
    read: 'findFor',
    by: () => set({ use_interruptible_instances: true }),
  });
  expect((await alice.get(`/projects/${project.id}`)).body.settings).toMatchObject({
    locked: true,
    use_interruptible_instances: true,
  });
});

test('two edits of a draft of a task leave what both have set', async () => {
  const app = `${project.id}/app`;
  const tool = { class: 'CommandLineTool', inputs: { a: 'string?', b: 'string?' }, outputs: {} };
  await alice.post(`/apps/${app}/raw`, tool);
  const { id } = (await alice.post('/tasks', { project: project.id, app, name: 'Task' })).body;
  const set = (inputs: object) => alice.call('PATCH', `/tasks/${id}`, { body: { inputs } });
  const edited = await interrupted(service.services.store, () => set({ a: 'mine' }), {
    table: 'tasks',
    read: 'find',
    by: () => set({ b: 'theirs' }),
  });
  expect(edited.status).toBe(200);
  expect((await alice.get(`/tasks/${id}`)).body.inputs).toEqual({ a: 'mine', b: 'theirs' });
});

describe('a volume', () => {
  const address = () => `/storage/volumes/${volume.id}`;
  const patch = (body: object, query = '') => alice.call('PATCH', `${address()}${query}`, { body });
  const amid = <Result>(call: () => Promise<Result>, by: () => Promise<unknown>) =>
    interrupted(service.services.store, call, { table: 'volumes', read: 'findFor', by });

  test('stays as another call has left it, in all that an edit does not name', async () => {
    const edited = await amid(
      () => patch({ service: { properties: { sse_algorithm: null } } }),
      () => patch({ active: false, access_mode: 'RO', description: 'closed' }),
    );
    const kept = { active: false, access_mode: 'RO', description: 'closed' };
    expect(edited).toMatchObject({ status: 200, body: kept });
    expect((await alice.get(address())).body).toMatchObject({
      ...kept,
      service: { properties: { sse_algorithm: null } },
    });
  });

  test('is not given a service that was made of one it has no more', async () => {
    const edited = await amid(
      () => patch({ service: { properties: { sse_algorithm: null } } }),
      () => patch({ service: { prefix: 'new' } }),
    );
    expect(edited).toMatchObject({ status: 409, body: { code: 9069 } });
    const { body } = await alice.get(address());
    expect(body.service).toMatchObject({ prefix: 'new' });
    expect(body.service.properties).not.toMatchObject({ sse_algorithm: null });
  });

  test('that is made active again is not deleted', async () => {
    await patch({ active: false });
    const deleted = await amid(
      () => alice.call('DELETE', address()),
      () => patch({ active: true }),
    );
    expect(deleted).toMatchObject({ status: 409, body: { code: 9069 } });
    expect((await alice.get(address())).body).toMatchObject({ active: true });
  });

  test('is not deleted before a job that was submitted while it was deactivated has ended', async () => {
    const submitted = await amid(
      () =>
        alice.post('/storage/imports', {
          source: { volume: volume.id, location: 'object' },
          destination: { project: project.id },
        }),
      () => patch({ active: false }),
    );
    expect(submitted.status).toBe(200);
    expect(await alice.call('DELETE', address())).toMatchObject({ status: 409, body: { code: 9069 } });
    const worker = new Worker(service.services, JOB_WORKS);
    worker.start();
    await ended(alice, submitted.body).finally(() => worker.stop());
    expect((await alice.call('DELETE', address())).status).toBe(204);
  });
});

describe('a job at work on a volume', () => {
  const patch = (body: object) => alice.call('PATCH', `/storage/volumes/${volume.id}`, { body });

  /** Submits the job, lets it be done with the volume changed once it has begun, and answers its end. */
  async function changedMeanwhile(submitted: Answer, change: object): Promise<Answer['body']> {
    expect(submitted.status).toBe(200);
    const worker = new Worker(service.services, JOB_WORKS);
    const run = async (): Promise<Answer['body']> => {
      worker.start();
      return ended(alice, submitted.body).finally(() => worker.stop());
    };
    const by = () => patch(change);
    return interrupted(service.services.store, run, { table: 'volumes', read: 'findFor', by });
  }

  test.each([
    ['leads to another bucket', () => ({ service: { bucket: `other-${count}` } }), 409, 9069],
    ['may not be written to', () => ({ access_mode: 'RO' }), 403, 9026],
  ])('that %s meanwhile lets go of no content', async (_, change, status, code) => {
    const file = await alice.upload(project.root_folder, 'file', 'content');
    const submitted = await alice.post('/storage/exports', {
      source: { file: file.id },
      destination: { volume: volume.id, location: 'out' },
    });
    const job = await changedMeanwhile(submitted, change());
    expect(job).toMatchObject({ state: 'FAILED', error: { status, code } });
    expect((await alice.get(`/files/${file.id}`)).body.storage.type).toBe('PLATFORM');
    expect(await (await alice.download(file.id)).text()).toBe('content');
  });

  test('that leads to another bucket meanwhile makes no alias', async () => {
    await volume.lay('object', 'content');
    const submitted = await alice.post('/storage/imports', {
      source: { volume: volume.id, location: 'object' },
      destination: { project: project.id },
    });
    const job = await changedMeanwhile(submitted, { service: { bucket: `other-${count}` } });
    expect(job).toMatchObject({ state: 'FAILED', error: { status: 409, code: 9069 } });
    expect((await alice.get(`/files/${project.root_folder}/list`)).body.items).toEqual([]);
  });
});
