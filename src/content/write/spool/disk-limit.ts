import { statfs } from 'node:fs/promises';
import type { Clock } from '../../../lib/clock.ts';
import { describeSize } from '../../../lib/describe-size.ts';
import { ContentError } from '../../ports.ts';

/** The disk that spools are on. */
export interface DiskRoom {
  readonly directory: string;
  /** How much more spools may take of it now. */
  bytes(): Promise<number>;
}

/**
 * The room that a disk has beyond the part to leave free. Default for that part: a twentieth of the disk, or half of the
 * free space where that is less.
 */
export function diskRoom(directory: string, leaveFreeBytes: number | undefined): DiskRoom {
  const bytes = async (): Promise<number> => {
    const { bavail, blocks, bsize } = await statfs(directory);
    const freeBytes = bavail * bsize;
    if (leaveFreeBytes !== undefined) return Math.max(0, freeBytes - leaveFreeBytes);
    return Math.max(freeBytes - (blocks * bsize) / 20, freeBytes / 2);
  };
  return { directory, bytes };
}

/** Others use the disk too. */
const KNOWN_FOR_MS = 1000;
/** So much of the room may be used up before the disk is asked again. */
const USED_SHARE = 1 / 4;

/** The limit of all spools together, by the free space of their disk, which is looked at again as it shrinks. */
export class DiskLimit {
  readonly #room: DiskRoom;
  readonly #clock: Pick<Clock, 'monotonic'>;
  #limitBytes = Number.POSITIVE_INFINITY;
  #untilMs = Number.NEGATIVE_INFINITY;
  #untilBytes = 0;
  #asking: Promise<void> | undefined;

  constructor(room: DiskRoom, clock: Pick<Clock, 'monotonic'>) {
    this.#room = room;
    this.#clock = clock;
    void this.refresh(0, 0);
  }

  /** As it was told last. */
  get bytes(): number {
    return this.#limitBytes;
  }

  /**
   * Asks the disk when what is known of it is old, or may not do for one who takes so much more. That one alone waits for the
   * answer, which is what this returns.
   */
  refresh(usedBytes: number, moreBytes: number): Promise<void> | undefined {
    const isEnough = usedBytes + moreBytes <= this.#untilBytes;
    if (isEnough && this.#clock.monotonic() < this.#untilMs) return undefined;
    this.#asking ??= this.measure(usedBytes).finally(() => {
      this.#asking = undefined;
    });
    return isEnough ? undefined : this.#asking;
  }

  /** A disk that does not tell has no limit until it refuses bytes. */
  async measure(usedBytes: number): Promise<void> {
    const roomBytes = await this.#room.bytes().catch(() => Number.POSITIVE_INFINITY);
    this.#limitBytes = usedBytes + roomBytes;
    this.#untilBytes = usedBytes + roomBytes * USED_SHARE;
    this.#untilMs = this.#clock.monotonic() + KNOWN_FOR_MS;
  }

  noSpace(usedBytes: number): ContentError {
    return new ContentError(
      'no-space',
      `the disk of the spool directory ${this.#room.directory} is full but for what is left free: files being written take ` +
        `${describeSize(usedBytes)} of it, and none of them is about to be finished; free space there, or write fewer ` +
        'files at once',
    );
  }
}
