/** How often each operation was answered, and how often with an error. */
export class OperationCounts {
  readonly #counts = new Map<string, { answered: number; failed: number; ms: number }>();

  add(operation: string, answer: { readonly failed: boolean; readonly ms: number }): void {
    let count = this.#counts.get(operation);
    if (count === undefined) {
      count = { answered: 0, failed: 0, ms: 0 };
      this.#counts.set(operation, count);
    }
    count.answered += 1;
    count.ms += answer.ms;
    if (answer.failed) count.failed += 1;
  }

  /** By operation; `ms` is the sum of their durations. */
  snapshot(): Readonly<
    Record<string, { readonly answered: number; readonly failed: number; readonly ms: number }>
  > {
    return Object.fromEntries(
      [...this.#counts].map(([operation, { answered, failed, ms }]) => [
        operation,
        { answered, failed, ms: Math.round(ms) },
      ]),
    );
  }
}
