import { freemem } from 'node:os';

const SHARE = 1 / 4;
const LARGEST_BYTES = 1024 ** 3;

/**
 * A quarter of what this machine has available, or of what the process's control group may use when that is less; at
 * most 1 GiB, and at least `smallestBytes`.
 */
export function memoryBudget(
  smallestBytes: number,
  system: { readonly availableBytes: number; readonly limitBytes: number } = measured(),
): number {
  const available = Math.min(system.availableBytes, system.limitBytes);
  return Math.max(smallestBytes, Math.min(LARGEST_BYTES, Math.floor(available * SHARE)));
}

/** A control group without a limit has 0 here, or more than the machine. */
function measured(): { readonly availableBytes: number; readonly limitBytes: number } {
  return {
    availableBytes: freemem(),
    limitBytes: process.constrainedMemory() || Number.POSITIVE_INFINITY,
  };
}
