/** A volume that renames and deletes nothing: its bytes come by links, and go by a staging project. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { mustRun, run } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { volumeTools } from '../support/volume-tools.ts';

const STAGING = 'demo/rna-seq-study';

let served: ServedMount;
beforeAll(async () => {
  served = await ServedMount.start({ mountArgs: ['--staging-project', STAGING] });
});
afterAll(() => served?.clean());
afterEach(async () => {
  expect(await readdir(served.path('projects', STAGING, '.svcfs-staging'))).toEqual([]);
});

const { object, local, onVolume } = volumeTools(() => ({
  sandbox: served.sandbox,
  volume: 'demo/results',
  namesIn: async (directory) => (await readdir(join(served.data, 'buckets/demo-results', directory))).sort(),
}));

it('cp --backup writes what is new, and refuses what it would have to rename', async () => {
  await writeFile(local('mid'), 'one\n');
  const copy = ['--backup', local('mid'), object('mid')];
  await mustRun('cp', copy);
  await writeFile(local('mid'), 'two\n');
  expect(await run('cp', copy)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Operation not permitted'),
  });
  expect(await readFile(object('mid'), 'utf8')).toBe('one\n');
  expect(await onVolume()).toEqual(['mid']);
});
