import { expect, it } from 'vitest';
import { type NodeId, ROOT_NODE } from '../../../../src/vfs/file-system.ts';
import { KernelLink } from '../../../../src/vfs/model/kernel-link.ts';
import { RecordedKernel } from '../../../support/reading-world.ts';

it('tells the kernel of the top of a mount by the number of its root, and of nothing above', () => {
  const kernel = new RecordedKernel();
  const link = new KernelLink();
  link.attach(kernel);
  link.setTop(7 as NodeId);
  link.invalidateEntry(7 as NodeId, 'in the top');
  link.invalidateEntry(ROOT_NODE, 'above');
  link.invalidateEntry(8 as NodeId, 'deeper');
  link.invalidateNode(7 as NodeId);
  link.invalidateNode(ROOT_NODE);
  expect(kernel.entries).toEqual([`${ROOT_NODE}/in the top`, '8/deeper']);
  expect(kernel.nodes).toEqual([ROOT_NODE]);
});
