import type { TraceEvent } from '../mount/trace/trace-event.ts';

const KEPT_MS = 60_000;
const MOST_PATHS = 100;

/** The slowest operation of each path in the last minute. */
export class SlowPaths {
  readonly #byPath = new Map<string, TraceEvent>();

  add(event: TraceEvent): void {
    const known = this.#byPath.get(event.path);
    if (known !== undefined && known.ms >= event.ms && event.atMs - known.atMs < KEPT_MS) return;
    this.#byPath.delete(event.path);
    this.#byPath.set(event.path, event);
    const [oldest] = this.#byPath.keys();
    if (this.#byPath.size > MOST_PATHS && oldest !== undefined) this.#byPath.delete(oldest);
  }

  /** The slowest first. */
  list(nowMs: number): readonly TraceEvent[] {
    for (const [path, { atMs, ms }] of this.#byPath)
      if (nowMs - atMs - ms > KEPT_MS) this.#byPath.delete(path);
    return [...this.#byPath.values()].toSorted((a, b) => b.ms - a.ms);
  }
}
