import { mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectories } from '../../../src/lib/make-directories.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'svcfs-directories-'));
});
afterEach(() => rm(root, { recursive: true }));

test('makes what is missing, and answers the first that was', async () => {
  expect(await makeDirectories(join(root, 'a', 'b', 'c'), 0o700)).toBe(join(root, 'a'));
  for (const path of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, path))).mode & 0o777).toBe(0o700);
  expect(await makeDirectories(join(root, 'a', 'b', 'd'))).toBe(join(root, 'a', 'b', 'd'));
});

test('is content with what is there', async () => {
  await symlink('.', join(root, 'link'));
  for (const path of ['/', root, join(root, 'link')]) expect(await makeDirectories(path)).toBeUndefined();
});

test('bears others that make the same, whenever they do', async () => {
  for (let round = 0; round < 500; round++) {
    const above = join(root, String(round), 'b');
    const paths = ['c', 'd', 'c', 'd'].map((name) => join(above, name));
    await Promise.all(paths.map((path) => makeDirectories(path)));
    expect(await readdir(above)).toEqual(['c', 'd']);
  }
});

test.each([
  ['a file', 'file', 'EEXIST'],
  ['a directory below a file', 'file/a/b', 'ENOTDIR'],
  ['a link that leads nowhere', 'astray', 'EEXIST'],
  ['a directory below such a link', 'astray/a', 'EEXIST'],
])('fails for %s', async (_, path, code) => {
  await writeFile(join(root, 'file'), '');
  await symlink('nowhere', join(root, 'astray'));
  await expect(makeDirectories(join(root, path))).rejects.toMatchObject({ code });
});

test.runIf(process.platform === 'linux')(
  'fails where the system knows no such directory: proc(5)',
  async () => {
    await expect(makeDirectories('/proc/none/below')).rejects.toMatchObject({ code: 'ENOENT' });
  },
);
