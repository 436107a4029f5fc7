import { Mutex, runHolding } from '../../lib/mutex.ts';
import type { ProjectFileNode } from '../model/node.ts';

const locks = new WeakMap<ProjectFileNode, Mutex>();

/**
 * Runs `task` while nothing else changes the metadata and tags that these files have on the platform: each change is
 * built on what the last one left. The signal ends the waiting only. Who needs the lock of their content too takes that
 * first.
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
