import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/message-of.ts';
import type { Answer, Call, Send } from './call.ts';
import { ExchangeError } from './exchange-error.ts';

/** One exchange, finished: what logs and metrics are made of. */
export interface Exchange {
  /** Method and path with placeholders. */
  readonly name: string;
  /** Method and path, without query values. */
  readonly call: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly ms: number;
  readonly requestId: string | undefined;
  /** Why no answer came. */
  readonly reason: string | undefined;
  /** No answer came although it was waited for: nobody gave the call up. */
  readonly lost: boolean;
}

export type ExchangeObserver = (exchange: Exchange) => void;

/** Reports every exchange, retries included. Nothing that is private is in a report. */
export function withObserver(send: Send, observer: ExchangeObserver, clock: Clock): Send {
  const report = (call: Call, startedMs: number, end: Omit<Exchange, 'name' | 'call' | 'ms'>) =>
    observer({
      name: call.name,
      call: `${call.method} ${call.path}`,
      ms: clock.monotonic() - startedMs,
      ...end,
    });

  return async (call): Promise<Answer> => {
    const startedMs = clock.monotonic();
    try {
      const answer = await send(call);
      report(call, startedMs, {
        status: answer.status,
        requestId: answer.headers['x-request-id'],
        reason: undefined,
        lost: false,
      });
      return answer;
    } catch (error) {
      const reason = messageOf(error);
      report(call, startedMs, {
        status: undefined,
        requestId: undefined,
        reason,
        lost: error instanceof ExchangeError,
      });
      throw error;
    }
  };
}
