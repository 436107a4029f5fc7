import { freemem } from 'node:os';
import { controlGroupAvailable } from '../../lib/control-group.ts';

const SHARE = 1 / 4;
/** More is for the user to decide. */
export const LARGEST_BUDGET_BYTES = 1024 ** 3;

interface Available {
  readonly machineBytes: number;
  readonly groupsBytes: number;
}

/**
 * A quarter of what this machine has available, or the process's control groups when that is less; at most 1 GiB, and at
 * least `smallestBytes`.
 */
export function memoryBudget(smallestBytes: number, available: Available = measured()): number {
  const bytes = Math.min(available.machineBytes, available.groupsBytes);
  return Math.max(smallestBytes, Math.min(LARGEST_BUDGET_BYTES, Math.floor(bytes * SHARE)));
}

function measured(): Available {
  return { machineBytes: freemem(), groupsBytes: controlGroupAvailable() };
}
