import type { Clock } from '../../../lib/clock.ts';
import { type Climb, climbOn } from './climb.ts';

const FIRST = 16;
const LIMITS = { least: 4, most: 32 };
/** A measurement covers so many times the parts in flight, so that each place had its turn. */
const ROUNDS = 2;

/**
 * How many parts of all uploads should be in flight: more while the measured throughput grows with it. It is measured only
 * while parts wait for their turn, since otherwise the writer sets the pace. `--uploads` takes its place, and a service
 * without parallel parts gets one at a time (`upload/multipart-upload.ts`).
 */
export class FlightLimit {
  readonly #clock: Clock;
  #climb: Climb = { value: FIRST, before: undefined, direction: 1 };
  #startMs: number | undefined;
  #parts = 0;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get value(): number {
    return this.#climb.value;
  }

  /** A part of so many bytes has arrived; `waiting`: others wait for its place. */
  arrived(sizeBytes: number, waiting: boolean): void {
    const now = this.#clock.monotonic();
    if (!waiting) {
      this.#startMs = undefined;
      return;
    }
    if (this.#startMs === undefined) {
      this.#begin(now);
      return;
    }
    this.#parts += 1;
    this.#bytes += sizeBytes;
    if (this.#parts < this.#climb.value * ROUNDS || now === this.#startMs) return;
    this.#climb = climbOn(this.#climb, this.#bytes / (now - this.#startMs), LIMITS);
    this.#begin(now);
  }

  #begin(now: number): void {
    this.#startMs = now;
    this.#parts = 0;
    this.#bytes = 0;
  }
}
