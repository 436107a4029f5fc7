import { versionKey } from '../../content/content-version.ts';
import type { DiskCache } from '../../content/disk/disk-cache.ts';
import { entryBytes } from '../../content/disk/entry-size.ts';
import type { Room } from '../../content/disk/room.ts';
import type { ContentVersion } from '../../content/ports.ts';
import { describeSize } from '../../lib/describe-size.ts';

/** Room in a disk cache for files that are to be there together: more of them would only push out one another. */
export class WarmUpRoom {
  readonly #room: Room;
  readonly #taken = new Set<string>();
  #takenBytes = 0;

  static async measure(disk: DiskCache): Promise<WarmUpRoom> {
    return new WarmUpRoom(await disk.measureRoom());
  }

  private constructor(room: Room) {
    this.#room = room;
  }

  /** Throws when a version does not fit beside those before it. The same one again takes no more. */
  take(version: ContentVersion): void {
    const key = versionKey(version);
    if (this.#taken.has(key)) return;
    const takenBytes = this.#takenBytes + entryBytes(version.sizeBytes);
    const { bytes, remedy } = this.#room;
    if (takenBytes > bytes)
      throw new Error(`does not fit: the disk cache has room for ${describeSize(bytes)}; ${remedy}`);
    this.#taken.add(key);
    this.#takenBytes = takenBytes;
  }
}
