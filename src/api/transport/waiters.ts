import type { Requester } from '../../lib/requester.ts';
import type { Priority } from '../call-options.ts';
import { FairQueue } from './fair-queue.ts';
import type { Kind, RateWindow } from './rate-window.ts';

type Lane = 'look' | 'shared' | 'prefetch' | 'background';

const LANE_OF: Readonly<Record<Kind, Lane>> = {
  look: 'look',
  change: 'shared',
  work: 'shared',
  prefetch: 'prefetch',
  background: 'background',
};

/** All who wait: looks go first, then changes and work in turns, then what nobody waits for. */
export class Waiters {
  /** In the order in which they are served. */
  readonly #lanes: Readonly<Record<Lane, FairQueue<Waiter>>> = {
    look: new FairQueue(),
    shared: new FairQueue(),
    prefetch: new FairQueue(),
    background: new FairQueue(),
  };

  get size(): number {
    return Object.values(this.#lanes).reduce((sum, { size }) => sum + size, 0);
  }

  add(waiter: Waiter): void {
    this.#lanes[LANE_OF[waiter.kind]].add(waiter);
  }

  /** Whether it waited. */
  delete(waiter: Waiter): boolean {
    return this.#lanes[LANE_OF[waiter.kind]].delete(waiter);
  }

  /** The next of those that may go. */
  take(mayGo: (waiter: Waiter) => boolean): Waiter | undefined {
    for (const lane of Object.values(this.#lanes)) {
      const next = lane.take(mayGo);
      if (next) return next;
    }
    return undefined;
  }

  *inOrder(): IterableIterator<Waiter> {
    for (const lane of Object.values(this.#lanes)) yield* lane.inOrder();
  }
}

/** The right to send one request. */
export interface Turn {
  /** The window as it was known when the permit was given. */
  readonly known: RateWindow | 'unlimited' | undefined;
}

interface Waiting {
  /** Process group: what takes turns. */
  readonly group: number;
  readonly process: number;
  readonly kind: Kind;
  readonly priority: Priority;
  readonly requester: Requester | undefined;
}

/** One who waits for its turn. */
export class Waiter {
  readonly group: number;
  readonly process: number;
  readonly requester: Requester | undefined;
  #kind: Kind;
  #priority: Priority;
  go: (turn: Turn) => void = () => {};
  reject: (reason: unknown) => void = () => {};
  readonly turn = new Promise<Turn>((resolve, reject) => {
    this.go = resolve;
    this.reject = reject;
  });

  constructor({ group, process, kind, priority, requester }: Waiting) {
    this.group = group;
    this.process = process;
    this.requester = requester;
    this.#kind = kind;
    this.#priority = priority;
  }

  get kind(): Kind {
    return this.#kind;
  }

  get priority(): Priority {
    return this.#priority;
  }

  /** A person waits for it. */
  raise(kind: Kind): void {
    this.#kind = kind;
    this.#priority = 'interactive';
  }
}
