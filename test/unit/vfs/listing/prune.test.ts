import { beforeEach, describe, expect, it } from 'vitest';

import { Details } from '../../../../src/vfs/directories/details.ts';
import { Directories } from '../../../../src/vfs/directories/directories.ts';
import { GoneDirectories } from '../../../../src/vfs/listing/gone-directories.ts';
import { Listings } from '../../../../src/vfs/listing/listings.ts';
import { Placement } from '../../../../src/vfs/listing/placement.ts';
import { prune } from '../../../../src/vfs/listing/prune.ts';
import { KernelLink } from '../../../../src/vfs/model/kernel-link.ts';
import type { DirectoryNode } from '../../../../src/vfs/model/node.ts';
import { NodeMaker } from '../../../../src/vfs/model/node-maker.ts';
import { NEVER, ReadingWorld, RecordedKernel, TTL_MS } from '../../../support/reading-world.ts';

it('above the limit the oldest files are dropped, and those the kernel holds are asked back', async () => {
  const world = new ReadingWorld();
  world.platform.addFiles(world.platform.rootOf('one'), 100);
  const folder = await world.directory('projects/ada/one');
  await world.list(folder);
  for (const node of [...folder.children.nodes()].slice(10)) node.lookups = 0;
  const { nodes, folderState } = world.tree;
  const kernel = new KernelLink();
  const recorded = new RecordedKernel();
  kernel.attach(recorded);
  const placement = new Placement({
    nodes,
    make: undefined as never,
    kernel,
    clock: world.clock,
    folderState,
  });

  prune(nodes, placement, nodes.size);
  expect(recorded.entries).toEqual([]);

  const before = nodes.size;
  prune(nodes, placement, before - 5);
  expect(recorded.entries).toHaveLength(10);
  expect(nodes.size).toBeLessThan(before - 5);
  expect(await world.list(folder)).toHaveLength(100);
});

describe('what somebody is reading', () => {
  let world: ReadingWorld;
  let folder: DirectoryNode;
  let placement: Placement;
  beforeEach(async () => {
    world = new ReadingWorld();
    world.platform.addFiles(world.platform.rootOf('one'), 30);
    folder = await world.directory('projects/ada/one');
    const { clock, tree } = world;
    const { nodes, folderState } = tree;
    const make = new NodeMaker(nodes, folderState);
    placement = new Placement({ nodes, make, kernel: new KernelLink(), clock, folderState });
  });

  it('is given to its end, whatever is dropped meanwhile', async () => {
    const handle = world.directories.open(folder);
    const { entries } = await world.read(handle, 0, 12);
    prune(world.tree.nodes, placement, 5);
    const rest = await world.readAll(handle, 50, entries.at(-1)!.nextOffset);
    expect(rest).toHaveLength(20);
    world.directories.release(handle);
    prune(world.tree.nodes, placement, 5);
    expect([...folder.children.nodes()].filter(({ lookups }) => lookups === 0)).toEqual([]);
  });

  it('is let go of while a large directory is listed, and not only at its end', async () => {
    const { clock, tree } = world;
    const details = new Details({ api: tree.api, clock, ttlMs: TTL_MS, beliefs: world.beliefs });
    world.platform.crowds.set(world.platform.rootOf('one'), 10_050);
    let looks = 0;
    const listings = new Listings({
      directories: new Directories(tree.api, details, tree.options),
      placement,
      gone: new GoneDirectories({ api: world.tree.api, placement, onGone: () => undefined }),
      beliefs: world.beliefs,
      clock,
      ttlMs: TTL_MS,
      onComplete: () => undefined,
      onGrowth: () => void looks++,
      onUnusable: () => undefined,
    });
    expect(await listings.all(folder, NEVER)).toHaveLength(10_050);
    expect(looks).toBe(2);
  });

  it('is all there although its listing itself is too much to be kept', async () => {
    const { clock, tree } = world;
    const details = new Details({ api: tree.api, clock, ttlMs: TTL_MS, beliefs: world.beliefs });
    const listings = new Listings({
      directories: new Directories(tree.api, details, tree.options),
      placement,
      gone: new GoneDirectories({ api: world.tree.api, placement, onGone: () => undefined }),
      beliefs: world.beliefs,
      clock,
      ttlMs: TTL_MS,
      onComplete: () => prune(tree.nodes, placement, 5),
      onUnusable: () => undefined,
    });
    expect(await listings.all(folder, NEVER)).toHaveLength(30);
  });
});
