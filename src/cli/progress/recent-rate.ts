import type { Amount } from './standing.ts';

/** The speed of long ago says nothing about now. */
const WINDOW_MS = 10_000;

interface Sample {
  readonly ms: number;
  readonly done: Amount;
}

/** The speed of the last ten seconds. */
export class RecentRate {
  readonly #samples: Sample[] = [];

  /** `ms`: by a clock that nobody sets. */
  add(ms: number, done: Amount): void {
    this.#samples.push({ ms, done });
    // One that is as old as the window stays: the speed is measured from there.
    while ((this.#samples[1]?.ms ?? ms) <= ms - WINDOW_MS) this.#samples.shift();
  }

  /** A second. Bytes that have to be sent again make it no less than nothing. */
  get perSecond(): Amount {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.ms === first.ms) return { items: 0, bytes: 0 };
    const seconds = (last.ms - first.ms) / 1000;
    const rate = (key: keyof Amount): number => Math.max(0, (last.done[key] - first.done[key]) / seconds);
    return { items: rate('items'), bytes: rate('bytes') };
  }
}
