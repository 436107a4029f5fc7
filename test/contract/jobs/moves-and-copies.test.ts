/** Moves and copies as the platform carries them out: no byte passes this machine. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ApiClient, createApi } from '../../../src/api/create-api.ts';
import { createStorageClient } from '../../../src/api/create-storage-client.ts';
import type { FileRecord, ProjectRecord } from '../../../src/api/model.ts';
import type { StorageClient } from '../../../src/api/storage-client.ts';
import { createJobs } from '../../../src/jobs/create-jobs.ts';
import { JobError, TransferRefused } from '../../../src/jobs/job-error.ts';
import type { Jobs, TransferRequest, TransferSource, TransferTarget } from '../../../src/jobs/ports.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { TestService, type TestUser } from '../../service/test-service.ts';
import { DIALECT } from '../../support/dialect.ts';

const VOLUME = 'alice/lab';
let service: TestService;
let alice: TestUser;
let api: ApiClient;
let storage: StorageClient;
let jobs: Jobs;
let trial: ProjectRecord;
let other: ProjectRecord;
let count = 0;
/** A folder of its own for each test. */
let folder: string;
let prefix: string;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
  await service.operator.createBillingGroup('alice', 'Lab funds');
  api = createApi({ endpoint: service.url, token: alice.token, clock: systemClock, dialect: DIALECT });
  storage = createStorageClient({ clock: systemClock });
  jobs = createJobs({ api, clock: systemClock });
  trial = await api.projects.get((await alice.project('Trial')).id);
  other = await api.projects.get((await alice.project('Other')).id);
  const bucket = { type: 's3', bucket: 'lab', credentials: { access_key_id: 'a', secret_access_key: 'b' } };
  await alice.post('/storage/volumes', { name: 'lab', access_mode: 'RW', service: bucket });
});

afterAll(async () => {
  jobs?.close();
  await api?.close();
  await storage?.close();
  await service?.stop();
});

beforeEach(async () => {
  count += 1;
  prefix = `test-${count}`;
  folder = (await api.files.createFolder({ parent: trial.rootFolder, name: prefix })).id;
});

const upload = (parent: string, name: string, content = name): Promise<FileRecord> =>
  api.uploads.inline({ parent, name, overwrite: false }, Buffer.from(content));

async function contentOf(file: FileRecord): Promise<string> {
  const { url } = await api.files.downloadInfo(file.id);
  const into = Buffer.alloc(file.sizeBytes);
  await storage.getRange(url, { offset: 0, into });
  return String(into);
}

const ofFile = (file: FileRecord): TransferSource => ({ kind: 'file', file, permissions: trial.permissions });
const ofFolder = async (id: string): Promise<TransferSource> => {
  const entry = await api.files.get(id);
  if (entry.kind !== 'folder') throw new Error('not a folder');
  return { kind: 'folder', folder: entry, permissions: trial.permissions };
};
const toProject = (project: ProjectRecord, parent: string, name: string): TransferTarget => ({
  kind: 'project',
  project: project.id,
  parent,
  name,
  permissions: project.permissions,
});
const toVolume = (location: string): TransferTarget => ({
  kind: 'volume',
  volume: VOLUME,
  accessMode: 'RW',
  active: true,
  location,
});
const request = (source: TransferSource, target: TransferTarget, overwrite = false): TransferRequest => ({
  source,
  target,
  overwrite,
  paths: { source: '/from', target: '/to' },
});

describe('inside the platform', () => {
  it('a rename and a move in a project keep the id', async () => {
    const file = await upload(folder, 'a');
    const renamed = await jobs.move(request(ofFile(file), toProject(trial, folder, 'b')));
    expect(renamed).toMatchObject({ kind: 'entry', entry: { id: file.id, name: 'b' } });
    const moved = await jobs.move(
      request(ofFile({ ...file, name: 'b' }), toProject(trial, trial.rootFolder, `${prefix}.c`)),
    );
    expect(moved).toMatchObject({ entry: { id: file.id, parent: trial.rootFolder } });
  });

  it('a file moves to another project as a job', async () => {
    const file = await upload(folder, 'a', 'moved content');
    const outcome = await jobs.move(request(ofFile(file), toProject(other, other.rootFolder, `${prefix}.a`)));
    expect(outcome).toMatchObject({ entry: { id: file.id, project: other.id, name: `${prefix}.a` } });
    expect(jobs.list().at(-1)).toMatchObject({ kind: 'move', state: 'done', source: '/from', target: '/to' });
  });

  it('a folder is renamed with all below it', async () => {
    const inner = await api.files.createFolder({ parent: folder, name: 'inner' });
    await upload(inner.id, 'x', 'deep');
    const outcome = await jobs.move(
      request(await ofFolder(folder), toProject(trial, trial.rootFolder, `${prefix}-b`)),
    );
    expect(outcome).toMatchObject({ entry: { kind: 'folder', name: `${prefix}-b` } });
    const renamed = await api.files.find({ parent: trial.rootFolder, name: `${prefix}-b` });
    expect(await api.files.find({ parent: renamed?.id ?? '', name: 'inner' })).toMatchObject({
      kind: 'folder',
    });
    expect(await api.files.find({ parent: trial.rootFolder, name: prefix })).toBeUndefined();
  });

  it('a file and a folder are copied', async () => {
    const file = await upload(folder, 'a', 'once');
    const copied = await jobs.copy(
      request(ofFile(file), toProject(other, other.rootFolder, `${prefix}.copy`)),
    );
    expect(copied).toMatchObject({ entry: { project: other.id, name: `${prefix}.copy` } });
    const tree = await jobs.copy(request(await ofFolder(folder), toProject(other, other.rootFolder, prefix)));
    expect(tree).toMatchObject({ entry: { kind: 'folder', name: prefix } });
  });

  it('a copy replaces a file', async () => {
    const file = await upload(folder, 'a', 'new');
    await upload(folder, 'b', 'old');
    const outcome = await jobs.copy(request(ofFile(file), toProject(trial, folder, 'b'), true));
    const entry = outcome.kind === 'entry' ? outcome.entry : undefined;
    expect(entry).toMatchObject({ name: 'b', kind: 'file' });
    expect(await contentOf(entry as FileRecord)).toBe('new');
    expect((await api.files.list(folder, { offset: 0, limit: 100 })).total).toBe(2);
  });

  it('a tree is deleted as one job', async () => {
    await upload(folder, 'a');
    await jobs.delete({ ids: [folder], path: '/tree' });
    expect(await api.files.find({ parent: trial.rootFolder, name: prefix })).toBeUndefined();
  });
});

describe('between project and volume', () => {
  it('an exported file is an alias that reads the same bytes', async () => {
    const file = await upload(folder, 'a', 'exported');
    const outcome = await jobs.move(request(ofFile(file), toVolume(`${prefix}/a`)));
    expect(outcome).toMatchObject({
      kind: 'exported',
      locations: [`${prefix}/a`],
      aliases: [{ id: file.id, storage: { kind: 'volume', volume: VOLUME, location: `${prefix}/a` } }],
    });
    expect(await api.volumes.object(VOLUME, `${prefix}/a`)).toMatchObject({ sizeBytes: 8 });
    const link = await api.volumes.downloadInfo(VOLUME, `${prefix}/a`);
    const into = Buffer.alloc(link.sizeBytes ?? 0);
    const version = await storage.getRange(link.url, { offset: 0, into, expectedEtag: link.etag });
    expect({ text: String(into), etag: version.etag }).toEqual({ text: 'exported', etag: link.etag });
    expect(await contentOf(await api.files.get(file.id).then((entry) => entry as FileRecord))).toBe(
      'exported',
    );
  });

  it('a copied file stays what it is', async () => {
    const file = await upload(folder, 'a', 'both');
    const outcome = await jobs.copy(request(ofFile(file), toVolume(`${prefix}/a`)));
    expect(outcome).toMatchObject({ kind: 'exported', aliases: [] });
    expect(await api.files.get(file.id)).toMatchObject({ storage: { kind: 'platform' } });
  });

  it('a folder is exported file by file, and again without harm', async () => {
    const inner = await api.files.createFolder({ parent: folder, name: 'inner' });
    await upload(folder, 'a');
    await upload(inner.id, 'b');
    const source = await ofFolder(folder);
    const outcome = await jobs.move(request(source, toVolume(prefix)));
    expect(outcome.kind === 'exported' && [...outcome.locations].sort()).toEqual([
      `${prefix}/a`,
      `${prefix}/inner/b`,
    ]);
    const again = await jobs.move(request(source, toVolume(prefix)));
    expect(again).toMatchObject({ kind: 'exported', aliases: [{ kind: 'file' }, { kind: 'file' }] });
  });

  it('250 files go with three bulk starts, and come back', async () => {
    await Promise.all(Array.from({ length: 250 }, (_, index) => upload(folder, `f${index}`)));
    const before = api.status().calls;
    await jobs.move(request(await ofFolder(folder), toVolume(prefix)));
    const after = api.status().calls;
    const spent = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
    expect(spent('POST /bulk/storage/exports/create')).toBe(3);
    expect(spent('GET /files/{folder}/list')).toBe(3);
    expect(spent('POST /bulk/storage/exports/get')).toBeLessThan(40);
    const back: TransferSource = { kind: 'prefix', volume: VOLUME, prefix: `${prefix}/` };
    const outcome = await jobs.copy(request(back, toProject(other, other.rootFolder, prefix)));
    expect(outcome).toMatchObject({ kind: 'imported', files: { length: 250 } });
  }, 60_000);

  it('an object and a prefix are imported as aliases', async () => {
    const file = await upload(folder, 'a', 'there and back');
    await jobs.copy(request(ofFile(file), toVolume(`${prefix}/deep/a`)));
    const object: TransferSource = { kind: 'object', volume: VOLUME, location: `${prefix}/deep/a` };
    const single = await jobs.move(request(object, toProject(trial, folder, 'b')));
    expect(single).toMatchObject({ kind: 'imported', files: [{ name: 'b', parent: folder }] });
    expect(await contentOf((single.kind === 'imported' && single.files[0]) as FileRecord)).toBe(
      'there and back',
    );

    const all: TransferSource = { kind: 'prefix', volume: VOLUME, prefix: `${prefix}/` };
    const tree = request(all, toProject(trial, folder, 'tree'));
    expect(await jobs.copy(tree)).toMatchObject({
      folders: [{ name: 'tree' }, { name: 'deep' }],
      files: [{ name: 'a', storage: { kind: 'volume', location: `${prefix}/deep/a` } }],
    });
    expect(await jobs.copy(tree)).toMatchObject({ files: [{ name: 'a' }] });
  });

  it('what the platform forbids is refused before anything is sent', async () => {
    const file = await upload(folder, 'a');
    const before = jobs.list().length;
    const readOnly = { ...toVolume('x'), accessMode: 'RO' as const };
    await expect(jobs.move(request(ofFile(file), readOnly as TransferTarget))).rejects.toThrow(
      TransferRefused,
    );
    expect(jobs.list()).toHaveLength(before);
  });

  it('a job that fails names its failure and its id', async () => {
    const file = await upload(folder, 'a');
    await jobs.copy(request(ofFile(file), toVolume(`${prefix}/a`)));
    const error = await jobs
      .copy(request(ofFile(file), toVolume(`${prefix}/a`)))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JobError);
    expect(error).toMatchObject({ kind: 'export', failure: { code: 9107 } });
    const { jobId } = error as JobError;
    expect(jobs.get(jobId ?? '')).toMatchObject({ state: 'failed', failure: { code: 9107 } });
  });
});
