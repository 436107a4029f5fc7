import type { ApiOptions } from '../../api/create-api.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../observe/logger.ts';

type Exchange = Parameters<NonNullable<ApiOptions['onExchange']>>[0];

/** A proxy answers these for a service that is not there. */
const AWAY_STATUS: ReadonlySet<number | undefined> = new Set([502, 503, 504]);
const UNAUTHORIZED = 401;
const TOO_MANY_REQUESTS = 429;
/** Open to all: its answer tells nothing of the token. */
const WITHOUT_TOKEN = 'GET /';
/** Two waits that end so close to each other are for one interval: told once. */
const SAME_INTERVAL_MS = 2000;

/** So many of the last exchanges are remembered. */
const MOST_EXCHANGES = 200;

/** An exchange of late, for who looks for a fault. */
export interface PastExchange extends Pick<Exchange, 'call' | 'status' | 'ms' | 'requestId' | 'reason'> {
  /** Its end, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Method and path with placeholders. */
  readonly route: string;
}

export interface ServiceSnapshot {
  readonly away: boolean;
  /** Since when, in milliseconds since the epoch; null: it answers. */
  readonly awaySinceMs: number | null;
  /** Null: it is taken. */
  readonly tokenRefusedSinceMs: number | null;
  readonly lost: number;
  readonly rateWaits: number;
}

/** Tells the log how the service is: each exchange for who debugs, and once each time it goes away and comes back. */
export class ServiceLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #onWait: (ms: number) => void;
  #away: { readonly sinceMs: number; readonly startedMs: number } | undefined;
  #tokenRefusedSinceMs: number | null = null;
  #lost = 0;
  #rateWaits = 0;
  readonly #exchanges: PastExchange[] = [];
  #toldUntilMs = Number.NEGATIVE_INFINITY;

  /** `onWait` is told once an interval that requests wait for the next, and how long. */
  constructor(log: Logger, clock: Clock, onWait: (ms: number) => void = () => {}) {
    this.#log = log;
    this.#clock = clock;
    this.#onWait = onWait;
  }

  readonly onExchange = ({ name, call, status, ms, requestId, reason, lost }: Exchange): void => {
    this.#log.debug({ call, status, ms, requestId, reason }, 'exchange');
    this.#exchanges.push({ atMs: this.#clock.now(), route: name, call, status, ms, requestId, reason });
    if (this.#exchanges.length > MOST_EXCHANGES) this.#exchanges.shift();
    if (lost) this.#lost += 1;
    if (lost || AWAY_STATUS.has(status)) this.#goneAway({ call, status, reason });
    else if (status !== undefined && status !== TOO_MANY_REQUESTS) this.#answered({ name, call, status });
    if (status === TOO_MANY_REQUESTS) this.#log.warn({ call, requestId }, 'request limit exceeded');
  };

  readonly onRateWait = (ms: number): void => {
    this.#rateWaits += 1;
    this.onRefused(ms);
  };

  readonly onRefused = (ms: number): void => {
    const untilMs = this.#clock.monotonic() + ms;
    if (untilMs - this.#toldUntilMs < SAME_INTERVAL_MS) return;
    this.#toldUntilMs = untilMs;
    this.#log.warn({ ms }, 'request limit used up: requests wait for the next interval');
    this.#onWait(ms);
  };

  readonly onIdentity = (change: Parameters<NonNullable<ApiOptions['onIdentity']>>[0]): void => {
    if (change.kind === 'dialect')
      this.#log.info({ dialect: change.dialect }, 'found out the dialect of the service');
    else if (change.kind === 'token') this.#log.info({}, 'took up another token');
    else this.#log.warn({ reason: change.reason }, 'another token is there, and cannot be taken up');
  };

  readonly onClockSkew = (aheadMs: number): void => {
    this.#log.warn({ aheadMs }, describeClockSkew(aheadMs));
  };

  /** The last ones, oldest first. */
  exchanges(): readonly PastExchange[] {
    return [...this.#exchanges];
  }

  /** Counted since the mount began. */
  snapshot(): ServiceSnapshot {
    return {
      away: this.#away !== undefined,
      awaySinceMs: this.#away?.sinceMs ?? null,
      tokenRefusedSinceMs: this.#tokenRefusedSinceMs,
      lost: this.#lost,
      rateWaits: this.#rateWaits,
    };
  }

  #goneAway(fields: Partial<Exchange>): void {
    if (this.#away !== undefined) return;
    this.#away = { sinceMs: this.#clock.now(), startedMs: this.#clock.monotonic() };
    this.#log.info(fields, 'the service is away');
  }

  #answered({ name, call, status }: Pick<Exchange, 'name' | 'call' | 'status'>): void {
    this.#back();
    if (name === WITHOUT_TOKEN) return;
    if (status !== UNAUTHORIZED) {
      this.#tokenRefusedSinceMs = null;
    } else if (this.#tokenRefusedSinceMs === null) {
      this.#tokenRefusedSinceMs = this.#clock.now();
      this.#log.warn({ call }, 'the token is refused');
    }
  }

  #back(): void {
    if (this.#away === undefined) return;
    this.#log.info({ ms: this.#clock.monotonic() - this.#away.startedMs }, 'the service is back');
    this.#away = undefined;
  }
}

/** For a person. `aheadMs`: of the service's clock. */
export function describeClockSkew(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000);
  const apart = seconds < 600 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  return (
    `the clock of this machine is ${apart} ${aheadMs > 0 ? 'behind' : 'ahead of'} that of the service: ` +
    'set it right (timedatectl set-ntp true), for addresses and tokens end too early or too late by it'
  );
}
