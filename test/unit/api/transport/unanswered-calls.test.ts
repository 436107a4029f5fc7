import { expect, it } from 'vitest';
import { ExchangeError } from '../../../../src/api/transport/exchange-error.ts';
import { RefusedCalls } from '../../../../src/api/transport/refused-calls.ts';
import { ServerTime } from '../../../../src/api/transport/server-time.ts';
import { UnansweredCalls } from '../../../../src/api/transport/unanswered-calls.ts';
import { withRetry } from '../../../../src/api/transport/with-retry.ts';
import { deferred } from '../../../../src/lib/deferred.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

it('a call that has no answer is told of, with how long it is tried, until it has one', async () => {
  const clock = new FakeClock();
  const unanswered = new UnansweredCalls(clock);
  const beganMs = clock.now();
  const send = withRetry(
    async ({ onSending }) => {
      onSending?.();
      await clock.sleep(20_000);
      if (clock.now() - beganMs < 50_000)
        throw new ExchangeError('reset', { mayHaveArrived: false, cause: undefined });
      return { status: 200, headers: {}, body: {} };
    },
    {
      clock,
      unanswered,
      refused: new RefusedCalls(clock),
      serverTime: new ServerTime(clock),
      timeoutMs: 60_000,
      closed: new AbortController().signal,
      random: () => 0,
    },
  );
  const none = { calls: 0, sinceMs: null, untilMs: null };
  const answer = send({ method: 'GET', path: '/files' } as Parameters<typeof send>[0]);
  expect(unanswered.snapshot()).toEqual(none);
  await clock.advance(2000);
  expect(unanswered.snapshot()).toEqual({ calls: 1, sinceMs: beganMs, untilMs: beganMs + 60_000 });
  await clock.advance(30_000);
  const { sinceMs, untilMs } = unanswered.snapshot();
  expect(sinceMs).toBe(beganMs);
  expect(untilMs).toBeLessThanOrEqual(beganMs + 61_000);
  await clock.advance(30_000);
  await answer;
  expect(unanswered.snapshot()).toEqual(none);
});

it('a call whose answer the service holds back on purpose is told of when that time is over', async () => {
  const clock = new FakeClock();
  const unanswered = new UnansweredCalls(clock);
  const dueMs = clock.now() + 30_000;
  const over = deferred();
  const call = unanswered.during(async (pending) => {
    pending.sent(15_000, 30_000);
    await over.promise;
  });
  await clock.advance(29_000);
  expect(unanswered.snapshot().calls).toBe(0);
  await clock.advance(3000);
  expect(unanswered.snapshot()).toEqual({ calls: 1, sinceMs: dueMs, untilMs: dueMs + 15_000 });
  over.resolve();
  await call;
});
