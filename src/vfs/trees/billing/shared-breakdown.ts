import type { Api, PlatformRecord } from '../../../api/api.ts';
import type { Clock } from '../../../lib/clock.ts';
import { SharedFlights } from '../../../lib/shared-flights.ts';
import { endsWithTime } from '../../errors/errno-of.ts';

export interface BillingParts {
  readonly api: Pick<Api, 'records'>;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly ttlMs: number;
}

/** The breakdown of a billing group: one request per TTL for all that is told of it. */
export class Breakdown {
  readonly #id: string;
  readonly #parts: BillingParts;
  readonly #flights = new SharedFlights<'all', PlatformRecord>({ endsWithTime });
  #known: { readonly record: PlatformRecord; readonly learntMs: number } | undefined;

  constructor(id: string, parts: BillingParts) {
    this.#id = id;
    this.#parts = parts;
  }

  async get(signal: AbortSignal): Promise<PlatformRecord> {
    const { api, clock, ttlMs } = this.#parts;
    const nowMs = clock.elapsed();
    if (this.#known && nowMs - this.#known.learntMs < ttlMs) return this.#known.record;
    const record = await this.#flights.join('all', signal, (shared) =>
      api.records.get('breakdown', this.#id, { signal: shared }),
    );
    this.#known = { record, learntMs: nowMs };
    return record;
  }
}
