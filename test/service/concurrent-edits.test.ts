/** Of two calls at once that change the same, neither undoes what the other has done. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { interrupted } from './interrupted.ts';
import { type Answer, TestService, type TestUser } from './test-service.ts';
import { TestVolume } from './volume-world.ts';

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
