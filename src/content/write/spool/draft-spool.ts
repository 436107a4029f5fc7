/**
 * The spool of one draft: the file with the bytes that were written here, opened when it is first needed. It counts the
 * room that they take beside those of all other drafts, and whether they survive the end of the machine.
 */
import { dirname } from 'node:path';
import { Mutex } from '../../../lib/mutex.ts';
import { syncDirectory } from '../../../lib/sync.ts';
import type { ByteRange } from '../../byte-range.ts';
import { ContentError } from '../../ports.ts';
import { explainDiskFailure, isDiskFull } from './disk-failure.ts';
import { type ExtentMap, hasReleased } from './extent-map.ts';
import { punchHole, requireHoles } from './punch-hole.ts';
import { removeSpool, SpoolFile } from './spool-file.ts';
import type { SpoolSpace, SpoolTenant } from './spool-space.ts';

export interface DraftSpoolOptions {
  readonly path: string;
  readonly space: SpoolSpace;
  /** The tenant that is charged for the room. */
  readonly tenant: SpoolTenant;
  /** The bytes that an ended mount left in it are on the disk. */
  readonly onDisk: boolean;
  /** Called when the disk has refused some of the bytes. */
  readonly onRefusal: () => void;
}

export class DraftSpool {
  readonly #options: DraftSpoolOptions;
  #file: Promise<SpoolFile> | undefined;
  #heldBytes = 0;
  #nameIsDurable = false;
  #mayHaveHoles = false;
  /** How many changes are being made, how many were made, and how many of these were before the last sync. */
  #changing = 0;
  #changes = 0;
  #changesOnDisk: number;
  readonly #syncs = new Mutex();
  /** The disk refused some of the bytes, which may be others by now: Linux tells that to one fdatasync, and no later one. */
  #refusal: { readonly reason: unknown } | undefined;
  #closed = false;

  constructor(options: DraftSpoolOptions) {
    this.#options = options;
    this.#changesOnDisk = options.onDisk ? 0 : -1;
  }

  /** None of the draft's bytes are in it. */
  get isEmpty(): boolean {
    return this.#heldBytes === 0;
  }

  /** The bytes in it survive the end of the machine. */
  get onDisk(): boolean {
    return this.isEmpty || (this.#changing === 0 && this.#changesOnDisk === this.#changes);
  }

  /** The disk refused some of the bytes: those that are read back may be others. */
  get doubtful(): boolean {
    return this.#refusal !== undefined;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Does what takes so much room, and waits for that as a writer does: `ContentError` kind `no-space` when it cannot come. */
  async withRoom<T>(bytes: number, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { space, tenant } = this.#options;
    await space.admit(bytes, { tenant, signal });
    try {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (!isDiskFull(error) || !(await space.makeRoom({ tenant, signal }))) throw error;
        }
      }
    } finally {
      space.resize(-bytes);
    }
  }

  /** As `withRoom`, without waiting: false when there is no room now. */
  async tryWithRoom(bytes: number, work: () => Promise<void>): Promise<boolean> {
    const { space } = this.#options;
    if (!space.tryAdmit(bytes)) return false;
    try {
      await work();
    } finally {
      space.resize(-bytes);
    }
    return true;
  }

  /** To be called when the map says otherwise of what is in it. */
  account(map: ExtentMap): void {
    if (this.#closed) return;
    const { localBytes } = map;
    this.#options.space.resize(localBytes - this.#heldBytes);
    this.#heldBytes = localBytes;
    // The copy of these bytes that the service was sent stays in doubt.
    if (this.#refusal !== undefined && this.isEmpty && !hasReleased(map.extents)) this.#refusal = undefined;
  }

  /** Fills `into`; past the end of the file with zeros. */
  async read(offset: number, into: Uint8Array): Promise<void> {
    await (await this.#open()).read(offset, into);
  }

  /** Answers how many bytes of `data` the disk took; none: `ContentError` kind `no-space`. */
  async write(offset: number, data: Uint8Array): Promise<number> {
    return this.#changeOrNot((file) => file.write(offset, data));
  }

  async writeAll(offset: number, data: Uint8Array): Promise<void> {
    await this.#change((file) => file.writeAll(offset, data));
  }

  /** Gives back the room of what lies beyond, if there is any; what an ended mount wrote is in a file not opened yet. */
  async truncate(sizeBytes: number): Promise<void> {
    if (this.isEmpty && this.#file === undefined) return;
    await this.#changeOrNot((file) => file.truncate(sizeBytes));
  }

  /** Rejects when `punchHole` is not possible here: `ContentError` kind `no-space`. No bytes are in it from `end` on. */
  async requireHoles(end: number): Promise<void> {
    if (this.#mayHaveHoles) return;
    await this.#open();
    await requireHoles(this.#options.path, end);
    this.#mayHaveHoles = true;
  }

  /** Gives back the room of a range, whose bytes are elsewhere. */
  async punchHole(range: ByteRange): Promise<void> {
    await this.#open();
    await punchHole(this.#options.path, range);
  }

  /** Makes durable what it holds. Rejects, once it has, until it holds nothing any more. */
  sync(): Promise<void> {
    return this.#syncs.run(() => this.#sync());
  }

  /** Gives up the file: removed, or left on the disk for a later recovery. */
  async close({ keepSpool }: { readonly keepSpool: boolean }): Promise<void> {
    this.#options.space.resize(-this.#heldBytes);
    this.#heldBytes = 0;
    this.#closed = true;
    await (await this.#file?.catch(() => undefined))?.close();
    if (!keepSpool) await removeSpool(this.#options.path);
  }

  /** Counts at its end, since a sync that goes on meanwhile may have come too early for it. */
  async #change<T>(change: (file: SpoolFile) => Promise<T>): Promise<T> {
    try {
      return await this.#changeOrNot(change);
    } catch (error) {
      this.#changes += 1;
      throw error;
    }
  }

  /** As `#change`, of what the disk takes or refuses as a whole: refused, all is as before. */
  async #changeOrNot<T>(change: (file: SpoolFile) => Promise<T>): Promise<T> {
    this.#changing += 1;
    try {
      const answer = await change(await this.#open());
      this.#changes += 1;
      return answer;
    } finally {
      this.#changing -= 1;
    }
  }

  async #sync(): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal.reason;
    if (this.onDisk) return;
    const changes = this.#changes;
    const file = await this.#open();
    try {
      await file.sync();
    } catch (reason) {
      this.#refusal = { reason };
      this.#options.onRefusal();
      throw reason;
    }
    if (!this.#nameIsDurable) await this.#syncName();
    this.#nameIsDurable = true;
    this.#changesOnDisk = Math.max(this.#changesOnDisk, changes);
  }

  async #syncName(): Promise<void> {
    const directory = dirname(this.#options.path);
    await syncDirectory(directory).catch((error: unknown) => {
      throw explainDiskFailure(error, directory);
    });
  }

  #open(): Promise<SpoolFile> {
    if (this.#closed) throw new ContentError('failed', 'the draft is closed');
    this.#file ??= SpoolFile.open(this.#options.path).catch((error: unknown) => {
      // The next who needs it may find a descriptor, or room on the disk.
      this.#file = undefined;
      throw error;
    });
    return this.#file;
  }
}
