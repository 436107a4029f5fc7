import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { openFolderState } from '../../../../src/vfs/attributes/folder-state-file.ts';

let directory: ReturnType<typeof dirSync>;
let path: string;
beforeEach(() => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  path = join(directory.name, 'state', 'folders.json');
});
afterEach(() => directory.removeCallback());

it('mode and time of folders are found again by the next mount', async () => {
  const state = await openFolderState(path);
  state.set('f1', { mode: 0o700 });
  state.set('f2', { mtimeNs: 5n });
  state.set('f1', { mtimeNs: -9n });
  state.delete('f2');
  state.set('f3', { mode: 0o711, mtimeNs: 1n });
  state.forgetTime('f3');
  await state.flush();
  const next = await openFolderState(path);
  expect(next.get('f1')).toEqual({ mode: 0o700, mtimeNs: -9n });
  expect(next.get('f3')).toEqual({ mode: 0o711 });
  expect(next.get('f2')).toBeUndefined();
  expect(await readdir(join(directory.name, 'state'))).toEqual(['folders.json']);
});

it('what is set while a write is under way is written too', async () => {
  const state = await openFolderState(path);
  for (let index = 0; index < 50; index++) {
    state.set(`f${index}`, { mode: index });
    if (index % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await state.flush();
  expect((await openFolderState(path)).get('f49')).toEqual({ mode: 49 });
});

it('times in milliseconds, as earlier versions wrote them, are read', async () => {
  const old = join(directory.name, 'old.json');
  await writeFile(old, JSON.stringify({ f: { mode: 448, mtimeMs: 1234 } }));
  expect((await openFolderState(old)).get('f')).toEqual({ mode: 0o700, mtimeNs: 1_234_000_000n });
});

it('a file that is no such state is begun anew', async () => {
  const damaged = join(directory.name, 'damaged.json');
  await writeFile(damaged, '{"f1":');
  const state = await openFolderState(damaged);
  expect(state.get('f1')).toBeUndefined();
  state.set('f1', { mode: 1 });
  await state.flush();
  expect((await openFolderState(damaged)).get('f1')).toEqual({ mode: 1 });
});

it('what the disk refuses is told, and written when it takes it again', async () => {
  const state = await openFolderState(path);
  const obstacle = join(directory.name, 'state');
  await writeFile(obstacle, '');
  state.set('f1', { mode: 0o700 });
  await expect(state.flush()).rejects.toThrow('EEXIST');
  await expect(state.flush()).rejects.toThrow('EEXIST');
  await rm(obstacle);
  await state.flush();
  expect((await openFolderState(path)).get('f1')).toEqual({ mode: 0o700 });
});
