import type { Clock } from '../../../lib/clock.ts';

export interface BoundedEventsOptions<Event> {
  readonly clock: Clock;
  /** Both answer how many bytes wait in this process for a reader who is slow. */
  readonly tell: (event: Event) => number;
  readonly tellDropped: (count: number) => number;
}

/** What may wait for a slow reader; some thousand events. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** How often a reader who was too slow is told how many events it has lost. */
const TELL_DROPPED_MS = 200;

/** Passes events on, and drops those for which the reader is too slow: it is told how many they are. */
export class BoundedEvents<Event> {
  readonly #options: BoundedEventsOptions<Event>;
  readonly #closed = new AbortController();
  #waitingBytes = 0;
  #dropped = 0;

  constructor(options: BoundedEventsOptions<Event>) {
    this.#options = options;
  }

  add(event: Event): void {
    if (this.#waitingBytes <= MOST_WAITING_BYTES) {
      this.#waitingBytes = this.#options.tell(event);
      return;
    }
    this.#dropped += 1;
    if (this.#dropped === 1) void this.#tellSoon();
  }

  /** Tells what was dropped last. */
  close(): void {
    this.#closed.abort();
    this.#tellDropped();
  }

  /** Its answer says as well whether the reader has caught up. */
  async #tellSoon(): Promise<void> {
    await this.#options.clock.sleep(TELL_DROPPED_MS, this.#closed.signal).then(
      () => this.#tellDropped(),
      () => undefined,
    );
  }

  #tellDropped(): void {
    if (this.#dropped === 0) return;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#waitingBytes = this.#options.tellDropped(count);
  }
}
