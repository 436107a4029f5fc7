import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { TestService, type TestUser } from './test-service.ts';
import { runToEnd, TestVolume } from './volume-world.ts';

let service: TestService;
let alice: TestUser;
let bob: TestUser;
let volume: TestVolume;
let project: Awaited<ReturnType<TestUser['project']>>;
let made = 0;

beforeAll(async () => {
  service = await TestService.start({ workers: true });
  alice = await service.user('alice');
  bob = await service.user('bob');
});

beforeEach(async () => {
  made += 1;
  project = await alice.project(`Project ${made}`);
  volume = await TestVolume.make(service, alice, { name: `rw_${made}` });
});

afterAll(() => service.stop());

function importOf(location: string, destination: object = { project: project.id }, more: object = {}) {
  return { source: { volume: volume.id, location }, destination, ...more };
}

describe('an import', () => {
  it('makes an alias that reads the bytes of the object', async () => {
    await volume.lay('in/reads.fastq', 'ACGT');
    const job = await runToEnd(alice, '/storage/imports', importOf('in/reads.fastq'));
    expect(job).toMatchObject({
      state: 'COMPLETED',
      overwrite: false,
      source: { volume: volume.id, location: 'in/reads.fastq' },
      destination: { project: project.id },
      result: {
        name: 'reads.fastq',
        size: 4,
        project: project.id,
        parent: project.root_folder,
        storage: { type: 'VOLUME', volume: volume.id, location: 'in/reads.fastq' },
      },
    });
    expect(job).not.toHaveProperty('error');
    expect(await (await alice.download(job.result.id)).text()).toBe('ACGT');
    expect(await (await alice.download(job.result.id, { Range: 'bytes=1-2' })).text()).toBe('CG');
  });

  it('makes a file whose metadata belongs to who imported it', async () => {
    await volume.lay('a', 'a');
    await alice.post(`/projects/${project.id}/members`, { username: 'bob', permissions: { write: true } });
    const permissions = { copy: true };
    await alice.post(`/storage/volumes/${volume.id}/members`, { username: 'bob', permissions });
    const { result } = await runToEnd(bob, '/storage/imports', importOf('a'));
    const edit = (user: TestUser) =>
      user.call('PATCH', `/files/${result.id}/metadata`, { body: { sample: 's' } });
    expect((await edit(alice)).body).toMatchObject({ status: 403, code: 5009 });
    expect((await edit(bob)).body).toEqual({ sample: 's' });
  });

  it('is PENDING when submitted, with no keys that are not filled yet', async () => {
    await volume.lay('a', 'a');
    const { body } = await alice.post('/storage/imports', importOf('a'));
    expect(body).toMatchObject({ state: 'PENDING', href: `${service.url}/storage/imports/${body.id}` });
    for (const key of ['started_on', 'finished_on', 'result', 'error']) expect(body).not.toHaveProperty(key);
  });

  it('goes into a folder, under the name given, and takes volume_id for volume', async () => {
    await volume.lay('a', 'a');
    const folder = await alice.folder(project.root_folder, 'into');
    const job = await runToEnd(alice, '/storage/imports', {
      source: { volume_id: volume.id, location: 'a' },
      destination: { parent: folder.id, name: 'b.txt' },
    });
    expect(job.result).toMatchObject({ name: 'b.txt', parent: folder.id });
    expect(job.source).toEqual({ volume: volume.id, location: 'a' });
  });

  it('names an alias after the last segment of prefix and location', async () => {
    const nested = await TestVolume.make(service, alice, {
      name: `nested_${made}`,
      service: { prefix: '/deep//er/' },
    });
    await nested.lay('deep/er/x/object.bam', 'x');
    const job = await runToEnd(alice, '/storage/imports', {
      source: { volume: nested.id, location: '/x//object.bam' },
      destination: { project: project.id },
    });
    expect(job.result).toMatchObject({ name: 'object.bam', storage: { location: 'x/object.bam' } });
  });

  it('fails with 9105 where there is no object, read with status 200', async () => {
    const job = await runToEnd(alice, '/storage/imports', importOf('nothing'));
    expect(job).toMatchObject({ state: 'FAILED', error: { status: 404, code: 9105 } });
    expect(job.error.more_info).toContain('9105');
    expect(job).not.toHaveProperty('result');
  });

  it('fails with 9108 on a name that is taken, and replaces the file when told to', async () => {
    await volume.lay('a', 'new');
    const old = await alice.upload(project.root_folder, 'a', 'old');
    expect(await runToEnd(alice, '/storage/imports', importOf('a'))).toMatchObject({
      state: 'FAILED',
      error: { status: 409, code: 9108 },
    });
    expect(await (await alice.download(old.id)).text()).toBe('old');
    for (const [path, body] of [
      ['/storage/imports?overwrite=True', importOf('a')],
      ['/storage/imports', importOf('a', undefined, { overwrite: true })],
    ] as const) {
      const job = await runToEnd(alice, path, body);
      expect(job).toMatchObject({ state: 'COMPLETED', overwrite: true });
      expect(await (await alice.download(job.result.id)).text()).toBe('new');
    }
    expect((await alice.get(`/files/${old.id}`)).status).toBe(404);
    expect((await alice.get(`/files?parent=${project.root_folder}`)).body.items).toHaveLength(1);
  });

  it('never replaces a folder', async () => {
    await volume.lay('a', 'a');
    await alice.folder(project.root_folder, 'a');
    const job = await runToEnd(alice, '/storage/imports?overwrite=true', importOf('a'));
    expect(job).toMatchObject({ state: 'FAILED', error: { code: 9108 } });
  });

  it('finds a free name with autorename', async () => {
    await volume.lay('a', 'a');
    await alice.upload(project.root_folder, 'a');
    const job = await runToEnd(alice, '/storage/imports', importOf('a', undefined, { autorename: true }));
    expect(job.result.name).toBe('_1_a');
  });

  it('imports a whole folder with preserve_folder_structure, all of it or nothing', async () => {
    for (const key of ['run/a', 'run/deep/b', 'run/deep/er/c', 'other/d'])
      await volume.lay(key, `bytes of ${key}`);
    const whole = importOf('run/', undefined, { preserve_folder_structure: true });
    const job = await runToEnd(alice, '/storage/imports', whole);
    expect(job).toMatchObject({ state: 'COMPLETED', result: { name: 'run', type: 'FOLDER' } });
    const top = (await alice.get(`/files/${job.result.id}/list`)).body.items;
    expect(top.map(({ name }: FileResource) => name)).toEqual(['a', 'deep']);
    const deep = (await alice.get(`/files/${top[1].id}/list?fields=_all`)).body.items;
    expect(deep).toMatchObject([
      { name: 'b', storage: { type: 'VOLUME', location: 'run/deep/b' } },
      { name: 'er' },
    ]);
    expect(await (await alice.download(deep[0].id)).text()).toBe('bytes of run/deep/b');
    await volume.lay('run/new', 'new');
    expect(await runToEnd(alice, '/storage/imports', whole)).toMatchObject({
      state: 'FAILED',
      error: { code: 9108 },
    });
    expect((await alice.get(`/files/${job.result.id}/list`)).body.items).toHaveLength(2);
    const empty = importOf('none/', undefined, { preserve_folder_structure: true });
    expect(await runToEnd(alice, '/storage/imports', empty)).toMatchObject({
      state: 'FAILED',
      error: { code: 9105 },
    });
  });

  it.each([
    ['a location that ends in a slash', () => importOf('folder/'), 400, 9072],
    ['a location that climbs', () => importOf('../a'), 400, 9011],
    ['a location with NUL', () => importOf('a\0b'), 400, 9011],
    ['no project', () => importOf('a', {}), 400, 9012],
    ['a malformed project', () => importOf('a', { project: 'nonsense' }), 400, 9012],
    [
      'an unknown volume',
      () => ({ ...importOf('a'), source: { volume: 'alice/none', location: 'a' } }),
      404,
      9007,
    ],
  ])('is refused at once for %s', async (_what, body, status, code) => {
    const answer = await alice.post('/storage/imports', body());
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('needs copy on the volume and write in the project', async () => {
    await volume.lay('a', 'a');
    await alice.post(`/storage/volumes/${volume.id}/members`, {
      username: 'bob',
      permissions: { read: true },
    });
    const own = await bob.project('Own');
    const withoutCopy = await bob.post('/storage/imports', importOf('a', { project: own.id }));
    expect([withoutCopy.status, withoutCopy.body.code]).toEqual([403, 9020]);
    await alice.post(`/storage/volumes/${volume.id}/members`, {
      username: 'bob',
      permissions: { copy: true },
    });
    expect((await bob.post('/storage/imports', importOf('a', { project: own.id }))).status).toBe(200);
    await alice.post(`/projects/${project.id}/members`, { username: 'bob', permissions: { copy: true } });
    const withoutWrite = await bob.post('/storage/imports', importOf('a'));
    expect([withoutWrite.status, withoutWrite.body.code]).toEqual([403, 9003]);
  });
});
