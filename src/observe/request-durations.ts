import { Durations, type DurationsSnapshot } from './durations.ts';

/** Why a request was sent again: it failed, or was refused for the rate limit. */
export type Retries = Readonly<Record<'failure' | 'rate', number>>;

/** By call, and of each by status; `none` where no answer came. */
export type RequestsSnapshot = Readonly<Record<string, Readonly<Record<string, DurationsSnapshot>>>>;

interface AnsweredRequest {
  /** Method and path with placeholders, so that calls are few. */
  readonly name: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly ms: number;
}

/** How long the requests of each call took, by the status of their answers, retries included. */
export class RequestDurations {
  readonly #calls = new Map<string, Map<string, Durations>>();
  readonly #retries = { failure: 0, rate: 0 };

  add({ name, status, ms }: AnsweredRequest): void {
    const statuses = gotten(this.#calls, name, () => new Map<string, Durations>());
    gotten(statuses, String(status ?? 'none'), () => new Durations()).add(ms);
  }

  readonly addRetry = (because: keyof Retries): void => {
    this.#retries[because] += 1;
  };

  get retries(): Retries {
    return { ...this.#retries };
  }

  snapshot(): RequestsSnapshot {
    return Object.fromEntries(
      [...this.#calls].map(([call, statuses]) => [
        call,
        Object.fromEntries([...statuses].map(([status, durations]) => [status, durations.snapshot()])),
      ]),
    );
  }
}

function gotten<Key, Value>(map: Map<Key, Value>, key: Key, begin: () => Value): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const begun = begin();
  map.set(key, begun);
  return begun;
}
