import { freemem } from 'node:os';
import { controlGroupLimit } from '../../lib/control-group.ts';

const SHARE = 1 / 4;
const LARGEST_BYTES = 1024 ** 3;

/**
 * A quarter of what this machine has available, or of what the process's control groups allow when that is less; at
 * most 1 GiB, and at least `smallestBytes`.
 */
export function memoryBudget(
  smallestBytes: number,
  system: { readonly availableBytes: number; readonly limitBytes: number } = measured(),
): number {
  const available = Math.min(system.availableBytes, system.limitBytes);
  return Math.max(smallestBytes, Math.min(LARGEST_BYTES, Math.floor(available * SHARE)));
}

function measured(): { readonly availableBytes: number; readonly limitBytes: number } {
  return { availableBytes: freemem(), limitBytes: controlGroupLimit() };
}
