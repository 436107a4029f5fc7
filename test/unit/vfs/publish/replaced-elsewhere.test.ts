import { constants } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { folderIdOf } from '../../../../src/vfs/model/node.ts';
import {
  ChangingWorld,
  O_RDONLY,
  O_TRUNC,
  O_WRONLY,
  type WorldOptions,
} from '../../../support/changing-world.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { waitUntil } from '../../../support/wait-until.ts';

let world: ChangingWorld;

async function start(options?: WorldOptions): Promise<void> {
  world = await ChangingWorld.start(options);
}

afterEach(() => world.end());

it('replaces what another client put there meanwhile, and says so', async () => {
  const clock = new FakeClock();
  await start({ clock });
  const node = await world.put('a', 'old');
  const handle = await world.open(node, O_WRONLY);
  await world.write(handle, 'ours');
  const { root_folder: root } = (await world.user.get('/projects/ada/one')).body;
  await world.user.call('DELETE', `/files/${node.record!.id}`);
  await world.user.upload(root, 'a', 'theirs');
  await clock.advance(2000);
  await world.close(handle);
  expect(await world.onPlatform()).toEqual({ a: 'ours' });
  expect(world.tree.errors.lastAt('/one/a')).toMatchObject({ op: 'close', errno: 'ESTALE' });
});

it('with --conflict=fail lets what another client put there win, and keeps the bytes', async () => {
  const clock = new FakeClock();
  await start({ clock, options: { conflict: 'fail' } });
  const node = await world.put('a', 'old');
  const handle = await world.open(node, O_WRONLY | O_TRUNC);
  await world.write(handle, 'ours');
  const { root_folder: root } = (await world.user.get('/projects/ada/one')).body;
  await world.user.call('DELETE', `/files/${node.record!.id}`);
  await world.user.upload(root, 'a', 'theirs');
  await clock.advance(2000);
  await expect(world.close(handle)).rejects.toMatchObject({ errno: 'ESTALE' });
  expect(await world.onPlatform()).toEqual({ a: 'theirs' });
  expect(await world.cat('a')).toBe('theirs');
  const { text = '' } = world.tree.errors.lastAt('/one/a') ?? {};
  expect(await readFile(/kept at (\S+)/.exec(text)?.[1] ?? '', 'utf8')).toBe('ours');
  expect(world.writer.uploads()).toEqual([]);
});

it('does not mistake a file another client replaced for the one it knew', async () => {
  const clock = new FakeClock();
  await start({ clock });
  const node = await world.put('a', 'old');
  await world.user.call('DELETE', `/files/${node.record!.id}`);
  const { root_folder: root } = (await world.user.get('/projects/ada/one')).body;
  await world.user.upload(root, 'a', 'theirs');
  await clock.advance(2000);
  await expect(world.open(node, O_RDONLY)).rejects.toMatchObject({ errno: 'ESTALE' });
  expect(await world.cat('a')).toBe('theirs');
});

describe('a file that another client made under a name believed to be free', () => {
  const { O_CREAT, O_APPEND } = constants;
  /** The mount looked a while ago, and nothing was there. */
  async function madeElsewhere(): Promise<FakeClock> {
    const clock = new FakeClock();
    await start({ clock });
    expect(await world.child('log')).toBeUndefined();
    await clock.advance(2000);
    await world.user.upload(folderIdOf(world.folder), 'log', 'theirs');
    return clock;
  }

  async function keepsTheirs(flags: number): Promise<void> {
    await madeElsewhere();
    const { node, handle } = await world.create('log', { flags });
    expect(node.record?.sizeBytes).toBe(6);
    await world.write(handle, ' and ours', 6);
    await world.close(handle);
    expect(await world.onPlatform()).toEqual({ log: 'theirs and ours' });
  }

  it('is kept when it is appended to', () => keepsTheirs(O_WRONLY | O_CREAT | O_APPEND));

  it('is kept when it is touched', () => keepsTheirs(O_WRONLY | O_CREAT));

  it('is not replaced by mknod', async () => {
    const clock = await madeElsewhere();
    await world.side.mutations.mknod({ parent: world.folder, name: 'log' }, 0o100644, world.by());
    await clock.advance(2000);
    await waitUntil(() => world.tree.errors.list().length > 0);
    expect(await world.onPlatform()).toEqual({ log: 'theirs' });
  });
});

it('of another client is found by the open after a read that found the old bytes gone', async () => {
  await start();
  const { id } = (await world.put('a', 'old')).record!;
  const handle = await world.open((await world.child('a'))!, O_RDONLY);
  await world.user.call('DELETE', `/files/${id}`);
  await world.user.upload(folderIdOf(world.folder), 'a', 'new text');
  await expect(world.read(handle)).rejects.toMatchObject({ kind: 'changed' });
  expect(await world.cat('a')).toBe('new text');
  await world.close(handle);
});
