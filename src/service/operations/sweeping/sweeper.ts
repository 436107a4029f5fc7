/**
 * Removes what nobody needs any more, and joins parts (src/service/sweeps.ts), from time to time.
 *
 * Every worker process has a sweeper; one lease lets one of them sweep at a time, so that they do not all look through the
 * same things. It is no lock: a sweep that outlasts the lease may overlap with another, and all of them bear that.
 */

import type { HasClock } from '../../../lib/clock.ts';
import { randomId } from '../../../lib/random-id.ts';
import type { HasLogger } from '../../../observe/logger.ts';
import type { HasStore } from '../../store/store.ts';
import { storedTime } from '../../store/stored-time.ts';
import type { HasMetrics } from '../monitoring/service-metrics.ts';
import { leasesIn } from './lease-table.ts';

/** Something that is removed from time to time. */
export interface Sweep<Services> {
  /** A word for logs and metrics. */
  readonly what: string;
  readonly intervalMs: number;
  /** Removes what is due and answers how much that was. Safe to be done by two processes at once. */
  readonly run: (services: Services, signal: AbortSignal) => Promise<number>;
}

type SweepServices = HasStore & HasMetrics & HasClock & HasLogger;

const INTERVAL_MS = 60_000;
const LEASE_MS = 300_000;

export class Sweeper<Services extends SweepServices> {
  readonly #services: Services;
  readonly #sweeps: readonly Sweep<Services>[];
  readonly #name = randomId();
  readonly #lastRuns = new Map<Sweep<Services>, number>();
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(services: Services, sweeps: readonly Sweep<Services>[]) {
    this.#services = services;
    this.#sweeps = sweeps;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  /** Does the sweeps that are due, unless another process is at it. A sweep that fails is logged, and keeps none back. */
  async sweep(): Promise<void> {
    const { store, clock } = this.#services;
    const now = clock.now();
    const lease = { holder: this.#name, now: storedTime(now), until: storedTime(now + LEASE_MS) };
    if (!(await leasesIn(store).take('sweep', lease))) return;
    const elapsed = clock.elapsed();
    for (const sweep of this.#sweeps) {
      if (this.#stopping.signal.aborted) return;
      if (elapsed - (this.#lastRuns.get(sweep) ?? 0) < sweep.intervalMs) continue;
      this.#lastRuns.set(sweep, elapsed);
      await this.#do(sweep);
    }
  }

  async #do({ what, run }: Sweep<Services>): Promise<void> {
    const { metrics, logger } = this.#services;
    try {
      const count = await run(this.#services, this.#stopping.signal);
      if (count === 0) return;
      metrics.swept(what, count);
      logger.info({ what, count }, 'swept');
    } catch (error) {
      logger.error({ what, err: error }, 'sweep failed');
    }
  }

  async #run(): Promise<void> {
    const { clock, logger } = this.#services;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.sweep().catch((error) => logger.error({ err: error }, 'no sweep could begin'));
      await clock.sleep(INTERVAL_MS, signal).catch(() => undefined);
    }
  }
}
