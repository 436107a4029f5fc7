import { versionKey } from '../../content/content-version.ts';
import type { DiskCache } from '../../content/disk/disk-cache.ts';
import { entryBytes } from '../../content/disk/entry-size.ts';
import type { Room } from '../../content/disk/room.ts';
import type { ContentVersion } from '../../content/ports.ts';
import { describeSize } from '../../lib/describe-size.ts';

interface Taken {
  readonly bytes: number;
  /** The warm-ups that fetch it now, or have fetched it. */
  readonly takers: number;
}

/** Room in a disk cache for files that are to be there together: more of them would only push out one another. */
export class WarmUpRoom {
  readonly #room: Room;
  readonly #taken = new Map<string, Taken>();
  #takenBytes = 0;

  static async measure(disk: DiskCache): Promise<WarmUpRoom> {
    return new WarmUpRoom(await disk.measureRoom());
  }

  private constructor(room: Room) {
    this.#room = room;
  }

  /** Throws when a version does not fit beside those before it. The same one again takes no more. */
  take(version: ContentVersion): void {
    const { bytes: before, takers } = this.#takenBy(version);
    const own = Math.max(before, entryBytes(version.sizeBytes));
    const { bytes, remedy } = this.#room;
    if (own > before && this.#takenBytes - before + own > bytes)
      throw new Error(`does not fit: the disk cache has room for ${describeSize(bytes)}; ${remedy}`);
    this.#set(version, { bytes: own, takers: takers + 1 });
  }

  /** One who took a version could not bring in more than so many bytes of it. It keeps its room while another may. */
  giveBack(version: ContentVersion, broughtBytes: number): void {
    const { bytes, takers } = this.#takenBy(version);
    this.#set(version, { bytes: takers > 1 ? bytes : entryBytes(broughtBytes), takers: takers - 1 });
  }

  #takenBy(version: ContentVersion): Taken {
    return this.#taken.get(versionKey(version)) ?? { bytes: 0, takers: 0 };
  }

  #set(version: ContentVersion, taken: Taken): void {
    this.#takenBytes += taken.bytes - this.#takenBy(version).bytes;
    this.#taken.set(versionKey(version), taken);
  }
}
