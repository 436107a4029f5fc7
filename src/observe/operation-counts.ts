import { errnoName } from '../lib/errno.ts';
import { type Buckets, Durations } from './durations.ts';

/** Of one operation. */
export interface OperationSnapshot {
  readonly answered: number;
  readonly failed: number;
  /** The sum of their durations. */
  readonly ms: number;
  /** Their durations, failures included. */
  readonly buckets: Buckets;
  /** How many failed with each errno, by its name. */
  readonly errors: Readonly<Record<string, number>>;
}

interface Counted {
  readonly durations: Durations;
  readonly errors: Map<number, number>;
  failed: number;
}

/** How often each operation was answered, how long that took, and with which errors. */
export class OperationCounts {
  readonly #counts = new Map<string, Counted>();

  /** `errno`: 0 for success. Allocates nothing but for the first of its kind: it runs for each request of the kernel. */
  add(operation: string, errno: number, ms: number): void {
    const counted = this.#counts.get(operation) ?? this.#begin(operation);
    counted.durations.add(ms);
    if (errno === 0) return;
    counted.failed += 1;
    counted.errors.set(errno, (counted.errors.get(errno) ?? 0) + 1);
  }

  snapshot(): Readonly<Record<string, OperationSnapshot>> {
    return Object.fromEntries(
      [...this.#counts].map(([operation, { durations, failed, errors }]) => {
        const { count, ms, buckets } = durations.snapshot();
        return [operation, { answered: count, failed, ms: Math.round(ms), buckets, errors: named(errors) }];
      }),
    );
  }

  #begin(operation: string): Counted {
    const counted = { durations: new Durations(), errors: new Map<number, number>(), failed: 0 };
    this.#counts.set(operation, counted);
    return counted;
  }
}

function named(errors: ReadonlyMap<number, number>): OperationSnapshot['errors'] {
  return Object.fromEntries([...errors].map(([errno, count]) => [errnoName(errno), count]));
}
