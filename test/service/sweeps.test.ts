import { link, mkdir, readdir, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { PART_SIZE_MIN } from '../../src/contract/limits.ts';
import { randomId } from '../../src/lib/random-id.ts';
import { blobGarbageIn } from '../../src/service/files/tables/blob-garbage-table.ts';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import { jobsIn } from '../../src/service/jobs/job-table.ts';
import { auditIn } from '../../src/service/operations/audit/audit-table.ts';
import { leasesIn } from '../../src/service/operations/sweeping/lease-table.ts';
import { Sweeper } from '../../src/service/operations/sweeping/sweeper.ts';
import type { Services } from '../../src/service/services.ts';
import type { SweepOptions } from '../../src/service/sweeps.ts';
import { sweepsOf } from '../../src/service/sweeps.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { mustRun } from '../support/run.ts';
import { TestService } from './test-service.ts';

const DAY_MS = 24 * 3600 * 1000;
const services: TestService[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.stop();
});

/** A service, with a clock that begins now: ages of files are of the machine's own time. */
async function start() {
  const clock = new FakeClock(Date.now());
  const service = await TestService.start({ clock });
  services.push(service);
  const alice = await service.user('alice');
  const { root_folder } = await alice.project('Swept');
  const sweeper = (options: Partial<SweepOptions> = {}): Sweeper<Services> =>
    new Sweeper(service.services, sweepsOf({ blobGraceSeconds: 600, ...options }));
  const begin = async (name: string): Promise<string> =>
    (await alice.post('/upload/multipart', { parent: root_folder, name })).body.upload_id;
  const stored = (): Promise<string[]> => filesBelow(join(service.dataDir, 'storage'));
  return { service, clock, alice, root_folder, sweeper, begin, stored };
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('entries of the audit log', () => {
  const actions = async (service: TestService): Promise<string[]> => {
    const entries = await auditIn(service.services.store).list({ username: 'alice', limit: 10 });
    return entries.map(({ action }) => action);
  };

  test('are removed after the days set', async () => {
    const { service, clock, sweeper, begin } = await start();
    await clock.advance(30 * DAY_MS);
    await begin('later');
    await service.services.auditTrail.written();
    await sweeper({ auditDays: 30 }).sweep();
    expect(await actions(service)).toEqual(['upload.begin', 'project.create']);
    // Past the lease of the first sweeper.
    await clock.advance(301_000);
    await sweeper({ auditDays: 30 }).sweep();
    expect(await actions(service)).toEqual(['upload.begin']);
  });

  test('are kept for ever unless the operator says otherwise', async () => {
    const { service, clock, sweeper } = await start();
    await clock.advance(4000 * DAY_MS);
    await sweeper().sweep();
    await service.services.auditTrail.written();
    expect(await actions(service)).toEqual(['project.create']);
  });
});

describe('uploads that nobody completes', () => {
  test('are given up after the days set, with all that was sent of them; younger ones are not', async () => {
    const { clock, alice, sweeper, begin, stored } = await start();
    const old = await begin('old');
    await alice.putPart(old, 1, 'old part');
    await clock.advance(6 * DAY_MS);
    const young = await begin('young');
    await alice.putPart(young, 1, 'young part');
    await clock.advance(DAY_MS + 1);
    await sweeper({ uploadDays: 7 }).sweep();
    expect((await alice.get(`/upload/multipart/${old}`)).body.code).toBe(8003);
    expect((await alice.get(`/upload/multipart/${young}`)).status).toBe(200);
    expect(await stored()).toHaveLength(1);
  });

  test('are kept for ever unless the operator says otherwise', async () => {
    const { clock, alice, sweeper, begin } = await start();
    const upload = await begin('kept');
    const part = await alice.putPart(upload, 1, 'kept part');
    await clock.advance(400 * DAY_MS);
    await sweeper().sweep();
    const { status } = await alice.post(`/upload/multipart/${upload}/complete`, { parts: [part] });
    expect(status).toBe(200);
  });
});

test('contents that no file uses any more are removed, however many there are', async () => {
  const { service, clock, alice, root_folder, sweeper, stored } = await start();
  const { store } = service.services;
  const { id } = await alice.upload(root_folder, 'file');
  await alice.call('DELETE', `/files/${id}`);
  const now = new Date(clock.now()).toISOString();
  await store.transaction(async (tx) => {
    for (let n = 0; n < 1200; n += 1) await filesIn(tx).discardBlob(randomId(), now);
  });
  await clock.advance(600_000);
  await sweeper().sweep();
  expect(await blobGarbageIn(store).unusedSince(now, 10)).toEqual([]);
  expect(await stored()).toEqual([]);
});

describe('a blob that cannot be removed', () => {
  /** The lines of the log about blobs. */
  const failures = ({ logger }: TestService): object[] =>
    logger.lines.flatMap(({ level, fields }) => (level === 'error' && 'blob' in fields ? [fields] : []));

  test('keeps no other from being removed, is named in the log, and is tried again the next time', async () => {
    const { service, clock, alice, root_folder, sweeper, stored } = await start();
    const { store } = service.services;
    const now = new Date(clock.now()).toISOString();
    // Before all others in every order, and more than are looked at together.
    const keys = Array.from({ length: 600 }, (_, n) => `--${n}`);
    await store.transaction(async (tx) => {
      for (const key of keys) await filesIn(tx).discardBlob(key, now);
    });
    const { id } = await alice.upload(root_folder, 'file');
    await alice.call('DELETE', `/files/${id}`);
    const obstacle = join(service.dataDir, 'storage', 'blobs', '--');
    await writeFile(obstacle, '');
    await clock.advance(600_000);
    const own = sweeper();
    await own.sweep();
    expect(await stored()).toEqual(['--']);
    const noted = async () => (await blobGarbageIn(store).unusedSince('9999', 1000)).sort();
    expect(await noted()).toEqual([...keys].sort());
    expect(failures(service)).toHaveLength(600);
    expect(failures(service)).toContainEqual({ what: 'blobs', blob: '--599', err: expect.any(Error) });
    await rm(obstacle);
    await clock.advance(60_000);
    await own.sweep();
    expect(await noted()).toEqual([]);
  });

  test('ends the sweep when it is the store that fails: nothing else would be removed either', async () => {
    const { service, clock, alice, root_folder, sweeper, stored } = await start();
    for (const name of ['one', 'two']) {
      const { id } = await alice.upload(root_folder, name);
      await alice.call('DELETE', `/files/${id}`);
    }
    const blobs = join(service.dataDir, 'storage', 'blobs');
    const away = join(service.dataDir, 'away');
    await rename(blobs, away);
    await symlink(blobs, blobs);
    await clock.advance(600_000);
    const own = sweeper();
    await own.sweep();
    expect(failures(service)).toHaveLength(1);
    await rm(blobs);
    await rename(away, blobs);
    await clock.advance(60_000);
    await own.sweep();
    expect(await stored()).toEqual([]);
  });

  test('is given up with its upload, as are the uploads after it, and then tried again as a blob', async () => {
    const { service, clock, alice, sweeper, begin } = await start();
    const uploads = join(service.dataDir, 'storage', 'uploads');
    const first = await begin('first');
    const [key = ''] = await readdir(uploads);
    await clock.advance(1000);
    const second = await begin('second');
    await writeFile(join(service.dataDir, 'storage', 'blobs', key.slice(0, 2)), '');
    await clock.advance(7 * DAY_MS + 1);
    await sweeper({ uploadDays: 7 }).sweep();
    for (const id of [first, second])
      expect((await alice.get(`/upload/multipart/${id}`)).body.code).toBe(8003);
    expect(await readdir(uploads)).toEqual([]);
    expect(failures(service)).toContainEqual({ what: 'uploads', blob: key, err: expect.any(Error) });
    expect(await blobGarbageIn(service.services.store).unusedSince('9999', 10)).toContain(key);
  });

  test('keeps nobody from aborting its upload, or from deleting the project of it', async () => {
    const { service, alice, begin } = await start();
    const uploads = join(service.dataDir, 'storage', 'uploads');
    const { id: project } = (await alice.get('/projects')).body.items[0];
    const keys: string[] = [];
    const stuck = async (name: string): Promise<string> => {
      const upload = await begin(name);
      const [key = ''] = await readdir(uploads);
      await writeFile(join(service.dataDir, 'storage', 'blobs', key.slice(0, 2)), '');
      keys.push(key);
      return upload;
    };
    const aborted = await stuck('aborted');
    expect((await alice.call('DELETE', `/upload/multipart/${aborted}`)).status).toBe(204);
    await stuck('deleted');
    expect((await alice.call('DELETE', `/projects/${project}`)).status).toBe(204);
    expect(failures(service).map((each) => 'blob' in each && each.blob)).toEqual(keys);
    expect((await blobGarbageIn(service.services.store).unusedSince('9999', 10)).sort()).toEqual(keys.sort());
  });

  test('keeps no other from having its bytes for itself alone', async () => {
    const { service, clock, alice, root_folder, sweeper } = await start();
    const { store, blobs } = service.services;
    const given = async (name: string) => {
      const file = await filesIn(store).find((await alice.upload(root_folder, name)).id);
      const key = file?.blob_key ?? '';
      await blobGarbageIn(store).giveAway(key, new Date(clock.now()).toISOString());
      return { key, path: join(service.dataDir, 'storage', 'blobs', key.slice(0, 2), key) };
    };
    const all = [await given('one'), await given('two'), await given('three')];
    const byKey = all.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    // The first one that is come to, by age or by name.
    const broken = new Set([all[0], byKey[0]]);
    const sound = all.filter((blob) => !broken.has(blob));
    for (const { path } of sound) await link(path, `${path}-linked`);
    for (const blob of broken) {
      await rm(blob?.path ?? '');
      await symlink(blob?.path ?? '', blob?.path ?? '');
    }
    await clock.advance(600_000);
    await sweeper().sweep();
    for (const { path } of sound) expect((await stat(path)).nlink).toBe(1);
    expect(failures(service)).toHaveLength(broken.size);
    expect(await blobs.open(sound[0]?.key ?? '')).toBeDefined();
  });
});

test('a file that was sent in parts is one file on the disk after a minute, and reads the same', async () => {
  const { alice, clock, begin, sweeper, stored } = await start();
  const pieces = [1, 2].map((seed) => Buffer.alloc(PART_SIZE_MIN + seed, seed));
  const upload = await begin('parts');
  const parts = [];
  for (const [at, piece] of pieces.entries()) parts.push(await alice.putPart(upload, at + 1, piece));
  const { id } = (await alice.post(`/upload/multipart/${upload}/complete`, { parts })).body;
  expect(await stored()).toHaveLength(3);
  const own = sweeper();
  await clock.advance(60_000);
  await own.sweep();
  expect(await stored()).toHaveLength(1);
  const bytes = Buffer.from(await (await alice.download(id)).arrayBuffer());
  expect(bytes.equals(Buffer.concat(pieces))).toBe(true);
});

test('a clock that is set back puts no sweep off', async () => {
  const { clock, alice, root_folder, sweeper, stored } = await start();
  const own = sweeper();
  await own.sweep();
  clock.set(-DAY_MS);
  const { id } = await alice.upload(root_folder, 'file');
  await alice.call('DELETE', `/files/${id}`);
  await clock.advance(600_000);
  await own.sweep();
  expect(await stored()).toEqual([]);
});

describe('what a killed process leaves', () => {
  test('is removed after a day: parts half written, uploads without a record, objects half exported', async () => {
    const { service, clock, alice, sweeper, begin, stored } = await start();
    const uploads = join(service.dataDir, 'storage', 'uploads');
    const incoming = join(service.dataDir, 'buckets', 'lab', '.svcfs', 'incoming');
    const upload = await begin('active');
    const part = await alice.putPart(upload, 1, 'sent');
    const [key = ''] = await readdir(uploads);
    await mkdir(join(uploads, 'leftover', '1'), { recursive: true });
    await mkdir(incoming, { recursive: true });
    const remains = [
      join(uploads, '.whole-blob'),
      join(uploads, key, '1', '.broken-off'),
      join(uploads, 'leftover', '1', 'part'),
      join(incoming, 'half-written'),
    ];
    for (const path of remains) await writeFile(path, 'x');
    await sweeper().sweep();
    expect(await stored()).toHaveLength(4);
    await clock.advance(DAY_MS + 60_000);
    await sweeper().sweep();
    expect(await stored()).toHaveLength(1);
    expect(await readdir(incoming)).toEqual([]);
    expect(await readdir(uploads)).toEqual([key]);
    const { body } = await alice.post(`/upload/multipart/${upload}/complete`, { parts: [part] });
    expect(body.size).toBe(4);
  });

  test('is passed over when it cannot be removed, and named in the log', async () => {
    const { service, clock, sweeper, stored } = await start();
    const uploads = join(service.dataDir, 'storage', 'uploads');
    for (let n = 0; n < 20; n += 1) await writeFile(join(uploads, `.broken-off-${n}`), 'x');
    const stuck = join(uploads, 'abandoned');
    await mkdir(stuck);
    await mustRun('mount', ['-t', 'tmpfs', 'tmpfs', stuck]);
    await clock.advance(DAY_MS + 60_000);
    try {
      await sweeper().sweep();
    } finally {
      await mustRun('umount', [stuck]);
    }
    expect(await stored()).toEqual([]);
    const told = service.logger.lines.filter(({ level, fields }) => level === 'error' && 'place' in fields);
    expect(told).toMatchObject([{ fields: { what: 'remains', place: stuck } }]);
  });

  test('is not taken for that while it is used: an old file that was linked just now is young', async () => {
    const { service, clock, sweeper } = await start();
    const incoming = join(service.dataDir, 'buckets', 'lab', '.svcfs', 'incoming');
    await mkdir(incoming, { recursive: true });
    await writeFile(join(incoming, 'linked'), 'x');
    await utimes(join(incoming, 'linked'), new Date(0), new Date(0));
    await clock.advance(DAY_MS - 60_000);
    await sweeper().sweep();
    expect(await readdir(incoming)).toEqual(['linked']);
  });

  test('takes nothing from a completed upload whose directory stayed behind', async () => {
    const { service, clock, alice, root_folder, sweeper } = await start();
    const { id } = await alice.upload(root_folder, 'whole', 'whole content');
    const file = await filesIn(service.services.store).find(id);
    const leftover = join(service.dataDir, 'storage', 'uploads', file?.blob_key ?? '');
    await mkdir(leftover);
    await clock.advance(2 * DAY_MS);
    await sweeper().sweep();
    expect(await (await alice.download(id)).text()).toBe('whole content');
    await expect(readdir(leftover)).rejects.toThrow('ENOENT');
  });
});

describe('asynchronous jobs', () => {
  test('are kept for a month after their end, and open ones longer', async () => {
    const { service, clock, alice, root_folder, sweeper } = await start();
    const { id } = await alice.upload(root_folder, 'file');
    const submit = async (): Promise<string> =>
      (await alice.post('/async/files/copy', { items: [{ file: id, parent: root_folder, name: 'c' }] })).body
        .id;
    const [ended, open] = [await submit(), await submit()];
    const jobs = jobsIn(service.services.store);
    const now = new Date(clock.now()).toISOString();
    await jobs.lease('someone', { now, until: new Date(clock.now() + 1000).toISOString() });
    await jobs.record({ jobId: ended, worker: 'someone' }, { state: 'FINISHED', finished_on: now });
    await clock.advance(30 * DAY_MS);
    await sweeper().sweep();
    expect((await alice.get(`/async/files/copy/${ended}`)).status).toBe(200);
    await clock.advance(2 * DAY_MS);
    await sweeper().sweep();
    expect((await alice.get(`/async/files/copy/${ended}`)).status).toBe(404);
    expect((await alice.get(`/async/files/copy/${open}`)).status).toBe(200);
  });
});

describe('of several processes', () => {
  test('one sweeps at a time, and another when that one has fallen silent', async () => {
    const { service, clock, alice, root_folder } = await start();
    const { store } = service.services;
    const { id } = await alice.upload(root_folder, 'file');
    await alice.call('DELETE', `/files/${id}`);
    const [one, two] = [0, 0].map(() => new Sweeper(service.services, sweepsOf({ blobGraceSeconds: 0 })));
    const times = (ms: number) => ({
      now: new Date(clock.now()).toISOString(),
      until: new Date(clock.now() + ms).toISOString(),
    });
    await leasesIn(store).take('sweep', { holder: 'third', ...times(60_000) });
    const garbage = () => blobGarbageIn(store).unusedSince(times(0).now, 10);
    await one?.sweep();
    expect(await garbage()).toHaveLength(1);
    await clock.advance(60_000);
    await two?.sweep();
    expect(await garbage()).toHaveLength(0);
    expect(await leasesIn(store).take('sweep', { holder: 'third', ...times(60_000) })).toBe(false);
  });
});
