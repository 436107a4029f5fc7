import type { Requester } from '../../lib/requester.ts';
import { AT_ONCE, goesAt, type Kind, type RateState, type RateWindow } from './rate-window.ts';

/** A call that waits for the rate limit, for a person. */
export interface RateWait {
  /** How many calls go before it. */
  readonly before: number;
  /** When it may go if nothing else comes, by this machine's clock; null: when an answer comes. */
  readonly untilMs: number | null;
  /** The program that waits for it; null: none, or not any more. */
  readonly program: {
    readonly process: number;
    readonly operation: string;
    readonly path: string;
  } | null;
}

interface Waiting {
  readonly kind: Kind;
  readonly process: number;
  readonly requester: Requester | undefined;
}

/** So many are told of. */
const MOST_TOLD = 100;

/** The first of those that wait; times are as in `RateState`. */
export function waitsInOrder(
  waiting: Iterable<Waiting>,
  window: RateWindow | 'unlimited' | undefined,
  state: RateState,
): readonly RateWait[] {
  const waits: RateWait[] = [];
  let { lastChangeMs } = state;
  for (const { kind, process, requester } of waiting) {
    if (waits.length === MOST_TOLD) break;
    const atMs = goesAt(window, kind, { ...state, lastChangeMs });
    const untilMs = atMs === AT_ONCE ? state.nowMs : atMs;
    if (kind === 'change') lastChangeMs = untilMs ?? lastChangeMs;
    waits.push({ before: waits.length, untilMs: untilMs ?? null, program: programOf(requester, process) });
  }
  return waits;
}

/** For a person. */
export function programOf(requester: Requester | undefined, process: number): RateWait['program'] {
  if (requester === undefined || requester.hasLeft()) return null;
  return { process, operation: requester.operation, path: requester.path() };
}
