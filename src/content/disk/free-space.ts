import { statfs } from 'node:fs/promises';
import type { Clock } from '../../lib/clock.ts';

/** Between two commits of btrfs, which tell of what was removed; an entry that is open elsewhere is closed as soon. */
const LATE_FOR_MS = 30_000;

/**
 * The free space of a disk. Removed files count as free at once, even before the disk reports their room. Otherwise the
 * next look would find too little and evict as much again.
 */
export class FreeSpace {
  readonly #directory: string;
  readonly #clock: Clock;
  /** Removed bytes that the disk did not report as free at once. */
  #lateBytes = 0;
  /** The free space that the disk reports in the end, if no process writes. */
  #awaitedBytes = 0;
  #lateUntilMs = 0;

  constructor(directory: string, clock: Clock) {
    this.#directory = directory;
    this.#clock = clock;
  }

  /** The free space that the disk reports, or the larger one that it is to report soon. */
  async bytes(): Promise<number> {
    const told = await this.told();
    if (this.#clock.monotonic() >= this.#lateUntilMs) return told;
    return Math.max(told, Math.min(told + this.#lateBytes, this.#awaitedBytes));
  }

  /** So many bytes were removed since there were `before`. */
  async removed(bytes: number, before: number): Promise<void> {
    this.#awaitedBytes = before + bytes;
    this.#lateBytes = Math.max(0, this.#awaitedBytes - (await this.told()));
    this.#lateUntilMs = this.#clock.monotonic() + LATE_FOR_MS;
  }

  /** The free space that the disk reports. */
  async told(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#directory);
    return bavail * bsize;
  }
}
