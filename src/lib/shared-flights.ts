import { sharedAbortController } from './shared-signals.ts';
import { untilAborted } from './until-aborted.ts';

interface Flight<V> {
  readonly landing: Promise<V>;
  readonly controller: AbortController;
  passengers: number;
}

/**
 * One piece of work per key at a time: a caller that asks for work already under way gets the same answer. A caller
 * that gives up (its signal fires) leaves the others alone; the work itself is aborted when nobody waits any more.
 *
 * Work that fails because its time is over was begun before a caller that joined it came, whose own time is not over:
 * that caller begins it anew. `endsWithTime` tells such failures.
 */
export class SharedFlights<K, V> {
  readonly #flights = new Map<K, Flight<V>>();
  readonly #endsWithTime: (error: unknown) => boolean;

  constructor({ endsWithTime = () => false }: { readonly endsWithTime?: (error: unknown) => boolean } = {}) {
    this.#endsWithTime = endsWithTime;
  }

  isUnderWay(key: K): boolean {
    return this.#flights.has(key);
  }

  async join(key: K, signal: AbortSignal, start: (signal: AbortSignal) => Promise<V>): Promise<V> {
    signal.throwIfAborted();
    const joined = this.#flights.get(key);
    if (!joined) return this.#ride(key, this.#begin(key, start), signal);
    try {
      return await this.#ride(key, joined, signal);
    } catch (error) {
      if (signal.aborted || !this.#endsWithTime(error)) throw error;
      return this.#ride(key, this.#flights.get(key) ?? this.#begin(key, start), signal);
    }
  }

  async #ride(key: K, flight: Flight<V>, signal: AbortSignal): Promise<V> {
    flight.passengers++;
    try {
      return await untilAborted(flight.landing, signal);
    } finally {
      flight.passengers--;
      if (flight.passengers === 0) this.#end(key, flight);
    }
  }

  #begin(key: K, start: (signal: AbortSignal) => Promise<V>): Flight<V> {
    const controller = sharedAbortController();
    const landing = start(controller.signal);
    const flight: Flight<V> = { landing, controller, passengers: 0 };
    this.#flights.set(key, flight);
    const gone = (): void => this.#forget(key, flight);
    landing.then(gone, gone);
    return flight;
  }

  #end(key: K, flight: Flight<V>): void {
    this.#forget(key, flight);
    flight.controller.abort();
  }

  #forget(key: K, flight: Flight<V>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
