/** The rate of a counter over the last few seconds: it neither jumps with each look nor remembers what was long ago. */
export class PresentRate {
  readonly #looks: { readonly atMs: number; readonly count: number }[] = [];

  /** Answers by how much the counter grows in a second, by what it was and is. A counter that fell begins anew. */
  at(atMs: number, count: number): number {
    const looks = this.#looks;
    if (count < (looks.at(-1)?.count ?? 0)) looks.length = 0;
    looks.push({ atMs, count });
    // One look that is older than the window stays: the window is never empty.
    while ((looks[1]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs - WINDOW_MS) looks.shift();
    const [first = { atMs, count }] = looks;
    return atMs > first.atMs ? ((count - first.count) * 1000) / (atMs - first.atMs) : 0;
  }
}

const WINDOW_MS = 5000;
