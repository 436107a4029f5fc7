import { isLocalOnly } from '../model/identity.ts';
import type { Node } from '../model/node.ts';
import { isDirectory } from '../model/node.ts';
import type { NodeTable } from '../model/node-table.ts';
import type { Placement } from './placement.ts';

/** About a kilobyte each with what the platform tells of a file, pinned by the kernel until it forgets them. */
const MOST_NODES = 250_000;
/** Pruned down to this share, so that not every listing prunes again. */
const KEPT_SHARE = 0.9;

/**
 * Keeps the number of nodes in bounds: the oldest files that only lie in a cache are dropped, and of those that the
 * kernel holds it is asked to let go; what it gives up is dropped the next time.
 */
export function prune(nodes: NodeTable, placement: Placement, most = MOST_NODES): void {
  if (nodes.size <= most) return;
  let surplus = nodes.size - Math.floor(most * KEPT_SHARE);
  for (const node of nodes.values()) {
    if (surplus === 0) return;
    if (!isPrunable(node) || isNeeded(node)) continue;
    placement.giveUp(node);
    surplus--;
  }
}

/** Somebody is about to be told of it: a listing gives no name whose node is not in the tree. */
function isNeeded({ lookups, parent }: Node): boolean {
  return lookups === 0 && parent !== undefined && parent.children.readers > 0;
}

function isPrunable(node: Node): boolean {
  return node.parent !== undefined && !isDirectory(node) && !isLocalOnly(node);
}
