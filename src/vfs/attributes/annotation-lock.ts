import { Mutex, runHolding } from '../../lib/mutex.ts';
import type { ProjectFileNode } from '../model/node.ts';

const locks = new WeakMap<ProjectFileNode, Mutex>();

/**
 * Runs `task` while no other change of the metadata and tags that these files have on the platform runs: each change
 * builds on the result of the last one. The signal ends the waiting only. A caller that also needs the lock of their
 * content takes that first.
 */
export function holdingAnnotations<T>(
  nodes: readonly ProjectFileNode[],
  task: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const ordered = [...nodes].sort((a, b) => a.id - b.id);
  return runHolding(ordered.map(lockOf), task, signal);
}

function lockOf(node: ProjectFileNode): Mutex {
  const lock = locks.get(node) ?? new Mutex();
  locks.set(node, lock);
  return lock;
}
