import { beforeEach, expect, it } from 'vitest';
import { NEVER_ABORTED } from '../../../../src/lib/shared-signals.ts';
import type { DirectoryNode } from '../../../../src/vfs/model/node.ts';
import { ReadingWorld } from '../../../support/reading-world.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const FOLDERS = 40;
let world: ReadingWorld;
let root: string;

beforeEach(() => {
  world = new ReadingWorld();
  world.platform.room.add('prefetch');
  root = world.platform.rootOf('one');
});

/** Lets listings that were begun end. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lists as `find` does: a folder, then those in it, each to its end. Answers the folders it came to. */
async function walk(directory: DirectoryNode, most: number): Promise<number> {
  let count = 1;
  await world.list(directory);
  for (const node of [...directory.children.nodes()]) {
    if (count >= most) return count;
    if (node.kind === 'project-folder') count += await walk(node, most - count);
  }
  return count;
}

/** Folders beside each other, each with one folder in it. */
function addTree(): void {
  for (let index = 0; index < FOLDERS / 2; index++) {
    const outer = world.platform.addFolder(root, `d${String(index).padStart(2, '0')}`);
    world.platform.addFolder(outer.id, 'inner');
  }
}

it('lists the next folders of a walk before the walker comes to them, each once', async () => {
  addTree();
  const top = await world.directory('projects/ada/one');
  await walk(top, 4);
  world.platform.taken();
  await settled();
  const ahead = [...top.children.nodes()].filter((node) => world.tree.isComplete(node as DirectoryNode));
  expect(ahead.length).toBeGreaterThan(4);
  world.tree.expire(top);
  for (const node of top.children.nodes()) world.tree.expire(node as DirectoryNode);
  world.platform.taken();
  expect(await walk(top, 1_000)).toBe(1 + FOLDERS);
  await settled();
  expect(world.platform.taken().filter((call) => call === 'files.list').length).toBeLessThanOrEqual(
    1 + FOLDERS,
  );
});

it('has several listings under way while the walker waits for one', async () => {
  addTree();
  await walk(await world.directory('projects/ada/one'), 2);
  const inner = await world.directory('projects/ada/one/d00/inner');
  world.platform.taken();
  const release = world.platform.hold('files.list');
  const listing = world.list(inner);
  await waitUntil(() => world.platform.calls.filter((call) => call === 'files.list').length === 5);
  release();
  await listing;
});

it('lists a bounded number of folders for a walk that ends early', async () => {
  for (let index = 0; index < 300; index++) world.platform.addFolder(root, `d${index}`);
  const top = await world.directory('projects/ada/one');
  await walk(top, 4);
  await settled();
  expect(world.platform.taken().filter((call) => call === 'files.list').length).toBeLessThanOrEqual(
    3 + 3 + 17,
  );
});

it('lists nothing beside the folder that a walk begins in', async () => {
  addTree();
  const walked = world.platform.addFolder(root, 'a');
  for (const name of ['x', 'y', 'z']) world.platform.addFolder(walked.id, name);
  await world.tree.childrenOf(await world.directory('projects/ada/one'), NEVER_ABORTED);
  world.platform.taken();
  expect(await walk(await world.directory('projects/ada/one/a'), 1_000)).toBe(4);
  await settled();
  expect(world.platform.taken().filter((call) => call === 'files.list').length).toBe(4);
});

it('does nothing for a person who looks into one folder after the other', async () => {
  addTree();
  const top = await world.directory('projects/ada/one');
  await world.list(top);
  for (const name of ['d00', 'd01', 'd02']) {
    await world.clock.advance(3_000);
    await world.list(await world.directory(`projects/ada/one/${name}`));
  }
  await settled();
  expect(world.platform.taken().filter((call) => call === 'files.list')).toHaveLength(4);
});

it('does nothing while the rate budget has no room for it', async () => {
  addTree();
  world.platform.room.clear();
  const top = await world.directory('projects/ada/one');
  await walk(top, 6);
  await settled();
  expect(world.platform.taken().filter((call) => call === 'files.list')).toHaveLength(6);
});
