import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../lib/clock.ts';
import { type LevelEntry, readLevel } from './directory-level.ts';

/** Entries remembered over all directories; about 100 bytes each. */
const ENTRIES_REMEMBERED = 500_000;
/**
 * A directory changed so recently is not remembered: its mtime moves in steps of some milliseconds, so a second change
 * in the same step could not be told from the first.
 */
const SETTLED_MS = 1000;

/** A level as it was when the directory had this mtime. */
interface Level {
  readonly mtimeNs: bigint;
  readonly ino: bigint;
  readonly entries: readonly LevelEntry[];
}

/**
 * Levels of directory buckets in order. They are remembered while the directory is unchanged: otherwise every page of a
 * large folder would read and sort the whole folder again.
 */
export class SortedLevels {
  readonly #clock: Clock;
  readonly #levels = new LRUCache<string, Level>({
    maxSize: ENTRIES_REMEMBERED,
    sizeCalculation: ({ entries }) => entries.length + 1,
  });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Empty when there is no such directory. */
  async read(root: string, folder: string): Promise<readonly LevelEntry[]> {
    const path = join(root, folder);
    const directory = await stat(path, { bigint: true }).catch(() => undefined);
    if (directory === undefined) return [];
    const { mtimeNs, ino } = directory;
    const known = this.#levels.get(path);
    if (known !== undefined && known.mtimeNs === mtimeNs && known.ino === ino) return known.entries;
    const entries = await readLevel(root, folder);
    const settled = Number(directory.mtimeMs) + SETTLED_MS < this.#clock.now();
    if (settled) this.#levels.set(path, { mtimeNs, ino, entries });
    return entries;
  }
}
