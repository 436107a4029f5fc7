import { expect, it } from 'vitest';

import { KernelLink } from '../../../src/vfs/kernel-link.ts';
import { Placement } from '../../../src/vfs/placement.ts';
import { prune } from '../../../src/vfs/prune.ts';
import { ReadingWorld, RecordedKernel } from '../../support/reading-world.ts';

it('above the limit the oldest files are dropped, and those the kernel holds are asked back', async () => {
  const world = new ReadingWorld();
  world.platform.addFiles(world.platform.rootOf('one'), 100);
  const folder = await world.directory('projects/ada/one');
  await world.list(folder);
  for (const node of [...folder.children.nodes()].slice(10)) node.lookups = 0;
  const { nodes } = world.tree;
  const kernel = new KernelLink();
  const recorded = new RecordedKernel();
  kernel.attach(recorded);
  const placement = new Placement({ nodes, make: undefined as never, kernel, clock: world.clock });

  prune(nodes, placement, nodes.size);
  expect(recorded.entries).toEqual([]);

  const before = nodes.size;
  prune(nodes, placement, before - 5);
  expect(recorded.entries).toHaveLength(10);
  expect(nodes.size).toBeLessThan(before - 5);
  expect(await world.list(folder)).toHaveLength(100);
});
