import type { Clock } from '../../../lib/clock.ts';
import { BoundedEvents } from './bounded-events.ts';
import type { TraceEvent } from './trace-event.ts';
import type { TraceFilter, Tracer } from './tracer.ts';

export type TraceRequest = { readonly request: 'trace' } & TraceFilter;

export type TraceAnswer =
  /** From now on operations are told of. */
  | { readonly answer: 'tracing' }
  | { readonly answer: 'traced'; readonly event: TraceEvent }
  /** So many are not told, for the asker did not read them as fast as they came. */
  | { readonly answer: 'dropped'; readonly events: number }
  /** The mount ends. */
  | { readonly answer: 'trace' };

export interface TraceParts {
  readonly tracer: Pick<Tracer, 'subscribe'>;
  readonly clock: Clock;
  /** Fires when the mount ends. */
  readonly ending: AbortSignal;
}

/** Tells the asker of operations until it goes away or the mount ends. */
export async function answerTrace(
  { request: _, ...filter }: TraceRequest,
  { tracer, clock, ending }: TraceParts,
  asker: { readonly send: (answer: TraceAnswer) => number; readonly signal: AbortSignal },
): Promise<TraceAnswer> {
  const { send } = asker;
  const over = AbortSignal.any([asker.signal, ending]);
  const events = new BoundedEvents<TraceEvent>({
    clock,
    tell: (event) => send({ answer: 'traced', event }),
    tellDropped: (count) => send({ answer: 'dropped', events: count }),
  });
  const stop = tracer.subscribe(filter, (event) => events.add(event));
  send({ answer: 'tracing' });
  if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
  stop();
  events.close();
  return { answer: 'trace' };
}
