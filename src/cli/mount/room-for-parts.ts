import type { MountOptions } from '../../config/mount-options.ts';
import { machineMemory } from '../../lib/machine-memory.ts';
import { CliError } from '../exit-codes.ts';
import { LARGEST_BUDGET_BYTES } from './memory-budget.ts';

const MIB = 1024 * 1024;

/** Bytes in memory, and in the spool, that parts of a size need: one is on its way while the next one is filled. */
export function roomForParts(partSizeBytes: number): number {
  return 2 * partSizeBytes;
}

/** @throws CliError when parts of the given size have no room in a size that was given, or in the largest that is not */
export function requireRoomForParts(
  options: Pick<MountOptions, 'partSize' | 'memory' | 'spoolSize'>,
  machineBytes: number = machineMemory(),
): void {
  const { partSize, memory, spoolSize } = options;
  const neededBytes = roomForParts(partSize);
  const need = 'parts of the size given with --part-size need';
  const least = `${Math.ceil(neededBytes / MIB)}M`;
  // No --memory would help: more than the machine has is refused.
  if (neededBytes > machineBytes) {
    const has = `${Math.floor(machineBytes / MIB)}M`;
    const remedy = 'give a smaller --part-size';
    throw new CliError(
      'usage',
      `${need} ${least} of memory, and this machine or its control group has ${has}; ${remedy}`,
    );
  }
  const given = { '--memory': memory ?? LARGEST_BUDGET_BYTES, '--spool-size': spoolSize };
  for (const [option, bytes] of Object.entries(given)) {
    if (bytes === undefined || bytes >= neededBytes) continue;
    throw new CliError('usage', `${need} at least ${option} ${least}; give that, or a smaller --part-size`);
  }
}
