/** The last values of some numbers at even steps, for charts. It takes the same memory from its first sample on. */

/** Values by name; null where there was none. */
export type Sample<Name extends string> = Readonly<Record<Name, number | null>>;

export interface Samples<Name extends string> {
  /** When each was taken, in milliseconds since the epoch, oldest first. */
  readonly atMs: readonly number[];
  readonly values: Readonly<Record<Name, readonly (number | null)[]>>;
}

export class History<Name extends string> {
  readonly #atMs: Float64Array;
  readonly #rings: ReadonlyMap<Name, Float64Array>;
  #added = 0;

  constructor(names: readonly Name[], length: number) {
    this.#atMs = new Float64Array(length);
    this.#rings = new Map(names.map((name) => [name, new Float64Array(length)]));
  }

  /** In place of the oldest, when there are enough. */
  add(atMs: number, sample: Sample<Name>): void {
    const place = this.#added % this.#atMs.length;
    this.#atMs[place] = atMs;
    for (const [name, ring] of this.#rings) ring[place] = sample[name] ?? Number.NaN;
    this.#added += 1;
  }

  /** Those that were taken after a moment. */
  since(ms: number): Samples<Name> {
    const length = this.#atMs.length;
    const places = Array.from(
      { length: Math.min(this.#added, length) },
      (_, index) => (Math.max(0, this.#added - length) + index) % length,
    ).filter((place) => (this.#atMs[place] ?? 0) > ms);
    const valuesOf = (ring: Float64Array): (number | null)[] => places.map((place) => known(ring[place]));
    return {
      atMs: places.map((place) => this.#atMs[place] ?? 0),
      values: Object.fromEntries(
        [...this.#rings].map(([name, ring]) => [name, valuesOf(ring)]),
      ) as unknown as Samples<Name>['values'],
    };
  }
}

function known(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}
