import { sharedAbortController } from './shared-signals.ts';
import { untilAborted } from './until-aborted.ts';

interface Flight<V> {
  readonly landing: Promise<V>;
  readonly controller: AbortController;
  passengers: number;
}

/**
 * One piece of work per key at a time: who asks for what is already under way gets the same answer. A caller that
 * gives up (its signal fires) leaves the others alone; the work itself is aborted when nobody waits any more.
 */
export class SharedFlights<K, V> {
  readonly #flights = new Map<K, Flight<V>>();

  isUnderWay(key: K): boolean {
    return this.#flights.has(key);
  }

  async join(key: K, signal: AbortSignal, start: (signal: AbortSignal) => Promise<V>): Promise<V> {
    signal.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#begin(key, start);
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
