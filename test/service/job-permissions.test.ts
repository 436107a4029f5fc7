/** A job stops doing the things that its user had the right to do at submission, once that right is gone. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { JOB_WORKS } from '../../src/service/job-works.ts';
import { jobsIn } from '../../src/service/jobs/job-table.ts';
import { Worker } from '../../src/service/jobs/worker.ts';
import { usersIn } from '../../src/service/users/user-table.ts';
import { type Answer, TestService, type TestUser } from './test-service.ts';
import { ended, TestVolume } from './volume-world.ts';

let service: TestService;
let alice: TestUser;
let bob: TestUser;
let project: { readonly id: string; readonly root_folder: string };
let volume: TestVolume;
let count = 0;

beforeAll(async () => {
  // Nobody works: jobs wait until a test lets them be done.
  service = await TestService.start({ workers: false });
  alice = await service.user('alice');
});
afterAll(() => service.stop());

beforeEach(async () => {
  count += 1;
  bob = await service.user(`bob${count}`);
  project = await alice.project(`Project ${count}`);
  volume = await TestVolume.make(service, alice, { name: `volume_${count}` });
  await volume.lay('in', 'content');
  const everything = { read: true, copy: true, write: true };
  await alice.post(`/projects/${project.id}/members`, { username: bob.username, permissions: everything });
  await alice.post(`/storage/volumes/${volume.id}/members`, {
    username: bob.username,
    permissions: everything,
  });
});

const setPermissions = (of: string, permissions: object) =>
  alice.call('PUT', `${of}/members/${bob.username}/permissions`, { body: permissions });
const leave = (of: string) => alice.call('DELETE', `${of}/members/${bob.username}`);

/** Lets the job be done, and answers its end. */
async function run(submitted: Answer): Promise<Answer['body']> {
  expect(submitted.status).toBe(200);
  const worker = new Worker(service.services, JOB_WORKS);
  worker.start();
  try {
    return await ended(bob, submitted.body);
  } finally {
    await worker.stop();
  }
}

describe('an import', () => {
  const submit = () =>
    bob.post('/storage/imports', {
      source: { volume: volume.id, location: 'in' },
      destination: { project: project.id, name: 'alias' },
    });

  test.each([
    ['a member of the volume no more', () => leave(`/storage/volumes/${volume.id}`), 404, 9007],
    [
      'without copy on the volume',
      () => setPermissions(`/storage/volumes/${volume.id}`, { copy: false }),
      403,
      9020,
    ],
    ['a member of the project no more', () => leave(`/projects/${project.id}`), 404, 5026],
    [
      'without write in the project',
      () => setPermissions(`/projects/${project.id}`, { write: false }),
      403,
      9003,
    ],
  ])('of one who is %s fails, and makes nothing', async (_, change, status, code) => {
    const submitted = await submit();
    expect((await change()).status).toBeLessThan(300);
    expect(await run(submitted)).toMatchObject({ state: 'FAILED', error: { status, code } });
    expect((await alice.get(`/files/${project.root_folder}/list`)).body.items).toEqual([]);
  });
});

describe('an export', () => {
  const submit = async (copyOnly = false) => {
    const file = await alice.upload(project.root_folder, `file ${copyOnly}`);
    const body = { source: { file: file.id }, destination: { volume: volume.id, location: 'out' } };
    return { file, submitted: await bob.post(`/storage/exports?copy_only=${copyOnly}`, body) };
  };

  test.each([
    ['a member of the volume no more', false, () => leave(`/storage/volumes/${volume.id}`), 404, 9007],
    [
      'without write on the volume',
      false,
      () => setPermissions(`/storage/volumes/${volume.id}`, { write: false }),
      403,
      9020,
    ],
    ['a member of the project no more', false, () => leave(`/projects/${project.id}`), 404, 9109],
    [
      'without write in the project',
      false,
      () => setPermissions(`/projects/${project.id}`, { write: false }),
      403,
      9004,
    ],
    [
      'without copy in the project',
      true,
      () => setPermissions(`/projects/${project.id}`, { copy: false }),
      403,
      9004,
    ],
  ])(
    'of one who is %s fails, and puts nothing (copy only: %s)',
    async (_, copyOnly, change, status, code) => {
      const { file, submitted } = await submit(copyOnly);
      expect((await change()).status).toBeLessThan(300);
      expect(await run(submitted)).toMatchObject({ state: 'FAILED', error: { status, code } });
      await expect(volume.read('out')).rejects.toThrow('ENOENT');
      expect((await alice.get(`/files/${file.id}`)).body.storage.type).toBe('PLATFORM');
    },
  );

  test('of one who has still the right is done', async () => {
    const { submitted } = await submit();
    expect(await run(submitted)).toMatchObject({ state: 'COMPLETED' });
  });
});

test('the jobs of a user who is disabled are not done', async () => {
  const body = {
    source: { volume: volume.id, location: 'in' },
    destination: { project: project.id, name: 'alias' },
  };
  const submitted = await bob.post('/storage/imports', body);
  const { store } = service.services;
  await usersIn(store).setDisabled(bob.username, '2026-01-01T00:00:00.000Z');
  const worker = new Worker(service.services, JOB_WORKS);
  worker.start();
  try {
    await expect
      .poll(async () => (await jobsIn(store).findMany([submitted.body.id]))[0])
      .toMatchObject({ state: 'FAILED', error: expect.stringContaining('90002') });
  } finally {
    await worker.stop();
  }
  expect((await bob.get('/user')).status).toBe(401);
});
