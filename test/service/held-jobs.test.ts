/**
 * A job makes its changes under its lease, however long they take: no worker takes the job over meanwhile, though the
 * lease has run out. On SQLite nothing else happens while a transaction is under way.
 */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { JOB_WORKS } from '../../src/service/job-works.ts';
import { jobsIn } from '../../src/service/jobs/job-table.ts';
import { Worker } from '../../src/service/jobs/worker.ts';
import { waitUntil } from '../support/wait-until.ts';
import { TestService, type TestUser } from './test-service.ts';
import { TestVolume } from './volume-world.ts';

const LONG_AFTER = { now: '2999-01-01T00:00:00.000Z', until: '2999-01-01T00:00:15.000Z' };

describe.skipIf(inject('postgres') === undefined)('a job at work in a transaction', () => {
  let service: TestService;
  let alice: TestUser;
  let volume: TestVolume;
  let folder: string;
  let file: string;

  beforeAll(async () => {
    service = await TestService.start({ workers: false });
    alice = await service.user('alice');
    volume = await TestVolume.make(service, alice, { name: 'rw' });
    await volume.lay('run/object', 'bytes');
    folder = (await alice.project('Project')).root_folder;
    file = (await alice.upload(folder, 'file')).id;
  });
  afterAll(() => service.stop());

  /** Each time before a transaction records what it did, somebody asks for a job whose lease has run out by far. */
  function askForIt(): { readonly taken: unknown[]; readonly stop: () => void } {
    const { store } = service.services;
    const { transaction } = store;
    const taken: unknown[] = [];
    store.transaction = (work) => {
      return transaction.call(store, (tx) => {
        const record = jobsIn(tx).record.bind(jobsIn(tx));
        jobsIn(tx).record = async (...progress) => {
          taken.push(await jobsIn(store).lease('another', LONG_AFTER));
          return record(...progress);
        };
        return work(tx);
      }) as never;
    };
    return { taken, stop: () => Object.assign(store, { transaction }) };
  }

  const submissions = {
    'storage/imports': () => ({
      source: { volume: volume.id, location: 'run/' },
      destination: { parent: folder },
      preserve_folder_structure: true,
    }),
    'storage/exports': () => ({ source: { file }, destination: { volume: volume.id, location: 'exported' } }),
    'async/files/copy': () => ({ items: [{ file, parent: folder, name: 'copy' }] }),
  };

  test.each(Object.entries(submissions))('is not taken over: %s', async (path, body) => {
    const { id } = (await alice.post(`/${path}`, body())).body;
    const asking = askForIt();
    const worker = new Worker(service.services, JOB_WORKS, { pollSeconds: 60 });
    worker.start();
    try {
      await waitUntil(async () => (await alice.get(`/${path}/${id}`)).body.finished_on !== undefined);
    } finally {
      await worker.stop();
      asking.stop();
    }
    expect((await alice.get(`/${path}/${id}`)).body.state).toMatch(/COMPLETED|FINISHED/);
    expect(asking.taken.length).toBeGreaterThan(0);
    expect(asking.taken.filter((job) => job !== undefined)).toEqual([]);
  });
});
