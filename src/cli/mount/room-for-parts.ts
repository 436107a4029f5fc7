import type { MountOptions } from '../../config/mount-options.ts';
import { CliError } from '../exit-codes.ts';
import { LARGEST_BUDGET_BYTES } from './memory-budget.ts';

const MIB = 1024 * 1024;

/** Bytes in memory, and in the spool, that parts of a size need: one is on its way while the next one is filled. */
export function roomForParts(partSizeBytes: number): number {
  return 2 * partSizeBytes;
}

/** @throws CliError when parts of the given size have no room in a size that was given, or in the largest that is not */
export function requireRoomForParts(options: Pick<MountOptions, 'partSize' | 'memory' | 'spoolSize'>): void {
  const { partSize, memory, spoolSize } = options;
  const neededBytes = roomForParts(partSize);
  const given = { '--memory': memory ?? LARGEST_BUDGET_BYTES, '--spool-size': spoolSize };
  for (const [option, bytes] of Object.entries(given)) {
    if (bytes === undefined || bytes >= neededBytes) continue;
    const least = `${Math.ceil(neededBytes / MIB)}M`;
    throw new CliError('usage', `parts of the size given with --part-size need at least ${option} ${least}`);
  }
}
