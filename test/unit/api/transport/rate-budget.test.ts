import { describe, expect, it } from 'vitest';

import type { Priority } from '../../../../src/api/call-options.ts';
import type { Answer, Call } from '../../../../src/api/transport/call.ts';
import { RateBudget } from '../../../../src/api/transport/rate-budget.ts';
import { ServerTime } from '../../../../src/api/transport/server-time.ts';
import { withRateBudget } from '../../../../src/api/transport/with-rate-budget.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

/** An answer with the headers of a window. */
function telling(
  { limit = 10, remaining, resetMs }: { limit?: number; remaining: number; resetMs: number },
  status = 200,
): { status: number; headers: Answer['headers'] } {
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, remaining)),
    'x-ratelimit-reset': String(resetMs / 1000),
  };
  return { status, headers };
}

/** A budget, and requests of it that are answered when the test says so. */
function scripted() {
  const clock = new FakeClock();
  const budget = new RateBudget(clock, new ServerTime(clock));
  const answerOne = async (answer: Parameters<RateBudget['settle']>[1]): Promise<void> =>
    budget.settle(await budget.acquire({ priority: 'interactive' }), answer);
  /** How many of the requests that `ask` made have gone. */
  let gone = 0;
  const ask = (answer: Parameters<RateBudget['settle']>[1]): Promise<void> =>
    budget.acquire({ priority: 'interactive' }).then((turn) => {
      gone += 1;
      budget.settle(turn, answer);
    });
  return { clock, budget, answerOne, ask, gone: () => gone };
}

/** A service that allows 10 requests per 100 s, and the budget of one client of it. */
function limited(limit = 10) {
  const clock = new FakeClock();
  const windowMs = 100_000;
  let windowStart = clock.now();
  let used = 0;
  let exceeded = 0;
  const waits: number[] = [];
  const budget = new RateBudget(clock, new ServerTime(clock), { onWait: (ms) => waits.push(ms) });
  const order: Priority[] = [];

  const request = async (priority: Priority, signal?: AbortSignal, urgent?: AbortSignal): Promise<void> => {
    const turn = await budget.acquire({ priority, signal, urgent });
    if (clock.now() >= windowStart + windowMs) {
      windowStart = clock.now();
      used = 0;
    }
    used += 1;
    exceeded += used > limit ? 1 : 0;
    order.push(priority);
    await clock.sleep(20);
    const resetMs = Math.ceil((windowStart + windowMs) / 1000) * 1000;
    budget.settle(turn, telling({ limit, remaining: limit - used, resetMs }));
  };
  return { clock, budget, request, order, waits, exceeded: () => exceeded };
}

/** Lets one request learn of the interval. */
async function first(rig: ReturnType<typeof limited>): Promise<void> {
  const done = rig.request('interactive');
  await rig.clock.advance(50);
  await done;
}

describe('the rate budget', () => {
  it('tells once for how long all who wait do', async () => {
    const rig = limited();
    await first(rig);
    expect(rig.waits).toEqual([]);
    const all = Promise.all(Array.from({ length: 12 }, () => rig.request('interactive')));
    await rig.clock.advance(5_000);
    expect(rig.waits).toEqual([expect.closeTo(100_000, -4)]);
    await rig.clock.advance(100_000);
    await all;
  });

  it('never sends more than the interval allows, and waits instead of failing', async () => {
    const rig = limited();
    await first(rig);
    const all = Promise.all(Array.from({ length: 25 }, () => rig.request('interactive')));
    await rig.clock.advance(5_000);
    expect(rig.order).toHaveLength(10);
    expect(rig.budget.snapshot().waiting.interactive).toBe(16);
    await rig.clock.advance(300_000);
    await all;
    expect(rig.order).toHaveLength(26);
    expect(rig.exceeded()).toBe(0);
  });

  it('sends one request ahead when it knows nothing of the interval yet', async () => {
    const rig = limited();
    const all = Promise.all(Array.from({ length: 25 }, () => rig.request('interactive')));
    await rig.clock.advance(10);
    expect(rig.order).toHaveLength(1);
    await rig.clock.advance(500_000);
    await all;
    expect(rig.exceeded()).toBe(0);
  });

  it('lets a call go that waits in the background when a person waits for it too', async () => {
    const rig = limited();
    await first(rig);
    await Promise.all([...Array(7)].map(() => rig.request('interactive')).concat(rig.clock.advance(5_000)));
    const urgent = new AbortController();
    const raised = rig.request('background', undefined, urgent.signal);
    const other = rig.request('background');
    await rig.clock.advance(50);
    expect(rig.budget.snapshot().waiting).toMatchObject({ interactive: 0, background: 2 });
    urgent.abort();
    await rig.clock.advance(50);
    await raised;
    expect(rig.budget.snapshot().waiting).toMatchObject({ interactive: 0, background: 1 });
    await rig.clock.advance(200_000);
    await other;
    expect(rig.exceeded()).toBe(0);
  });

  it('forgets a call that was raised and given up', async () => {
    const rig = limited();
    await first(rig);
    await Promise.all([...Array(9)].map(() => rig.request('interactive')).concat(rig.clock.advance(5_000)));
    const [urgent, end] = [new AbortController(), new AbortController()];
    const raised = rig.request('background', end.signal, urgent.signal);
    urgent.abort();
    expect(rig.budget.snapshot().waiting).toMatchObject({ interactive: 1, background: 0 });
    end.abort(new Error('given up'));
    await expect(raised).rejects.toThrow('given up');
    expect(rig.budget.snapshot().waiting).toMatchObject({ interactive: 0, background: 0 });
  });

  it('lets a person go before prefetch and background work', async () => {
    const rig = limited();
    await first(rig);
    const all = [
      ...Array.from({ length: 10 }, () => rig.request('background')),
      ...Array.from({ length: 10 }, () => rig.request('prefetch')),
      ...Array.from({ length: 5 }, () => rig.request('interactive')),
    ];
    await rig.clock.advance(150_000);
    expect(rig.order.slice(-5)).not.toContain('interactive');
    const lastInteractive = rig.order.lastIndexOf('interactive');
    const firstLater = rig.order.findIndex((each, at) => at > 10 && each !== 'interactive');
    expect(lastInteractive).toBeLessThan(firstLater);
    await rig.clock.advance(500_000);
    await Promise.all(all);
    expect(rig.exceeded()).toBe(0);
  });

  it('leaves a share of the interval to those who may need it at once', async () => {
    const rig = limited(100);
    await first(rig);
    const background = Array.from({ length: 100 }, () => rig.request('background'));
    await rig.clock.advance(10_000);
    expect(rig.budget.snapshot()).toMatchObject({ inFlight: 0, window: { remaining: 30 } });
    const person = rig.request('interactive');
    await rig.clock.advance(50);
    await person;
    await rig.clock.advance(500_000);
    await Promise.all(background);
  });

  it('forgets a request whose signal fired while it waited', async () => {
    const rig = limited();
    await first(rig);
    const nine = Promise.all(Array.from({ length: 9 }, () => rig.request('interactive')));
    await rig.clock.advance(100);
    await nine;
    const controller = new AbortController();
    const waiting = rig.budget.acquire({ priority: 'interactive', signal: controller.signal });
    const outcome = expect(waiting).rejects.toThrow('interrupted');
    controller.abort(new Error('interrupted'));
    await outcome;
    expect(rig.budget.snapshot().waiting.interactive).toBe(0);
    await rig.clock.advance(0);
    expect(rig.clock.sleeping).toBe(0);
  });

  it('lets nobody wait any more when it was closed', async () => {
    const rig = limited(1);
    await first(rig);
    const waiting = [rig.budget.acquire({ priority: 'interactive' })];
    rig.budget.close(new Error('closed'));
    waiting.push(
      rig.budget.acquire({ priority: 'interactive' }),
      rig.budget.acquire({ priority: 'background' }),
    );
    const ends = Promise.allSettled(waiting);
    await rig.clock.advance(200_000);
    expect(await ends).toMatchObject(Array(3).fill({ status: 'rejected', reason: new Error('closed') }));
  });

  it('goes by the clock of the service', async () => {
    const clock = new FakeClock();
    const serverTime = new ServerTime(clock);
    const budget = new RateBudget(clock, serverTime);
    const serverNowMs = clock.now() + 3_600_000;
    const turn = await budget.acquire({ priority: 'interactive' });
    serverTime.observe(new Date(serverNowMs).toUTCString());
    budget.settle(turn, telling({ limit: 1, remaining: 0, resetMs: serverNowMs + 60_000 }));
    let went = false;
    const waiting = budget.acquire({ priority: 'interactive' }).then(() => {
      went = true;
    });
    await clock.advance(58_000);
    expect(went).toBe(false);
    await clock.advance(4_000);
    await waiting;
  });

  it('tells whether there is room, less of it for what nobody waits for', async () => {
    const rig = limited();
    expect(rig.budget.hasRoom('background')).toBe(true);
    const one = rig.request('interactive');
    await rig.clock.advance(0);
    expect(rig.budget.hasRoom('interactive')).toBe(false);
    await rig.clock.advance(50);
    await one;
    for (let count = 1; count < 7; count += 1)
      await Promise.all([rig.request('interactive'), rig.clock.advance(50)]);
    expect(rig.budget.hasRoom('prefetch')).toBe(true);
    expect(rig.budget.hasRoom('background')).toBe(false);
  });

  it('learns nothing from the answer to a call that is not counted: its interval is another', async () => {
    const clock = new FakeClock();
    const serverTime = new ServerTime(clock);
    const budget = new RateBudget(clock, serverTime);
    const headers = {
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': '1000',
      'x-ratelimit-reset': String(clock.now() / 1000 + 300),
    };
    const send = withRateBudget(async () => ({ status: 200, headers, body: undefined }), budget, serverTime);
    const counted: Call = {
      name: 'GET /',
      method: 'GET',
      path: '/',
      whenLost: 'repeat',
      priority: 'interactive',
    };
    await send({ ...counted, uncounted: true });
    expect(budget.snapshot().window).toBeUndefined();
    await send(counted);
    expect(budget.snapshot().window).toMatchObject({ limit: 1000 });
  });

  it('limits nothing when the service does not', async () => {
    const clock = new FakeClock();
    const budget = new RateBudget(clock, new ServerTime(clock));
    for (let count = 0; count < 5000; count += 1) {
      budget.settle(await budget.acquire({ priority: 'background' }), { status: 200, headers: {} });
    }
    expect(budget.snapshot()).toMatchObject({ window: 'unlimited', inFlight: 0 });
  });
});

const MINUTE_MS = 60_000;

describe('a window that is told', () => {
  it.each([
    ['in milliseconds', (nowMs: number) => nowMs + MINUTE_MS],
    ['in seconds', (nowMs: number) => nowMs / 1000 + 60],
    ['as seconds from now', () => 60],
  ])('%s is understood', async (_, reset) => {
    const { clock, budget, answerOne } = scripted();
    const { headers } = telling({ remaining: 3, resetMs: 1000 * reset(clock.now()) });
    await answerOne({ status: 200, headers });
    expect(budget.snapshot().window).toEqual({ limit: 10, remaining: 3, resetMs: clock.now() + MINUTE_MS });
  });

  it('is not believed to last for hours, and a request goes now and then to ask', async () => {
    const { clock, budget, answerOne, ask, gone } = scripted();
    const resetMs = clock.now() + 24 * 60 * MINUTE_MS;
    await answerOne(telling({ remaining: 0, resetMs }));
    expect(budget.snapshot().window).toMatchObject({ resetMs: clock.now() + 15 * MINUTE_MS });
    const refused = ask(telling({ remaining: 0, resetMs }, 429));
    const answered = ask(telling({ remaining: 8, resetMs: clock.now() + 5 * MINUTE_MS }));
    const last = ask(telling({ remaining: 7, resetMs: clock.now() + 5 * MINUTE_MS }));
    await clock.advance(MINUTE_MS);
    expect(gone()).toBe(1);
    await clock.advance(MINUTE_MS);
    expect(gone()).toBe(3);
    await Promise.all([refused, answered, last]);
    expect(clock.sleeping).toBe(0);
  });

  it('is asked for again when the answer got lost', async () => {
    const { clock, answerOne, ask, gone } = scripted();
    await answerOne(telling({ remaining: 0, resetMs: clock.now() + 60 * MINUTE_MS }));
    const both = [ask(undefined), ask(telling({ remaining: 5, resetMs: clock.now() + MINUTE_MS }))];
    await clock.advance(MINUTE_MS);
    expect(gone()).toBe(1);
    await clock.advance(MINUTE_MS);
    await Promise.all(both);
  });

  it('replaces one with a later reset when its request was sent after that was told', async () => {
    const { clock, budget, answerOne } = scripted();
    await answerOne(telling({ limit: 1000, remaining: 900, resetMs: clock.now() + 5 * MINUTE_MS }));
    await answerOne(telling({ remaining: 7, resetMs: clock.now() + 4000 }));
    expect(budget.snapshot().window).toMatchObject({ limit: 10, remaining: 7 });
  });

  it('is that of the interval before when a request sent with it was overtaken', async () => {
    const { clock, budget, answerOne } = scripted();
    const resetMs = clock.now() + 1000;
    await answerOne(telling({ remaining: 5, resetMs }));
    const [slow, fast] = [
      await budget.acquire({ priority: 'interactive' }),
      await budget.acquire({ priority: 'interactive' }),
    ];
    budget.settle(fast, telling({ remaining: 9, resetMs: resetMs + MINUTE_MS }));
    budget.settle(slow, telling({ remaining: 4, resetMs }));
    expect(budget.snapshot().window).toMatchObject({ remaining: 9 });
  });

  it('counts down whatever order answers of an interval come in', async () => {
    const { clock, budget, answerOne } = scripted();
    const resetMs = clock.now() + MINUTE_MS;
    await answerOne(telling({ remaining: 9, resetMs }));
    const [slow, fast] = [
      await budget.acquire({ priority: 'interactive' }),
      await budget.acquire({ priority: 'interactive' }),
    ];
    budget.settle(fast, telling({ remaining: 7, resetMs }));
    budget.settle(slow, telling({ remaining: 8, resetMs }));
    expect(budget.snapshot().window).toMatchObject({ remaining: 7 });
  });

  it('by a refusal always counts, and who waits for another waits for it', async () => {
    const { clock, budget, answerOne, ask, gone } = scripted();
    const laterMs = clock.now() + 4 * MINUTE_MS;
    await answerOne(telling({ remaining: 2, resetMs: laterMs }));
    const [first, second] = [
      await budget.acquire({ priority: 'interactive' }),
      await budget.acquire({ priority: 'interactive' }),
    ];
    const waiting = ask(telling({ remaining: 9, resetMs: laterMs }));
    budget.settle(first, telling({ remaining: 0, resetMs: laterMs }));
    await clock.advance(0);
    budget.settle(second, telling({ remaining: 0, resetMs: clock.now() + 4000 }, 429));
    await clock.advance(6000);
    expect(gone()).toBe(1);
    await waiting;
  });
});
