import { beforeEach, expect, it } from 'vitest';
import type { DirectoryNode } from '../../../../src/vfs/model/node.ts';
import { ReadingWorld, TTL_MS } from '../../../support/reading-world.ts';

let world: ReadingWorld;
let root: string;
let folder: DirectoryNode;

beforeEach(async () => {
  world = new ReadingWorld();
  world.platform.room.add('background');
  root = world.platform.rootOf('one');
  world.platform.addFiles(root, 3);
  folder = await world.directory('projects/ada/one');
  await world.list(folder);
  folder.lookups = 1;
  world.platform.taken();
});

const listings = (): number => world.platform.taken().filter((call) => call === 'files.list').length;

it('has what others made in a folder in use appear by itself, and the next listing wait for nothing', async () => {
  world.platform.addFile(root, 'output');
  await world.clock.advance(TTL_MS);
  expect(listings()).toBe(1);
  expect(world.kernel.entries).toContain(`${folder.id}/output`);
  expect(await world.list(folder)).toContain('output');
  expect(listings()).toBe(0);
});

it('lets a folder alone that nobody reads any more', async () => {
  await world.clock.advance(10 * TTL_MS);
  expect(listings()).toBeLessThanOrEqual(4);
  await world.clock.advance(10 * TTL_MS);
  expect(listings()).toBe(0);
  expect(world.clock.sleeping).toBe(0);
});

it('begins again for one that is read again', async () => {
  await world.clock.advance(10 * TTL_MS);
  await world.list(folder);
  listings();
  await world.clock.advance(TTL_MS);
  expect(listings()).toBe(1);
});

it('does nothing while the rate budget has no room for it', async () => {
  world.platform.room.clear();
  await world.clock.advance(2 * TTL_MS);
  expect(listings()).toBe(0);
});

it('leaves large folders to those who read them', async () => {
  world.platform.addFiles(root, 600);
  await world.clock.advance(2 * TTL_MS);
  await world.list(folder);
  listings();
  await world.clock.advance(TTL_MS);
  expect(listings()).toBe(0);
});

it('ends with the mount', async () => {
  world.tree.close();
  await world.clock.advance(2 * TTL_MS);
  expect(listings()).toBe(0);
});
