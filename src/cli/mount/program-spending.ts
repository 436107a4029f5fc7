import type { Clock } from '../../lib/clock.ts';
import { commandOf, jobOf } from '../../lib/process-table.ts';
import { currentRequester } from '../../lib/requester.ts';

/** A program, and the requests to the API that were made for it. */
export interface ProgramSpent {
  /** 0: svcfs itself, or the kernel, as in listings that are refreshed ahead. */
  readonly process: number;
  /** Its name when a request was made for it last. */
  readonly command: string;
  /** Since the mount began. */
  readonly requests: number;
  /** In the last five minutes. */
  readonly recent: number;
}

interface Counted {
  command: string;
  requests: number;
  /** Requests by the number of the minute, oldest first. */
  readonly minutes: Map<number, number>;
}

/** So many programs are told apart; those that asked longest ago are forgotten. */
const MOST_PROGRAMS = 200;
const MINUTE_MS = 60_000;
const RECENT_MINUTES = 5;
const ITSELF = 'svcfs';

export type ProgramFacts = (
  thread: number,
) => { readonly process: number; readonly command: string | undefined } | undefined;

/** Which programs spend the request limit. */
export class ProgramSpending {
  readonly #clock: Clock;
  readonly #factsOf: ProgramFacts;
  /** By process, the one that asked last at the end. */
  readonly #programs = new Map<number, Counted>();

  constructor(clock: Clock, factsOf: ProgramFacts = factsOfSystem) {
    this.#clock = clock;
    this.#factsOf = factsOf;
  }

  /** A request was answered, or lost: it counts for the program whose system call it was made for. */
  readonly onExchange = (): void => {
    const requester = currentRequester();
    if (requester?.cost !== undefined) requester.cost.requests += 1;
    const thread = requester?.thread ?? 0;
    const facts = thread === 0 ? undefined : this.#factsOf(thread);
    this.#count(facts?.process ?? thread, thread === 0 ? ITSELF : facts?.command);
  };

  /** Those that spent most of late first. */
  snapshot(): readonly ProgramSpent[] {
    const minute = this.#minute();
    return [...this.#programs]
      .map(([process, { command, requests, minutes }]) => ({
        process,
        command,
        requests,
        recent: recentOf(minutes, minute),
      }))
      .toSorted((a, b) => b.recent - a.recent || b.requests - a.requests);
  }

  #count(process: number, command: string | undefined): void {
    const known = this.#programs.get(process);
    const counted = known ?? { command: '?', requests: 0, minutes: new Map<number, number>() };
    counted.command = command ?? counted.command;
    counted.requests += 1;
    const minute = this.#minute();
    counted.minutes.set(minute, (counted.minutes.get(minute) ?? 0) + 1);
    for (const old of counted.minutes.keys()) if (old <= minute - RECENT_MINUTES) counted.minutes.delete(old);
    this.#programs.delete(process);
    this.#programs.set(process, counted);
    const [oldest] = this.#programs.keys();
    if (this.#programs.size > MOST_PROGRAMS && oldest !== undefined) this.#programs.delete(oldest);
  }

  #minute(): number {
    return Math.floor(this.#clock.monotonic() / MINUTE_MS);
  }
}

function recentOf(minutes: ReadonlyMap<number, number>, minute: number): number {
  let sum = 0;
  for (const [at, count] of minutes) if (at > minute - RECENT_MINUTES) sum += count;
  return sum;
}

function factsOfSystem(thread: number): ReturnType<ProgramFacts> {
  const process = jobOf(thread)?.process;
  return process === undefined ? undefined : { process, command: commandOf(process) };
}
