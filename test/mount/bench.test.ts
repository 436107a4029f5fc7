/** `svcfs bench`: figures of a mount, and nothing left behind. */
import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Measured } from '../../src/cli/bench/measured.ts';
import { TestUser } from '../service/test-service.ts';
import { ServedMount } from '../support/served-mount.ts';

let served: ServedMount;
beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());

const project = (): string => served.path('projects', 'demo', 'rna-seq-study');

async function measure(path: string): Promise<{ readonly measured: Measured; readonly said: string }> {
  const { code, stdout, stderr } = await served.sandbox.svcfs(['bench', '--json', path]);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return { measured: JSON.parse(stdout), said: stderr };
}

test('bench measures a folder, keeps to the requests that it said, and leaves nothing', async () => {
  const before = await readdir(project());
  const { measured, said } = await measure(project());
  expect(said).toContain('removes them for good');
  expect(measured.leftOut).toEqual([]);
  expect(measured.write?.bytes).toBeGreaterThanOrEqual(4 * 1024 * 1024);
  expect(measured.read?.bytes).toBeGreaterThanOrEqual(4 * 1024 * 1024);
  expect(measured.random?.reads).toBeGreaterThan(0);
  expect(measured.curl?.bytesPerSecond).toBeGreaterThan(0);
  expect(measured.writeSmall).toMatchObject({ files: 20 });
  expect(measured.listing?.entries).toBeGreaterThanOrEqual(21);
  expect(measured.requests).toBeLessThanOrEqual(200);
  expect(await readdir(project())).toEqual(before);
});

test('bench removes what it wrote when it is interrupted', async () => {
  const before = await readdir(project());
  const bench = served.sandbox.start(['bench', project()]);
  await expect
    .poll(async () => (await readdir(project())).length, { timeout: 20_000 })
    .toBe(before.length + 1);
  bench.signal('SIGINT');
  expect(await bench.exited()).toBe(1);
  expect(await readdir(project())).toEqual(before);
});

test('bench says which command tells why where it may not write', async () => {
  const admin = async (...args: string[]): Promise<string> =>
    (await served.sandbox.svcfs(['admin', ...args, '--data', served.data])).stdout.trim();
  await admin('users', 'add', 'owner');
  const owner = new TestUser(served.endpoint, 'owner', await admin('tokens', 'create', 'owner'));
  const { id } = await owner.project('Given');
  await owner.post(`/projects/${id}/members`, { username: 'demo', permissions: { read: true } });
  const { code, stderr } = await served.sandbox.svcfs(['bench', served.path('projects', id)]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/svcfs: EACCES: .*, mkdir '.*'\nsvcfs why .*\/svcfs-bench-\w+ tells why\n$/);
});

test('bench reads what is on a volume, and says why it writes nothing', async () => {
  const { measured, said } = await measure(served.path('volumes', 'demo', 'reference'));
  expect(said).toContain('writes nothing');
  expect(measured.leftOut[0]).toContain('nothing can be removed from a volume again');
  expect(measured.readSmall?.files).toBeGreaterThan(0);
  expect(measured.write).toBeUndefined();
  expect(measured.requests).toBeLessThanOrEqual(100);
});

test.each([
  ['--trash', ['--trash', '7']],
  ['--no-delete', ['--no-delete']],
])('bench writes nothing in a mount with %s, where it would stay', async (option, args) => {
  await served.unmount();
  await served.mount(args);
  const before = await readdir(project());
  const { measured } = await measure(project());
  expect(measured.leftOut[0]).toMatch(
    new RegExp(`^writing: .*\\(${option}\\), and what was written would stay$`),
  );
  expect(await readdir(project())).toEqual(before);
});

test('bench wants a folder of a project, or what is on a volume', async () => {
  expect(await served.sandbox.svcfs(['bench', served.sandbox.root])).toMatchObject({ code: 12 });
  const top = await served.sandbox.svcfs(['bench', served.sandbox.mountPoint]);
  expect(top).toMatchObject({ code: 1, stdout: '' });
  expect(top.stderr).toContain('no file or folder of a project or volume');
});
