import { versionKey } from '../../content/content-version.ts';
import type { DiskCache } from '../../content/disk/disk-cache.ts';
import { entryBytes } from '../../content/disk/entry-size.ts';
import type { ContentVersion } from '../../content/ports.ts';
import { describeSize } from '../../lib/describe-size.ts';

/** Room in a disk cache for files that are to be there together: more of them would only push out one another. */
export class WarmUpRoom {
  readonly #roomBytes: number;
  readonly #remedy: string;
  readonly #taken = new Set<string>();
  #takenBytes = 0;

  static async measure(disk: DiskCache): Promise<WarmUpRoom> {
    const roomBytes = await disk.measureRoom();
    const atLimit = roomBytes === disk.limits.sizeBytes;
    return new WarmUpRoom(
      roomBytes,
      atLimit ? 'raise --cache-size' : 'free space on its disk, or lower --cache-min-free',
    );
  }

  private constructor(roomBytes: number, remedy: string) {
    this.#roomBytes = roomBytes;
    this.#remedy = remedy;
  }

  /** Throws when a version does not fit beside those before it. The same one again takes no more. */
  take(version: ContentVersion): void {
    const key = versionKey(version);
    if (this.#taken.has(key)) return;
    const takenBytes = this.#takenBytes + entryBytes(version.sizeBytes);
    if (takenBytes > this.#roomBytes)
      throw new Error(
        `does not fit: the disk cache has room for ${describeSize(this.#roomBytes)}; ${this.#remedy}`,
      );
    this.#taken.add(key);
    this.#takenBytes = takenBytes;
  }
}
