/** Extended attributes of files, folders, projects and volumes, with getfattr, setfattr and the tools that copy them. */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestUser } from '../service/test-service.ts';
import { mustRun, run, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

let served: ServedMount;
let other: TestUser;
let project: string;
let file: string;
let count = 0;

beforeAll(async () => {
  served = await ServedMount.start();
  other = new TestUser(served.endpoint, 'demo', served.token);
  const made = await other.project('Xattr');
  await other.folder(made.root_folder, 'folder');
  await served.unmount();
  await served.mount();
  project = served.path('projects', made.id);
});

afterAll(() => served?.clean());

beforeEach(async () => {
  file = `${project}/file-${++count}`;
  await writeFile(file, 'content');
});

const get = (name: string, path = file) => mustRun('getfattr', ['--only-values', '-n', name, path]);
const set = (name: string, value: string, path = file) =>
  mustRun('setfattr', ['-n', name, '-v', value, path]);
const refusal = async (...args: string[]) => (await run('setfattr', args)).stderr.trim().split(': ').at(-1);

/** The file as another client sees it. */
async function onService(path = file): Promise<{ metadata: Record<string, string>; tags: string[] }> {
  return (await other.get(`/files/${await get('user.svc.id', path)}`)).body;
}

test('setfattr is on the service when it returns, for one request', async () => {
  await get('user.svc.id');
  expect((await served.counting(() => set('user.sample', 'S 1'))).apiRequests).toBe(1);
  expect((await onService()).metadata).toMatchObject({ sample: 'S 1' });
  expect((await served.counting(() => get('user.sample'))).apiRequests).toBe(0);
});

test('setfattr -x removes one pair and keeps the others', async () => {
  await set('user.a', '1');
  await set('user.b', '2');
  await mustRun('setfattr', ['-x', 'user.a', file]);
  expect((await onService()).metadata).toMatchObject({ b: '2' });
  expect((await onService()).metadata).not.toHaveProperty('a');
  expect((await run('getfattr', ['-n', 'user.a', file])).stderr).toContain('No such attribute');
});

test('tags and all metadata are set as JSON', async () => {
  await set('user.svc.tags', '["a","b c"]');
  await set('user.svc.metadata', '{"x":"1","y":"2"}');
  expect(await onService()).toMatchObject({ tags: ['a', 'b c'], metadata: { x: '1', y: '2' } });
  expect(await get('user.y')).toBe('2');
});

test('what the platform would refuse is refused at once, with a reason', async () => {
  expect(await refusal('-n', `user.${'k'.repeat(101)}`, '-v', 'v', file)).toBe(
    'Numerical result out of range',
  );
  expect(await refusal('-n', 'user.k', '-v', 'v'.repeat(301), file)).toBe('Argument list too long');
  expect(await refusal('-n', 'user.k', '-v', '0xff', file)).toBe(
    'Invalid or incomplete multibyte or wide character',
  );
  expect(await refusal('-n', 'user.svc.tags', '-v', '["a",""]', file)).toBe('Invalid argument');
  expect(await refusal('-n', 'user.svc.id', '-v', 'x', file)).toBe('Operation not permitted');
  expect(await get('user.svc.error')).toContain('user.svc.id is read-only');
});

test('cp --preserve, rsync -X and tar carry attributes over', async () => {
  await set('user.sample', 'S1');
  await mustRun('cp', ['--preserve=all', file, `${file}.cp`]);
  expect(await get('user.sample', `${file}.cp`)).toBe('S1');
  await mustRun('rsync', ['-aX', file, `${file}.rsync`]);
  expect(await get('user.sample', `${file}.rsync`)).toBe('S1');
  const name = file.slice(project.length + 1);
  await shell(`mkdir untarred && tar -c --xattrs ${name} | tar -x --xattrs -C untarred`, { cwd: project });
  expect(await get('user.sample', `${project}/untarred/${name}`)).toBe('S1');
});

test('attributes set while a file is written come with its content', async () => {
  const written = `${file}.written`;
  await shell(`exec 3> ${written}; echo x >&3; setfattr -n user.sample -v S2 ${written}; exec 3>&-`);
  expect((await onService(written)).metadata).toMatchObject({ sample: 'S2' });
});

test('folders have fields and no metadata', async () => {
  const folder = `${project}/folder`;
  expect(await get('user.svc.project', folder)).toBe(project.split('/projects/')[1]);
  expect(await refusal('-n', 'user.k', '-v', 'v', folder)).toBe('Operation not supported');
  expect((await run('getfattr', ['-n', 'user.k', folder])).stderr).toContain('No such attribute');
});

test('a project shows its fields, and its name and description can be changed', async () => {
  await set('user.svc.description', 'What it is about', project);
  await set('user.svc.name', 'Another name', project);
  const id = await get('user.svc.id', project);
  expect((await other.get(`/projects/${id}`)).body).toMatchObject({
    name: 'Another name',
    description: 'What it is about',
  });
  expect(await refusal('-n', 'user.svc.root_folder', '-v', 'x', project)).toBe('Operation not permitted');
  await mustRun('ls', [project]);
});

test('volumes and their objects show where they are', async () => {
  const volume = served.path('volumes/demo/results');
  expect(await get('user.svc.access_mode', volume)).toBe('RW');
  expect(await get('user.svc.etag', `${volume}/README.md`)).not.toBe('');
  expect(await get('user.svc.location', `${volume}/README.md`)).toBe('README.md');
});

test('more metadata than a list of names may hold is truncated, and whole in user.svc.metadata', async () => {
  const pairs = Object.fromEntries(
    Array.from({ length: 990 }, (_, index) => [String(index).padStart(100, 'k'), 'v']),
  );
  await other.call('PUT', `/files/${await get('user.svc.id')}/metadata`, { body: pairs });
  await served.unmount();
  await served.mount();
  const names = (await mustRun('getfattr', ['-m', '-', file])).split('\n');
  expect(names.length).toBeLessThan(990);
  const pages = names.filter((name) => name.startsWith('user.svc.metadata'));
  const read = await Promise.all(pages.map(async (page) => JSON.parse(await get(page))));
  expect(Object.keys(Object.assign({}, ...read))).toHaveLength(990);
  await mustRun('cp', ['--preserve=xattr', file, `${file}.copy`]);
  expect(Object.keys((await onService(`${file}.copy`)).metadata)).toHaveLength(990);
});
