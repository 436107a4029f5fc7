/** Programs make files under names by which the mount shows others. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderIdOf } from '../../../../../src/vfs/model/node.ts';
import { ChangingWorld } from '../../../../support/changing-world.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

let world: ChangingWorld;
beforeEach(async () => {
  world = await ChangingWorld.start();
});
afterEach(() => world.end());

const mkdir = (name: string): unknown =>
  world.side.mutations.mkdir({ parent: world.folder, name }, 0o755, world.by());

it('a file gets the name that is shown like this', async () => {
  await world.put('svc~svc~a', 'text');
  expect(await world.onPlatform()).toEqual({ 'svc~a': 'text' });
  await world.put('svc~svc~a', 'changed');
  expect(await world.onPlatform()).toEqual({ 'svc~a': 'changed' });
  world.tree.expire(world.folder);
  expect(await world.cat('svc~svc~a')).toBe('changed');
});

it('a rename gives the name that is shown like this, and a rename takes it away', async () => {
  await world.put('a', 'text');
  await world.rename('a', 'svc~svc~b');
  expect(await world.onPlatform()).toEqual({ 'svc~b': 'text' });
  await world.rename('svc~svc~b', 'c');
  expect(await world.onPlatform()).toEqual({ c: 'text' });
});

it('a folder gets the name that is shown like this, and is moved by it', async () => {
  await mkdir('svc~svc~d');
  expect(await world.onPlatform()).toEqual({ 'svc~d': '/' });
  await world.rename('svc~svc~d', 'svc~svc~e');
  expect(await world.onPlatform()).toEqual({ 'svc~e': '/' });
});

it('a folder whose name is too long to be shown gets another', async () => {
  await world.end();
  const clock = new FakeClock();
  world = await ChangingWorld.start({ clock });
  await world.user.folder(folderIdOf(world.folder), 'ж'.repeat(200));
  const [shown] = await world.tree.childrenOf(world.folder, world.by().signal);
  if (shown === undefined) throw new Error('no folder');
  // The known facts still count, and are not fresh.
  await clock.advance(5000);
  await world.rename(shown.name, 'short');
  expect(await world.onPlatform()).toEqual({ short: '/' });
});

it('an object gets the key that is shown like this', async () => {
  const volume = await world.volume('results');
  await world.copy(await world.put('a', 'text'), 'svc~svc~a', volume);
  expect(await world.onVolume(volume)).toMatchObject({ 'svc~a': 'text' });
});

it.each(['svc~a', 'svc~a%2F', 'svc~%41'])('%s, which shows nothing, is refused with EPERM', async (name) => {
  await world.put('there', 'text');
  await expect(world.create(name)).rejects.toMatchObject({ errno: 'EPERM' });
  await expect(mkdir(name)).rejects.toMatchObject({ errno: 'EPERM' });
  await expect(world.rename('there', name)).rejects.toMatchObject({ errno: 'EPERM' });
  expect(await world.onPlatform()).toEqual({ there: 'text' });
});
