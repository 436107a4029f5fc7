const SMALLEST = 16 * 1024;
const MIB = 1024 * 1024;

/**
 * The size of the buffer that serves `sizeBytes`: few sizes, so that buffers fit again. Powers of two from 16 KiB up
 * to `largestBlock`, whole MiB above, where doubling would waste too much.
 */
export function capacityFor(sizeBytes: number, largestBlock: number): number {
  if (sizeBytes > largestBlock) return Math.ceil(sizeBytes / MIB) * MIB;
  let capacity = SMALLEST;
  while (capacity < sizeBytes) capacity *= 2;
  return capacity;
}

/** As `capacityFor`, of a buffer over the budget: up to `largestBlock` it is not used again, and need not fit others. */
export function overdraftFor(sizeBytes: number, largestBlock: number): number {
  if (sizeBytes > largestBlock) return capacityFor(sizeBytes, largestBlock);
  return Math.ceil(sizeBytes / SMALLEST) * SMALLEST;
}
