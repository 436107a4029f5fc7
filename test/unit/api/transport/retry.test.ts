import { describe, expect, it } from 'vitest';

import { TransportError } from '../../../../src/api/errors.ts';
import type { Answer, Call, Send } from '../../../../src/api/transport/call.ts';
import { callerOver } from '../../../../src/api/transport/caller.ts';
import { ExchangeError } from '../../../../src/api/transport/exchange-error.ts';
import { LostAnswer, lookBeforeRepeating } from '../../../../src/api/transport/lost-answer.ts';
import { RefusedCalls } from '../../../../src/api/transport/refused-calls.ts';
import { BACKOFF } from '../../../../src/api/transport/retry-policy.ts';
import { ServerTime } from '../../../../src/api/transport/server-time.ts';
import { UnansweredCalls } from '../../../../src/api/transport/unanswered-calls.ts';
import { withErrors } from '../../../../src/api/transport/with-errors.ts';
import { withRetry } from '../../../../src/api/transport/with-retry.ts';
import { Patience } from '../../../../src/lib/patience.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

type Step = Answer | ExchangeError;

const ok: Answer = { status: 200, headers: {}, body: {} };
const status = (code: number, body: unknown = undefined, headers: Answer['headers'] = {}): Answer => ({
  status: code,
  headers,
  body,
});
const refused = new ExchangeError('ECONNREFUSED', { mayHaveArrived: false, cause: undefined });
const reset = new ExchangeError('ECONNRESET', { mayHaveArrived: true, cause: undefined });

const unproven = new ExchangeError('self-signed certificate', {
  mayHaveArrived: false,
  unproven: true,
  cause: undefined,
});

const call = (whenLost: Call['whenLost'] = 'repeat', signal?: AbortSignal): Call => ({
  name: 'GET /x',
  method: 'GET',
  path: '/x',
  whenLost,
  priority: 'interactive',
  signal,
});

/** Answers step by step, the last one for ever; tells how often it was asked. */
function scripted(steps: readonly Step[]): { send: Send; asked: () => number } {
  let asked = 0;
  const send: Send = async () => {
    const step = steps[Math.min(asked, steps.length - 1)] ?? ok;
    asked += 1;
    if (step instanceof ExchangeError) {
      throw step;
    }
    return step;
  };
  return { send, asked: () => asked };
}

function retrying(steps: readonly Step[], timeoutMs = 60_000) {
  const clock = new FakeClock();
  const script = scripted(steps);
  const refused = new RefusedCalls(clock);
  const send = withErrors(
    withRetry(script.send, {
      clock,
      refused,
      unanswered: new UnansweredCalls(clock),
      serverTime: new ServerTime(clock),
      timeoutMs,
      closed: new AbortController().signal,
      random: () => 0.5,
    }),
    'svc.example',
  );
  /** Lets time pass until the call settles; answers how much did. */
  const run = async (each: Call = call()) => {
    const startMs = clock.now();
    let settled = false;
    const result = send(each)
      .then((answer) => ({ answer, error: undefined }))
      .catch((error: unknown) => ({ answer: undefined, error }))
      .finally(() => {
        settled = true;
      });
    for (let steps = 0; !settled && steps < 100_000; steps += 1) {
      await clock.advance(10);
    }
    return { ...(await result), tookMs: clock.now() - startMs };
  };
  return { ...script, run, clock, send, refused };
}

describe('a call that may be repeated', () => {
  it.each([
    ['a refused connection', refused],
    ['a reset connection', reset],
    ['status 502', status(502)],
    ['status 522', status(522)],
    ['status 503', status(503)],
    ['a part that could not be reserved', status(409, { code: 8008 })],
    ['a request that did not get through in time', status(408)],
  ])('is sent again after %s', async (_, failure) => {
    const { run, asked } = retrying([failure, failure, ok]);
    expect((await run()).answer).toBe(ok);
    expect(asked()).toBe(3);
  });

  it('waits longer after each failure', async () => {
    const { run } = retrying([refused, refused, refused, refused, ok]);
    const { tookMs } = await run();
    expect(tookMs).toBeGreaterThanOrEqual(125 + 250 + 500 + 1000);
    expect(tookMs).toBeLessThan(2000);
  });

  it('fails with a transport error when the service stays away for the time allowed', async () => {
    const { run } = retrying([reset], 30_000);
    const { error, tookMs } = await run();
    expect(error).toBeInstanceOf(TransportError);
    expect(tookMs).toBeGreaterThan(25_000);
    expect(tookMs).toBeLessThanOrEqual(31_000);
  });

  it('is tried for the time that it allows itself', async () => {
    const { run } = retrying([reset], 30_000);
    const { error, tookMs } = await run({ ...call(), timeoutMs: 5000 });
    expect(error).toBeInstanceOf(TransportError);
    expect(tookMs).toBeGreaterThan(3000);
    expect(tookMs).toBeLessThanOrEqual(6000);
  });

  it('is given up at once when the server never proved to be the service', async () => {
    const { run, asked } = retrying([unproven]);
    expect((await run()).error).toBeInstanceOf(TransportError);
    expect(asked()).toBe(1);
  });

  it('is sent again when a server that did prove it does not for a while', async () => {
    const { run, asked } = retrying([ok, unproven, unproven, ok]);
    await run();
    expect((await run()).answer).toBe(ok);
    expect(asked()).toBe(4);
  });

  it('is refused with what the service said when its fault does not pass', async () => {
    const { run, asked } = retrying([status(500, { code: 90009, message: 'Broken.' })]);
    expect((await run()).error).toMatchObject({ status: 500, code: 90009, message: 'Broken.' });
    expect(asked()).toBe(4);
  });

  it('is sent again after a fault of the service that has just come back', async () => {
    const { run } = retrying([...Array(4).fill(refused), status(500), ok]);
    expect((await run()).answer).toBe(ok);
  });

  it('is not sent again when it was refused', async () => {
    const { run, asked } = retrying([status(403, { code: 5001 })]);
    expect((await run()).error).toMatchObject({ code: 5001 });
    expect(asked()).toBe(1);
  });

  it('waits for the end of maintenance, and longer each time', async () => {
    const maintenance = status(503, { code: 0 });
    const { run } = retrying([maintenance, maintenance, maintenance, ok]);
    const { answer, tookMs } = await run();
    expect(answer).toBe(ok);
    expect(tookMs).toBeGreaterThanOrEqual(2000 + 4000 + 8000);
    expect(tookMs).toBeLessThan(15_000);
  });

  it('is tried to the end of the time allowed, however long the pauses', async () => {
    const { run, asked } = retrying([status(503, { code: 0 })], 10_000);
    const { error, tookMs } = await run();
    expect(error).toMatchObject({ status: 503, code: 0 });
    expect(tookMs).toBeGreaterThanOrEqual(9000);
    expect(tookMs).toBeLessThanOrEqual(10_000);
    expect(asked()).toBe(4);
  });

  it('waits for the end of the interval after 429, whatever the time allowed for failures', async () => {
    const clock = new FakeClock();
    const headers = {
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(clock.now() / 1000 + 200),
    };
    const { run } = retrying([status(429, { code: 1000 }, headers), ok], 1000);
    const { answer, tookMs } = await run();
    expect(answer).toBe(ok);
    expect(tookMs).toBeGreaterThanOrEqual(200_000);
    expect(tookMs).toBeLessThan(202_000);
  });

  it.each([
    ['a reset in the past', (nowMs: number) => ({ 'x-ratelimit-reset': String(nowMs / 1000 - 5) })],
    ['a reset in seconds from now', () => ({ 'x-ratelimit-reset': '8' })],
    ['seconds to retry after', () => ({ 'retry-after': '8' })],
    ['a date to retry after', (nowMs: number) => ({ 'retry-after': new Date(nowMs + 8000).toUTCString() })],
    ['nothing', () => ({})],
  ])('waits until others are over the limit no more, told %s', async (_, headersAt) => {
    const clock = new FakeClock();
    const overMs = clock.now() + 8000;
    const limits = { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '0' };
    let asked = 0;
    const send = withRetry(
      async () => {
        asked += 1;
        const headers = { ...limits, ...headersAt(clock.now()) };
        return clock.now() < overMs ? status(429, { code: 1000 }, headers) : ok;
      },
      {
        clock,
        refused: new RefusedCalls(clock),
        unanswered: new UnansweredCalls(clock),
        serverTime: new ServerTime(clock),
        timeoutMs: 1000,
        closed: new AbortController().signal,
        random: () => 0.5,
      },
    );
    const answer = send(call());
    await clock.advance(20_000);
    expect(await answer).toBe(ok);
    expect(asked).toBeLessThanOrEqual(5);
  });

  it.each([
    ['a reset', { 'x-ratelimit-limit': '9', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1e14' }],
    ['a time to retry after', { 'retry-after': '1e9' }],
  ])('does not sleep for ever for %s far away', async (_, headers) => {
    const { run } = retrying([status(429, { code: 1000 }, headers), ok]);
    const { answer, tookMs } = await run();
    expect(answer).toBe(ok);
    expect(tookMs).toBeLessThan(16 * 60_000);
  });

  it('is counted with those that wait while it sits out a refusal', async () => {
    const { send, clock, refused } = retrying([status(429, { code: 1000 }, { 'retry-after': '60' }), ok]);
    const sent = send(call());
    await clock.advance(1000);
    const untilMs = clock.now() + 59_500;
    expect(refused.snapshot()).toEqual({ calls: 1, untilMs });
    await clock.advance(60_000);
    await sent;
    expect(refused.snapshot()).toEqual({ calls: 0, untilMs: null });
  });

  it('is refused with 429 when others use up the limit for a quarter of an hour', async () => {
    const { run, asked } = retrying([status(429, { code: 1000 })]);
    const { error, tookMs } = await run();
    expect(error).toMatchObject({ status: 429, code: 1000 });
    expect(tookMs).toBeGreaterThanOrEqual(15 * 60_000);
    expect(asked()).toBeLessThan(40);
  });

  it('ends its pause when the signal fires', async () => {
    const { send, clock } = retrying([refused]);
    const controller = new AbortController();
    const sending = send(call('repeat', controller.signal));
    const outcome = expect(sending).rejects.toThrow('interrupted');
    await clock.advance(0);
    controller.abort(new Error('interrupted'));
    await outcome;
  });
});

describe('a call that takes effect once', () => {
  it.each([
    ['a refused connection', refused],
    ['a service that is down', status(503, { code: 8000 })],
    ['status 429', status(429)],
    ['a request that did not get through in time', status(408)],
  ])('is sent again after %s, for it surely had no effect', async (_, failure) => {
    const { run, asked } = retrying([failure, ok]);
    expect((await run(call('once'))).answer).toBe(ok);
    expect(asked()).toBe(2);
  });

  it.each([
    ['a reset connection', reset],
    ['status 500', status(500)],
    ['status 504', status(504)],
    ['status 524', status(524)],
    ['status 503 of a gateway', status(503)],
    ['status 503 of a gateway that writes it for a code', status(503, { code: 503 })],
  ])('is left to its caller after %s', async (_, failure) => {
    const { run, asked } = retrying([failure, ok]);
    expect((await run(call('once'))).error).toBeInstanceOf(LostAnswer);
    expect(asked()).toBe(1);
  });

  it('is left to its caller after a fault of the service that has just come back', async () => {
    const { run } = retrying([...Array(4).fill(refused), status(500), ok]);
    expect((await run(call('once'))).error).toBeInstanceOf(LostAnswer);
  });
});

describe('a call that fails', () => {
  it.each([
    ['surely not, when every connection was refused', [refused], false],
    ['perhaps, when a connection was reset before', [reset, refused], true],
    ['perhaps, when a gateway waited in vain before', [status(504), refused], true],
    ['perhaps, when one without a standard status did', [status(524), refused], true],
    ['perhaps, when one lost its connection to the service', [status(503), refused], true],
    ['surely not, when the service was down', [status(503, { code: 8000 }), refused], false],
  ])('says whether it may have been carried out: %s', async (_, steps, mayHaveArrived) => {
    const { run } = retrying(steps, 5000);
    expect((await run()).error).toMatchObject({ name: 'TransportError', mayHaveArrived });
  });
});

describe('a service that a partition cuts off', () => {
  /** No exchange is answered for so long: each ends when its time does. */
  function cutOff(forMs: number, timeoutMs: number) {
    const clock = new FakeClock();
    const untilMs = clock.monotonic() + forMs;
    const withoutAnswer: Send = async ({ timeoutMs: leftMs = 0 }) => {
      await clock.sleep(Math.min(leftMs, 20_000));
      if (clock.monotonic() < untilMs) throw reset;
      return ok;
    };
    const closed = new AbortController().signal;
    const parts = {
      clock,
      refused: new RefusedCalls(clock),
      unanswered: new UnansweredCalls(clock),
      serverTime: new ServerTime(clock),
      closed,
    };
    const send = withErrors(
      withRetry(withoutAnswer, { ...parts, timeoutMs, random: () => 0.5 }),
      'svc.example',
    );
    return {
      clock,
      caller: callerOver(send, (ms = timeoutMs) => new Patience({ clock, timeoutMs: ms, backoff: BACKOFF })),
    };
  }

  async function tookMs(clock: FakeClock, call: Promise<unknown>): Promise<number | 'succeeded'> {
    const began = clock.monotonic();
    let end: number | 'succeeded' | undefined;
    call.then(
      () => (end = 'succeeded'),
      () => (end = clock.monotonic() - began),
    );
    while (end === undefined) await clock.advance(100);
    return end;
  }

  const spec = { route: 'GET /x', parse: () => undefined } as const;

  it('fails a call when its time is over: of 42 s with a limit of 15 s at 15 s', async () => {
    const { clock, caller } = cutOff(42_000, 15_000);
    expect(await tookMs(clock, caller(spec))).toBe(15_000);
  });

  it('fails a call that takes effect once no later, though it is looked for', async () => {
    const { clock, caller } = cutOff(42_000, 15_000);
    const once = { ...spec, whenLost: 'once' } as const;
    const call = lookBeforeRepeating(
      (options) => caller(once, options),
      (options) => caller(spec, options),
      caller.repetition(),
    );
    expect(await tookMs(clock, call)).toBeLessThanOrEqual(16_000);
  });

  it('fails no call whose time is longer', async () => {
    const { clock, caller } = cutOff(42_000, 60_000);
    expect(await tookMs(clock, caller(spec))).toBe('succeeded');
  });

  it('does not count what a call waited for the rate limit before it was sent', async () => {
    const clock = new FakeClock();
    const parts = {
      clock,
      refused: new RefusedCalls(clock),
      unanswered: new UnansweredCalls(clock),
      serverTime: new ServerTime(clock),
    };
    let sent = 0;
    const send = withRetry(
      async ({ onSending }) => {
        await clock.sleep(100_000);
        onSending?.();
        sent += 1;
        if (sent === 1) throw reset;
        return ok;
      },
      { ...parts, timeoutMs: 15_000, closed: new AbortController().signal, random: () => 0.5 },
    );
    expect(await tookMs(clock, send(call()))).toBe('succeeded');
  });
});
