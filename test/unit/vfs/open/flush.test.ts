import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChangingWorld, O_EXCL, O_RDONLY, O_TRUNC, O_WRONLY } from '../../../support/changing-world.ts';

let world: ChangingWorld;
beforeEach(async () => {
  world = await ChangingWorld.start();
});
afterEach(() => world.end());

it('publishes what the opener wrote when it closes', async () => {
  const { handle } = await world.create('a.txt');
  await world.write(handle, 'hello');
  expect(await world.onPlatform()).toEqual({});
  await world.side.openFiles.flush(handle, world.by());
  expect(await world.onPlatform()).toEqual({ 'a.txt': 'hello' });
  await world.side.openFiles.release(handle);
});

it('publishes nothing at a flush before the first byte', async () => {
  const { handle } = await world.create('a.txt');
  await world.side.openFiles.flush(handle, world.by());
  expect(await world.onPlatform()).toEqual({});
  await world.close(handle);
});

it('publishes an empty file at its last release', async () => {
  const { handle } = await world.create('empty');
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ empty: '' });
});

it('leaves publishing to the opener when its children close the file', async () => {
  const opener = world.by(10);
  const { handle } = await world.create('log', { by: opener });
  await world.write(handle, 'one');
  await world.side.openFiles.flush(handle, world.by(11));
  expect(await world.onPlatform()).toEqual({});
  await world.write(handle, 'two', 3);
  await world.side.openFiles.flush(handle, opener);
  expect(await world.onPlatform()).toEqual({ log: 'onetwo' });
  await world.side.openFiles.release(handle);
});

it('publishes at release what only other processes closed', async () => {
  const { handle } = await world.create('log', { by: world.by(10) });
  await world.write(handle, 'text');
  await world.close(handle, world.by(11));
  expect(await world.onPlatform()).toEqual({ log: 'text' });
});

it('answers a dying process without the upload, and publishes after that', async () => {
  const { handle } = await world.create('out');
  await world.write(handle, 'text');
  world.processes.ends.set(1, 'exit');
  await world.side.openFiles.flush(handle, world.by());
  expect(await world.onPlatform()).toEqual({});
  await world.side.openFiles.release(handle);
  expect(await world.onPlatform()).toEqual({ out: 'text' });
});

it('with --on-killed=recover keeps what a killed program wrote aside, and publishes nothing of it', async () => {
  await world.end();
  world = await ChangingWorld.start({ options: { onKilled: 'recover' } });
  const node = await world.put('there', 'old');
  const overwritten = await world.open(node, O_WRONLY | O_TRUNC);
  await world.write(overwritten, 'half');
  const { handle: made } = await world.create('out');
  await world.write(made, 'text');
  world.processes.ends.set(1, 'kill');
  for (const handle of [overwritten, made]) await world.close(handle);
  expect(await world.onPlatform()).toEqual({ there: 'old' });
  expect(await world.cat('there')).toBe('old');
  expect(await world.child('out')).toBeUndefined();
  const kept = world.tree.errors.list().map(({ text }) => /kept at (\S+)/.exec(text)?.[1] ?? '');
  expect(await Promise.all(kept.map((path) => readFile(path, 'utf8')))).toEqual(['half', 'text']);
});

it('with --on-killed=recover says when only a part of the file is kept', async () => {
  await world.end();
  world = await ChangingWorld.start({ options: { onKilled: 'recover' } });
  const handle = await world.open(await world.put('log', 'old'), O_WRONLY);
  await world.write(handle, 'new', 3);
  world.processes.ends.set(1, 'kill');
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ log: 'old' });
  const { text = '' } = world.tree.errors.lastAt('/one/log') ?? {};
  expect(text).toContain('what was not written since it was opened is left out');
  expect(await readFile(/kept at ([^,\s]+)/.exec(text)?.[1] ?? '', 'latin1')).toBe('\0\0\0new');
});

it('with --on-killed=recover publishes what a program left open at its own exit', async () => {
  await world.end();
  world = await ChangingWorld.start({ options: { onKilled: 'recover' } });
  const { handle } = await world.create('out');
  await world.write(handle, 'text');
  world.processes.ends.set(1, 'exit');
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ out: 'text' });
});

it('shows a draft to all handles of the file, and the old content to other clients until it is closed', async () => {
  const node = await world.put('a.txt', 'old');
  const reader = await world.open(node, O_RDONLY);
  expect(await world.read(reader)).toBe('old');
  const writer = await world.open(node, O_WRONLY | O_TRUNC);
  await world.write(writer, 'newer');
  expect(await world.read(reader)).toBe('newer');
  expect(await world.onPlatform()).toEqual({ 'a.txt': 'old' });
  await world.close(writer);
  expect(await world.onPlatform()).toEqual({ 'a.txt': 'newer' });
  expect(await world.read(reader)).toBe('newer');
  await world.close(reader);
});

it('appends to what is published', async () => {
  const node = await world.put('a.txt', 'one');
  const handle = await world.open(node, O_WRONLY);
  await world.write(handle, 'two', 3);
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ 'a.txt': 'onetwo' });
});

it('publishes a truncation by path inside the request', async () => {
  const node = await world.put('a.txt', 'abcdef');
  await world.side.mutations.setattr(node, { sizeBytes: 3 }, { handle: undefined, context: world.by() });
  expect(await world.onPlatform()).toEqual({ 'a.txt': 'abc' });
});

it('keeps metadata and tags of a file that is overwritten', async () => {
  const node = await world.put('a.txt', 'old');
  await world.tree.api.files.edit(node.record!.id, { metadata: { sample: 's1' }, tags: ['raw'] });
  world.tree.expire(world.folder);
  await world.put('a.txt', 'new');
  const found = (await world.child('a.txt')) as typeof node;
  const record = await world.tree.api.files.get(found.record!.id);
  expect(record).toMatchObject({ metadata: { sample: 's1' }, tags: ['raw'] });
});

it('gives the second of two exclusive creators EEXIST when it closes', async () => {
  const { handle } = await world.create('lock', { flags: O_WRONLY | O_EXCL });
  await world.write(handle, 'mine');
  await world.user.upload((await world.user.get('/projects/ada/one')).body.root_folder, 'lock', 'theirs');
  await expect(world.side.openFiles.flush(handle, world.by())).rejects.toMatchObject({ code: 8005 });
  await world.side.openFiles.release(handle);
  expect(await world.onPlatform()).toEqual({ lock: 'theirs' });
});
