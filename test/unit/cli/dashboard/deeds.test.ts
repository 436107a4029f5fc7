import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { OWN_HEADER } from '../../../../src/cli/dashboard/http/guards.ts';
import { pathInMount } from '../../../../src/cli/dashboard/live/deeds.ts';
import type { MountDetails, Overview } from '../../../../src/cli/dashboard/page-model.ts';
import type { KeptEntry } from '../../../../src/cli/recover/kept-entries.ts';
import { accountDirectoryAt } from '../../../../src/config/directories.ts';
import { first, openDashboard, TOKEN } from './open-dashboard.ts';
import { mountAt, SomeMounts } from './some-mounts.ts';

/** As the page asks. */
async function opened(mounts: SomeMounts) {
  const dashboard = await openDashboard({ mounts });
  const { ask, port } = dashboard;
  const host = `127.0.0.1:${port}`;
  const headers = { host, origin: `http://${host}`, 'content-type': 'application/json', [OWN_HEADER]: '1' };
  const post = async (deed: string, body: string | object) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await ask(`/${TOKEN}/${deed}`, { method: 'POST', headers }, text);
    return { status: answer.status, ...JSON.parse(answer.body) };
  };
  return { ...dashboard, post };
}

const ID = 'a draft';

async function keptFile(): Promise<KeptEntry> {
  const root = await mkdtemp(join(tmpdir(), 'kept-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const path = join(root, 'bytes');
  await writeFile(path, 'all that was written');
  const { directory } = mountAt(join(root, 'mnt'));
  return {
    place: { directory, account: accountDirectoryAt(root, 'account'), written: undefined, served: false },
    file: {
      id: ID,
      state: 'unclosed',
      label: '/projects/lab/rna/a.txt',
      sizeBytes: 20,
      keptMs: 0,
      reason: 'its mount ended before it was closed',
      acknowledged: false,
      path,
      bytes: undefined,
      missing: undefined,
    },
  };
}

it('saves a kept file where the person says, and replaces nothing unasked', async () => {
  const mounts = new SomeMounts();
  const entry = await keptFile();
  mounts.keptFiles = { entries: [entry], unreadable: [] };
  const { post, events } = await opened(mounts);
  const { kept } = await first<Overview>(events(), 'overview', (told) => told.kept.files.total === 1);
  const [{ id, path } = { id: '', path: '' }] = kept.files.first;
  const to = join(entry.place.account.root, '..', 'saved');
  // The place itself is looked at anew after a save: this one is there for the test alone.
  expect((await post('save', { id, to })).failed).toContain('was changed while it was saved');
  expect(await readFile(to, 'utf8')).toBe('all that was written');
  expect(await post('save', { id, to })).toMatchObject({
    status: 409,
    failed: expect.stringContaining('exists'),
  });
  expect(await post('retry', { id })).toMatchObject({
    status: 409,
    failed: expect.stringContaining('save it'),
  });
  expect(path).toBe('/projects/lab/rna/a.txt');
});

it('drops only what the person was shown', async () => {
  const mounts = new SomeMounts();
  const entry = await keptFile();
  mounts.keptFiles = { entries: [entry], unreadable: [] };
  const { post } = await opened(mounts);
  const id = `${entry.place.account.root}/${ID}`;
  expect(await post('drop', { id, path: '/projects/lab/rna/b.txt' })).toMatchObject({
    status: 409,
    failed: '/projects/lab/rna/b.txt: another file is kept there now; look again',
  });
  expect(await post('drop', { id })).toMatchObject({ status: 409 });
  mounts.keptFiles = { entries: [], unreadable: [] };
  expect(await post('drop', { id, path: entry.file.label })).toMatchObject({
    failed: 'it is not kept here any more',
  });
});

it('fetches a folder into the cache, tells how far it is, and stops', async () => {
  const mounts = new SomeMounts();
  mounts.add('/mnt');
  const progress = { foundFiles: 3, foundBytes: 30, doneFiles: 1, doneBytes: 10, fetchedBytes: 10 };
  mounts.warmUps = async function* (_path, signal) {
    yield { answer: 'warming', progress };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    yield { answer: 'failed', message: 'aborted' };
  };
  const { post, events } = await opened(mounts);
  const { id: mount } = await first<MountDetails>(events(), 'mount');
  const folder = { mount, path: '/mnt/projects/lab/rna/' };
  expect(await post('warmup', folder)).toMatchObject({ status: 200, said: expect.stringContaining('begun') });
  expect(await post('warmup', folder)).toMatchObject({
    failed: '/projects/lab/rna: is being fetched already',
  });
  const told = await first<MountDetails>(
    events(),
    'mount',
    ({ warmUps }) => warmUps[0]?.progress !== undefined,
  );
  expect(told.warmUps).toMatchObject([{ path: '/projects/lab/rna', state: 'running', progress }]);
  expect(await post('stop-warmup', folder)).toMatchObject({ status: 200 });
  await first<MountDetails>(events(), 'mount', ({ warmUps }) => warmUps[0]?.state === 'stopped');
});

it('counts what is cached of a folder, and evicts it', async () => {
  const mounts = new SomeMounts();
  mounts.add('/mnt');
  const files = [
    { path: '/a', sizeBytes: 1024, cachedBytes: 1024 },
    { path: '/b', sizeBytes: 1024, cachedBytes: 512 },
  ];
  mounts.answers = {
    ...mounts.answers,
    cache: () => ({ answer: 'cache', files, failures: [], failed: 0 }),
    evict: () => ({ answer: 'evict', freedBytes: 1536, failures: [], failed: 0 }),
  };
  const { post, events } = await opened(mounts);
  const { id: mount } = await first<MountDetails>(events(), 'mount');
  expect(await post('cached', { mount, path: '/' })).toMatchObject({
    said: '/: 1.5 KiB of 2 KiB cached, 1 of 2 files whole',
  });
  expect(await post('evict', { mount, path: '/' })).toMatchObject({ said: '/: 1.5 KiB of disk space freed' });
  expect(await post('evict', { mount: 'gone', path: '/' })).toMatchObject({ failed: 'the mount is gone' });
});

it('takes no text for an object, nothing too long, and no deed of another name', async () => {
  const { post } = await opened(new SomeMounts());
  for (const body of ['', 'null', '[]', '"x"', '{', `{"id":"${'x'.repeat(70_000)}"}`])
    expect((await post('retry', body)).status).toBe(400);
  for (const body of [{}, { id: 1 }, { id: ' ' }, { id: 'x'.repeat(5000) }])
    expect(await post('retry', body)).toMatchObject({ status: 409, failed: expect.stringContaining("'id'") });
});

it('takes a path with the mount point, or from the top of the mount', () => {
  expect(pathInMount('/home/ann/svc', '/home/ann/svc/projects/a/')).toBe('/projects/a');
  expect(pathInMount('/home/ann/svc', '/home/ann/svc')).toBe('/');
  expect(pathInMount('/home/ann/svc', '/home/ann/svc2')).toBe('/home/ann/svc2');
  expect(pathInMount('/home/ann/svc', 'projects/a')).toBe('/projects/a');
  expect(pathInMount('/home/ann/svc', '../../etc')).toBe('/etc');
});
