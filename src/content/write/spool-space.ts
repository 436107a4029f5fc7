/**
 * The room that spools may take on the disk, all drafts together. At the limit a writer waits for other files to be
 * published; drafts that are published already give their bytes up first (they can be read back from the service). When
 * no publication is under way, waiting could be for ever: the writer's own file lets go of the parts that were sent, and
 * can only be written on from then. When there are none either, the writer gets `no-space`.
 */
import { untilAborted } from '../../lib/until-aborted.ts';
import { ContentError } from '../ports.ts';

/** A draft, as the room it takes. */
export interface SpoolTenant {
  readonly publishing: boolean;
  /** Gives its bytes up if it can do without them; answers whether there were any. */
  giveUp(): Promise<boolean>;
}

/** Who asks for room. */
interface Writer {
  readonly releaseSent: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

export class SpoolSpace {
  readonly #limitBytes: number;
  readonly #tenants = new Set<SpoolTenant>();
  #usedBytes = 0;
  #waiting: (() => void)[] = [];

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  enter(tenant: SpoolTenant): void {
    this.#tenants.add(tenant);
  }

  leave(tenant: SpoolTenant): void {
    this.#tenants.delete(tenant);
    this.notify();
  }

  /** Takes room for `bytes`, to be given back with `resize`; waits for it if it may come. */
  async admit(bytes: number, { releaseSent, signal }: Writer): Promise<void> {
    while (this.#usedBytes + bytes > this.#limitBytes) {
      signal.throwIfAborted();
      if (await this.#reclaim()) continue;
      if (![...this.#tenants].some((tenant) => tenant.publishing)) {
        if (await untilAborted(releaseSent(), signal)) continue;
        throw new ContentError(
          'no-space',
          `files being written take ${this.#usedBytes} bytes of the spool, which may hold ${this.#limitBytes}, and ` +
            'none of them is about to be finished; raise the spool size or write fewer files at once',
        );
      }
      await untilAborted(this.#change(), signal);
    }
    this.#usedBytes += bytes;
  }

  resize(bytes: number): void {
    this.#usedBytes += bytes;
    if (bytes < 0) this.notify();
  }

  /** Something changed that writers may be waiting for: room, or the end of a publication. */
  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #reclaim(): Promise<boolean> {
    for (const tenant of this.#tenants) {
      if (await tenant.giveUp()) return true;
    }
    return false;
  }
}
