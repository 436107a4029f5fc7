import type { Answer, Send } from './call.ts';
import type { RateBudget } from './rate-budget.ts';
import type { ServerTime } from './server-time.ts';

/** Holds calls back until the rate limit has room for them, and learns from every answer. */
export function withRateBudget(send: Send, budget: RateBudget, serverTime: ServerTime): Send {
  return async (call) => {
    if (call.uncounted) return send(call);
    const turn = await budget.acquire(call);
    let answer: Answer | undefined;
    try {
      answer = await send(call);
      const { date } = answer.headers;
      serverTime.observe(date);
      return answer;
    } finally {
      budget.settle(turn, answer);
    }
  };
}
