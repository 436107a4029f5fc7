import type { ApiOptions } from '../../api/create-api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../observe/logger.ts';

type Exchange = Parameters<NonNullable<ApiOptions['onExchange']>>[0];

/** What a proxy answers for a service that is not there. */
const AWAY_STATUS: ReadonlySet<number | undefined> = new Set([502, 503, 504]);
const TOO_MANY_REQUESTS = 429;
/** Two waits that end so close to each other are for one interval: told once. */
const SAME_INTERVAL_MS = 2000;

/** Tells the log how the service is: each exchange for who debugs, and once each time it goes away and comes back. */
export class ServiceLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  #awaySinceMs: number | undefined;
  #lost = 0;
  #rateWaits = 0;
  #toldUntilMs = 0;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  readonly onExchange = ({ call, status, ms, requestId, reason, lost }: Exchange): void => {
    this.#log.debug({ call, status, ms, requestId, reason }, 'exchange');
    if (lost) this.#lost += 1;
    if (lost || AWAY_STATUS.has(status)) this.#away({ call, status, reason });
    else if (status !== undefined) this.#back();
    if (status === TOO_MANY_REQUESTS) this.#log.warn({ call, requestId }, 'request limit exceeded');
  };

  readonly onRateWait = (ms: number): void => {
    this.#rateWaits += 1;
    const untilMs = this.#clock.now() + ms;
    if (untilMs - this.#toldUntilMs < SAME_INTERVAL_MS) return;
    this.#toldUntilMs = untilMs;
    this.#log.warn({ ms }, 'request limit used up: requests wait for the next interval');
  };

  /** Counted since the mount began. */
  snapshot(): { readonly away: boolean; readonly lost: number; readonly rateWaits: number } {
    return { away: this.#awaySinceMs !== undefined, lost: this.#lost, rateWaits: this.#rateWaits };
  }

  #away(fields: Partial<Exchange>): void {
    if (this.#awaySinceMs !== undefined) return;
    this.#awaySinceMs = this.#clock.now();
    this.#log.info(fields, 'the service is away');
  }

  #back(): void {
    if (this.#awaySinceMs === undefined) return;
    this.#log.info({ ms: this.#clock.now() - this.#awaySinceMs }, 'the service is back');
    this.#awaySinceMs = undefined;
  }
}
