import type { Api } from '../../api/api.ts';
import type { Watches } from '../../jobs/watches.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Item, Outcome } from '../item.ts';
import type { Touched } from '../touched.ts';

/** The calls of the platform that steps make. */
export type BatchApi = Pick<Api, 'capabilities' | 'files' | 'transfers' | 'asyncFiles'>;

export interface Running {
  readonly api: BatchApi;
  readonly clock: Clock;
  /** Ends between two calls, and the waiting for jobs. */
  readonly signal: AbortSignal;
  /** Told once of each item. */
  readonly onOutcome: (item: Item, outcome: Outcome) => void;
  /** Told of names that mean something else from now on. */
  readonly onTouched: (touched: readonly Touched[]) => Promise<void>;
}

export interface RunContext extends Running {
  readonly watches: Watches;
}
