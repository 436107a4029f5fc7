/**
 * The room that spools may take on the disk, all drafts together. At the limit drafts that are published already give
 * their bytes up (they can be read back from the service), and a writer waits for files that are about to be published.
 * When there are none, waiting could be for ever: the writer's own file lets go of the parts that were sent, and can
 * only be written on from then. When it has none either, as each of many files may have less than a part, one of them
 * goes on beyond the limit, until it has parts to let go of; the others wait as long as it does go on. Only when that
 * does not help does a writer get `no-space`.
 *
 * Without a limit that was given, what the disk has is the limit.
 */
import type { Clock } from '../../../lib/clock.ts';
import { describeSize } from '../../../lib/describe-size.ts';
import { untilAborted } from '../../../lib/until-aborted.ts';
import { ContentError, type SpoolUsage } from '../../ports.ts';
import { DiskLimit, type DiskRoom } from './disk-limit.ts';

/** A draft, as the room it takes. */
export interface SpoolTenant {
  readonly publishing: boolean;
  /** It has bytes that are to be published without anyone writing more. */
  readonly finishing: boolean;
  /** Gives its bytes up if it can do without them; answers whether there were any. */
  giveUp(): Promise<boolean>;
  /** Lets go of what the service has; false when there is nothing and nothing is on its way. */
  releaseSent(): Promise<boolean>;
}

/** A draft that asks for room. */
interface Writer {
  readonly tenant: SpoolTenant;
  readonly signal: AbortSignal;
}

/** The draft that goes on beyond the limit, and when it last did. */
interface Ahead {
  readonly tenant: SpoolTenant;
  wroteMs: number;
}

interface SpoolSpaceOptions {
  readonly limitBytes: number;
  /** A second limit beside `limitBytes`. */
  readonly disk?: DiskRoom | undefined;
  /** The bytes that one file may take beyond the limit; enough to have a part sent. */
  readonly overdraftBytes: number;
  readonly clock: Clock;
}

/** A draft beyond the limit that writes nothing for so long may itself wait for a draft that waits for it. */
const LONGEST_PAUSE_MS = 30_000;

export class SpoolSpace {
  readonly #options: SpoolSpaceOptions;
  readonly #tenants = new Set<SpoolTenant>();
  readonly #writers = new Set<Writer>();
  readonly #disk: DiskLimit | undefined;
  #ahead: Ahead | undefined;
  #usedBytes = 0;
  #writtenBytes = 0;
  #waiting: (() => void)[] = [];

  constructor(options: SpoolSpaceOptions) {
    this.#options = options;
    this.#disk = options.disk && new DiskLimit(options.disk, options.clock);
  }

  get usage(): SpoolUsage {
    const { limitBytes } = this.#options;
    return {
      usedBytes: this.#usedBytes,
      limitBytes: Number.isFinite(limitBytes) ? limitBytes : null,
      waitingWrites: this.#writers.size,
      writtenBytes: this.#writtenBytes,
    };
  }

  enter(tenant: SpoolTenant): void {
    this.#tenants.add(tenant);
  }

  leave(tenant: SpoolTenant): void {
    this.#tenants.delete(tenant);
    this.#fallBack(tenant);
    this.notify();
  }

  /** Takes room for `bytes`, to be given back with `resize`; waits for it if it may come. */
  async admit(bytes: number, writer: Writer): Promise<void> {
    this.#writers.add(writer);
    try {
      // A write keeps its place before the close that follows it: it waits only where it has to.
      const asked = this.#disk?.refresh(this.#usedBytes, bytes);
      if (asked !== undefined) await asked;
      while (this.#usedBytes + bytes > this.#limitOf(writer.tenant)) {
        writer.signal.throwIfAborted();
        await this.#moreRoom(writer);
        await this.#disk?.measure(this.#usedBytes);
      }
    } finally {
      this.#writers.delete(writer);
    }
    this.#usedBytes += bytes;
    this.#writtenBytes += bytes;
    if (this.#ahead?.tenant === writer.tenant) this.#ahead.wroteMs = this.#options.clock.monotonic();
  }

  /** The disk took no more, whatever was admitted: whether there is more room on it now. */
  async makeRoom({ tenant, signal }: Writer): Promise<boolean> {
    return (await this.#reclaim()) || untilAborted(tenant.releaseSent(), signal);
  }

  /** As `admit`, without waiting: false when there is no room now. */
  tryAdmit(bytes: number): boolean {
    if (!this.hasRoom(bytes)) return false;
    this.#usedBytes += bytes;
    this.#writtenBytes += bytes;
    return true;
  }

  hasRoom(bytes: number): boolean {
    return this.#usedBytes + bytes <= this.#limitBytes;
  }

  resize(bytes: number): void {
    this.#usedBytes += bytes;
    if (bytes >= 0) return;
    // The next draft that must go beyond the limit may be another one.
    if (this.#usedBytes <= this.#limitBytes) this.#ahead = undefined;
    this.notify();
  }

  /** Something changed that writers may be waiting for: room, or the end of a publication. */
  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** It takes no room. */
  #fallBack(tenant: SpoolTenant): void {
    if (this.#ahead?.tenant === tenant) this.#ahead = undefined;
  }

  #limitOf(tenant: SpoolTenant): number {
    const beyond = this.#ahead?.tenant === tenant ? this.#options.overdraftBytes : 0;
    return this.#limitBytes + beyond;
  }

  get #limitBytes(): number {
    return Math.min(this.#options.limitBytes, this.#disk?.bytes ?? Number.POSITIVE_INFINITY);
  }

  /** Returns when there may be more room for this writer. */
  async #moreRoom({ tenant, signal }: Writer): Promise<void> {
    if (await this.#reclaim()) return;
    if ([...this.#tenants].some((other) => this.#isAboutToFinish(other)))
      return untilAborted(this.#change(), signal);
    if (await untilAborted(tenant.releaseSent(), signal)) return;
    if (this.#ahead === undefined) this.#ahead = { tenant, wroteMs: this.#options.clock.monotonic() };
    else if (this.#ahead.tenant !== tenant) await this.#waitBehind(this.#ahead, signal);
    else throw this.#noSpace();
  }

  /** A writer that waits here may hold up the publication of its own file. */
  #isAboutToFinish(tenant: SpoolTenant): boolean {
    return tenant.publishing || (tenant.finishing && !this.#hasWriter(tenant));
  }

  #hasWriter(tenant: SpoolTenant): boolean {
    return [...this.#writers].some((writer) => writer.tenant === tenant);
  }

  async #waitBehind(ahead: Ahead, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const pausedMs = clock.monotonic() - ahead.wroteMs;
    if (pausedMs >= LONGEST_PAUSE_MS && !this.#hasWriter(ahead.tenant)) throw this.#noSpace();
    const changed = new AbortController();
    const pause = clock.sleep(LONGEST_PAUSE_MS, changed.signal).catch(() => undefined);
    try {
      await untilAborted(Promise.race([this.#change(), pause]), signal);
    } finally {
      changed.abort();
    }
  }

  #noSpace(): ContentError {
    if (this.#disk !== undefined) return this.#disk.noSpace(this.#usedBytes);
    return new ContentError(
      'no-space',
      `files being written take ${describeSize(this.#usedBytes)} of the spool, which may hold ` +
        `${describeSize(this.#options.limitBytes)}, and none of them is about to be finished; raise --spool-size, or ` +
        'write fewer files at once',
    );
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #reclaim(): Promise<boolean> {
    for (const tenant of this.#tenants) {
      if (!(await tenant.giveUp())) continue;
      this.#fallBack(tenant);
      return true;
    }
    return false;
  }
}
