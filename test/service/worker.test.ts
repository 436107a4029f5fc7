import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JOB_WORKS } from '../../src/service/job-works.ts';
import { JobSignals } from '../../src/service/jobs/job-signals.ts';
import { Worker } from '../../src/service/jobs/worker.ts';
import { Sweeper } from '../../src/service/operations/sweeping/sweeper.ts';
import type { Services } from '../../src/service/services.ts';
import type { Bucket, PutOptions, PutSource } from '../../src/service/storage/objects/bucket.ts';
import { DatabaseError } from '../../src/service/store/database-failure.ts';
import { sweepsOf } from '../../src/service/sweeps.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Gate } from '../support/gate.ts';
import { waitUntil } from '../support/wait-until.ts';
import { TestService, type TestUser } from './test-service.ts';
import { TestVolume } from './volume-world.ts';

const LEASE_MS = 15_000;
const DAY_MS = 24 * 3600 * 1000;

let clock: FakeClock;
let service: TestService;
let alice: TestUser;
let volume: TestVolume;
let root: string;
let workers: Worker<Services>[];

beforeEach(async () => {
  clock = new FakeClock();
  workers = [];
  service = await TestService.start({ workers: false, clock });
  alice = await service.user('alice');
  volume = await TestVolume.make(service, alice, { name: 'volume' });
  root = (await alice.project('Project')).root_folder;
});

afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await service.stop();
});

/** A worker as another process would run it: it hears no signals but its own. */
function startWorker(changes: Partial<Services> = {}): Worker<Services> {
  const worker = new Worker(
    { ...service.services, jobSignals: new JobSignals(clock), ...changes },
    JOB_WORKS,
  );
  workers.push(worker);
  worker.start();
  return worker;
}

async function submitExport(name: string): Promise<{ readonly file: string; readonly job: string }> {
  const file = await alice.upload(root, name, `content of ${name}`);
  const { body } = await alice.post('/storage/exports', {
    source: { file: file.id },
    destination: { volume: volume.id, location: name },
  });
  return { file: file.id, job: body.id };
}

function readJob(id: string): Promise<{ state: string; error?: { code: number } }> {
  return alice.get(`/storage/exports/${id}`).then(({ body }) => body);
}

function ended(id: string) {
  return waitUntil(async () => {
    const job = await readJob(id);
    return ['COMPLETED', 'FAILED'].includes(job.state) ? job : undefined;
  });
}

/** Buckets whose puts go through `around`. */
function bucketsWith(
  around: (put: () => ReturnType<Bucket['put']>) => ReturnType<Bucket['put']>,
): Services['buckets'] {
  const { buckets } = service.services;
  const wrapped = {
    prepare: buckets.prepare.bind(buckets),
    identityOf: buckets.identityOf.bind(buckets),
    open: async (...place: Parameters<typeof buckets.open>): Promise<Bucket> => {
      const bucket = await buckets.open(...place);
      return {
        head: (key) => bucket.head(key),
        list: (query) => bucket.list(query),
        tryPut: (key) => bucket.tryPut(key),
        open: (key) => bucket.open(key),
        addressOf: (key, lifetimeSeconds) => bucket.addressOf(key, lifetimeSeconds),
        put: (key: string, source: PutSource, options: PutOptions) =>
          around(() => bucket.put(key, source, options)),
      };
    },
  };
  return wrapped as Services['buckets'];
}

const forever = new Promise<never>(() => undefined);

describe('a worker', () => {
  it('takes what was submitted before it started', async () => {
    const { job } = await submitExport('a');
    expect((await readJob(job)).state).toBe('PENDING');
    startWorker();
    expect((await ended(job)).state).toBe('COMPLETED');
  });

  it('shows a job at work as RUNNING', async () => {
    const { job } = await submitExport('a');
    const slow = new Gate();
    startWorker({ buckets: bucketsWith((put) => slow.opened.then(put)) });
    await waitUntil(async () => (await readJob(job)).state === 'RUNNING');
    slow.open();
    expect((await ended(job)).state).toBe('COMPLETED');
  });

  it('works on no more jobs at once than it may', async () => {
    for (let i = 0; i < 7; i++) await submitExport(`f${i}`);
    let atOnce = 0;
    let most = 0;
    const gate = new Gate();
    const buckets = bucketsWith(async (put) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await gate.opened;
      return put().finally(() => {
        atOnce -= 1;
      });
    });
    startWorker({ buckets });
    await waitUntil(() => atOnce === 4);
    gate.open();
    await waitUntil(async () => (await readdir(volume.directory)).length === 8);
    expect(most).toBe(4);
  });

  it('does a job again that failed only because the database did', async () => {
    const { job } = await submitExport('a');
    let puts = 0;
    startWorker({
      buckets: bucketsWith(async (put) => {
        puts += 1;
        if (puts === 1) throw new DatabaseError('unreachable', new Error('the connection broke'));
        return put();
      }),
    });
    expect(await ended(job)).toMatchObject({ state: 'COMPLETED' });
    expect(puts).toBe(2);
  });

  it('gives its jobs back when it is stopped, and another finishes them at once', async () => {
    const { job } = await submitExport('a');
    const begun = new Gate();
    const broken = bucketsWith(async () => {
      begun.open();
      throw await waitForStop;
    });
    const stopping = new Gate<Error>();
    const waitForStop = stopping.opened;
    const first = startWorker({ buckets: broken });
    await begun.opened;
    const stopped = first.stop();
    stopping.open(new Error('broken off'));
    await stopped;
    expect((await readJob(job)).state).toBe('RUNNING');
    startWorker();
    expect((await ended(job)).state).toBe('COMPLETED');
  });
});

describe('a worker that stands still', () => {
  it('keeps its job as long as it renews the lease', async () => {
    const { job } = await submitExport('a');
    const slow = new Gate();
    startWorker({ buckets: bucketsWith((put) => slow.opened.then(put)) });
    await waitUntil(async () => (await readJob(job)).state === 'RUNNING');
    let taken = 0;
    startWorker({
      buckets: bucketsWith((put) => {
        taken += 1;
        return put();
      }),
    });
    // Both workers until they look for jobs again, the first until it renews its lease.
    const allAsleep = 3;
    for (let passed = 0; passed < 4 * LEASE_MS; passed += 1000) {
      await waitUntil(() => clock.sleeping >= allAsleep);
      await clock.advance(1000);
    }
    expect(taken).toBe(0);
    slow.open();
    expect((await ended(job)).state).toBe('COMPLETED');
  });

  it('is taken over when its lease runs out, and cannot finish the job a second time', async () => {
    const { file, job } = await submitExport('a');
    const late = new Gate();
    const died = await dieInPut(job, (put) => late.opened.then(put));
    await clock.advance(LEASE_MS + 1);
    startWorker();
    expect((await ended(job)).state).toBe('COMPLETED');
    late.open();
    await waitUntil(() => died.settled);
    expect(await volume.read('a')).toBe('content of a');
    expect((await readJob(job)).state).toBe('COMPLETED');
    expect(await (await alice.download(file)).text()).toBe('content of a');
  });

  it('leaves an object that its successor knows as the job’s own', async () => {
    const { file, job } = await submitExport('a');
    await dieInPut(job, async (put) => {
      await put();
      return forever;
    });
    await waitUntil(async () => (await volume.read('a').catch(() => '')) !== '');
    await clock.advance(LEASE_MS + 1);
    startWorker();
    expect(await ended(job)).toMatchObject({ state: 'COMPLETED' });
    expect((await alice.get(`/files/${file}`)).body.storage).toMatchObject({ type: 'VOLUME', location: 'a' });
    expect(await readdir(join(volume.directory, '.svcfs/incoming'))).toEqual([]);
  });

  it('does not make a foreign object the job’s own', async () => {
    const { job } = await submitExport('a');
    await dieInPut(job, () => forever);
    await volume.lay('a', 'someone else was faster');
    await clock.advance(LEASE_MS + 1);
    startWorker();
    expect(await ended(job)).toMatchObject({ state: 'FAILED', error: { code: 9107 } });
    expect(await volume.read('a')).toBe('someone else was faster');
  });

  /** Lets a worker take the job and then be as good as dead: it never comes back from its put, and renews nothing. */
  async function dieInPut(
    job: string,
    around: Parameters<typeof bucketsWith>[0],
  ): Promise<{ readonly settled: boolean }> {
    const state = { settled: false };
    const dead = new Worker(
      {
        ...service.services,
        jobSignals: new JobSignals(clock),
        clock: {
          now: () => clock.now(),
          monotonic: () => clock.monotonic(),
          elapsed: () => clock.elapsed(),
          sleep: (_ms, signal) => untilAborted(signal),
        },
        buckets: bucketsWith((put) =>
          around(put).finally(() => {
            state.settled = true;
          }),
        ),
      },
      JOB_WORKS,
    );
    dead.start();
    await waitUntil(async () => (await readJob(job)).state === 'RUNNING');
    return state;
  }
});

describe('content that an export gave away', () => {
  /** Events once the object is there, before the export is recorded. */
  const happens = {
    'refused by then': (file: string) => service.operator.markFile(file, { archived: true }),
    'stopped by then': () =>
      alice.call('PATCH', `/storage/volumes/${volume.id}?force=true`, { body: { active: false } }),
    'copied by then': (file: string) =>
      alice.post(`/files/${file}/actions/copy`, { parent: root, name: 'copy' }),
  };

  it.each(Object.entries(happens))('is a file’s own again when that was %s', async (_, happen) => {
    const { file, job } = await submitExport('a');
    const worker = startWorker({
      buckets: bucketsWith(async (put) => {
        const object = await put();
        expect((await happen(file)) ?? {}).not.toMatchObject({ status: 400 });
        return object;
      }),
    });
    await ended(job);
    await worker.stop();
    expect(await volume.read('a')).toBe('content of a');
    await clock.advance(DAY_MS);
    const sweeper = () => new Sweeper(service.services, sweepsOf({ blobGraceSeconds: 600 }));
    await sweeper().sweep();
    // A user with access to a directory that is a volume may write to the files that lie there.
    await writeFile(join(volume.directory, 'a'), 'CHANGED by hand');
    const { items } = (await alice.get(`/files/${root}/list?fields=id,storage`)).body;
    const own = items.find(({ storage }: { storage: { type: string } }) => storage.type === 'PLATFORM');
    await service.operator.markFile(own.id, { archived: false });
    expect(await (await alice.download(own.id)).text()).toBe('content of a');
  });

  it('is not given away again: what two objects hold are two files', async () => {
    const { file, job } = await submitExport('a');
    const refusing = startWorker({
      buckets: bucketsWith(async (put) => {
        const object = await put();
        await service.operator.markFile(file, { archived: true });
        return object;
      }),
    });
    expect(await ended(job)).toMatchObject({ state: 'FAILED', error: { code: 9006 } });
    await refusing.stop();
    await service.operator.markFile(file, { archived: false });
    const again = { source: { file }, destination: { volume: volume.id, location: 'b' } };
    const { id } = (await alice.post('/storage/exports', again)).body;
    startWorker();
    expect((await ended(id)).state).toBe('COMPLETED');
    await writeFile(join(volume.directory, 'a'), 'CHANGED by hand');
    expect(await volume.read('b')).toBe('content of a');
  });
});

/** Never of itself: a clock that stands still for one worker alone. */
function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

describe('stopping the jobs of a volume', () => {
  it('fails them when the volume is deactivated by force, and what they do then counts no more', async () => {
    const { file, job } = await submitExport('a');
    const slow = new Gate();
    startWorker({ buckets: bucketsWith((put) => slow.opened.then(put)) });
    await waitUntil(async () => (await readJob(job)).state === 'RUNNING');
    const gently = await alice.call('PATCH', `/storage/volumes/${volume.id}`, { body: { active: false } });
    expect([gently.status, gently.body.code]).toEqual([409, 9069]);
    await alice.call('PATCH', `/storage/volumes/${volume.id}?force=true`, { body: { active: false } });
    expect(await readJob(job)).toMatchObject({ state: 'FAILED', error: { code: 9069 } });
    slow.open();
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    expect(await readJob(job)).toMatchObject({ state: 'FAILED', error: { code: 9069 } });
    expect((await alice.get(`/files/${file}`)).body.storage.type).toBe('PLATFORM');
  });
});

describe('waiting for a job', () => {
  it('answers when the state changes, not before', async () => {
    const { job } = await submitExport('a');
    let answered = false;
    const waiting = alice.get(`/storage/exports/${job}?wait=30`).then(({ body }) => {
      answered = true;
      return body;
    });
    await waitUntil(() => clock.sleeping > 0);
    expect(answered).toBe(false);
    startWorker({ jobSignals: service.services.jobSignals });
    expect(['RUNNING', 'COMPLETED']).toContain((await waiting).state);
  });

  it('answers with the state there is when the time is over', async () => {
    const { job } = await submitExport('a');
    const waiting = alice.get(`/storage/exports/${job}?wait=2`);
    for (let i = 0; i < 4; i++) {
      await waitUntil(() => clock.sleeping > 0);
      await clock.advance(500);
    }
    expect((await waiting).body.state).toBe('PENDING');
  });

  it('answers a bulk get at once when one of the jobs has ended', async () => {
    const first = await submitExport('a');
    const worker = startWorker();
    await ended(first.job);
    await worker.stop();
    const second = await submitExport('b');
    const { body } = await alice.post('/bulk/storage/exports/get?wait=30', {
      export_ids: [first.job, second.job],
    });
    expect(body.items.map(({ resource }: { resource: { state: string } }) => resource.state)).toEqual([
      'COMPLETED',
      'PENDING',
    ]);
  });
});
