import type { StoredEntry } from './scan-entries.ts';

export interface SpaceLimits {
  /** Of all entries together. Infinity: as much as the disk has. */
  readonly sizeBytes: number;
  /** To be left free on the disk, which others may use too. */
  readonly minFreeBytes: number;
}

/** The space that is taken now. */
export interface SpaceTaken {
  readonly cachedBytes: number;
  readonly freeBytes: number;
}

/** Evicting makes room for that share of the limit more than is missing, or it would go on with every write. */
const SLACK = 1 / 16;
const LARGEST_SLACK_BYTES = 1024 ** 3;

/** How much is to be evicted; 0 when the limits hold and the disk `refused` nothing. */
export function excessBytes(taken: SpaceTaken, limits: SpaceLimits, refused: boolean): number {
  const { cachedBytes, freeBytes } = taken;
  const missing = Math.max(cachedBytes - limits.sizeBytes, limits.minFreeBytes - freeBytes, 0);
  if (missing === 0 && !refused) return 0;
  return missing + Math.min(Math.min(limits.sizeBytes, cachedBytes) * SLACK, LARGEST_SLACK_BYTES);
}

/** The entries used longest ago, until they hold that much. */
export function chooseVictims(entries: readonly StoredEntry[], bytes: number): readonly StoredEntry[] {
  const victims: StoredEntry[] = [];
  let freed = 0;
  for (const entry of [...entries].sort((a, b) => a.usedMs - b.usedMs)) {
    if (freed >= bytes) break;
    victims.push(entry);
    freed += entry.allocatedBytes;
  }
  return victims;
}
