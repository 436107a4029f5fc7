import type { Api, PlatformRecord } from '../../../api/api.ts';
import { SharedFlights } from '../../../lib/shared-flights.ts';
import { endsWithTime } from '../../errors/errno-of.ts';

/** One that is read has its table and its example read next. */
const MOST = 4;

/** The records of revisions, asked for when they are needed. A document may have several MiB: the last few are kept. */
export class Documents {
  readonly #api: Pick<Api, 'records'>;
  readonly #flights = new SharedFlights<string, PlatformRecord>({ endsWithTime });
  readonly #known = new Map<string, PlatformRecord>();

  constructor(api: Pick<Api, 'records'>) {
    this.#api = api;
  }

  async get(app: string, revision: number, signal: AbortSignal): Promise<PlatformRecord> {
    const id = `${app}/${revision}`;
    const known = this.#known.get(id);
    if (known) return known;
    const record = await this.#flights.join(id, signal, (shared) =>
      this.#api.records.get('app', id, { signal: shared }),
    );
    this.#known.set(id, record);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    return record;
  }
}
