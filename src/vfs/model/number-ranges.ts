/**
 * Numbers of nodes and handles, apart by what they are of. The tree counts up from 1 and never comes to the next range.
 */
import type { FileHandle, NodeId } from '../file-system.ts';

const FIRST_OF_ANNEXES = 2 ** 48;
const FIRST_SYNTHETIC = 2 ** 50;
const FIRST = { annex: FIRST_OF_ANNEXES, synthetic: FIRST_SYNTHETIC } as const;

export function isAnnexNumber(id: NodeId | FileHandle): boolean {
  return id >= FIRST_OF_ANNEXES && id < FIRST_SYNTHETIC;
}

export function isSyntheticNumber(id: NodeId | FileHandle): boolean {
  return id >= FIRST_SYNTHETIC;
}

export function isTreeNumber(id: NodeId | FileHandle): boolean {
  return id < FIRST_OF_ANNEXES;
}

/** Counts up. No number is given twice within a mount. */
export class Numbers<T extends NodeId | FileHandle> {
  #next: number;

  constructor(range: keyof typeof FIRST) {
    this.#next = FIRST[range];
  }

  next(): T {
    return this.#next++ as T;
  }
}
