/** The order of calls, and the waits, when the rate limit is short (src/decisions/0052-fair-share.md). */
import { describe, expect, it } from 'vitest';
import type { Asked } from '../../../../src/api/transport/rate-budget.ts';
import { RateBudget } from '../../../../src/api/transport/rate-budget.ts';
import { ServerTime } from '../../../../src/api/transport/server-time.ts';
import { forRequester, type Requester } from '../../../../src/lib/requester.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const LOOK: Asked = { priority: 'interactive' };
const CHANGE: Asked = { priority: 'interactive', changes: true };
const WINDOW_MS = 300_000;

const requesterOf = (thread: number): Requester => ({
  thread,
  operation: 'setxattr',
  path: () => `/p/${thread}`,
  hasLeft: () => false,
});

/** A service that allows so many requests in 300 s and answers at once, and programs that ask it through one budget. */
async function world(limit = 1000) {
  const clock = new FakeClock();
  const waits: number[] = [];
  const budget = new RateBudget(clock, new ServerTime(clock), {
    onWait: (ms) => waits.push(ms),
    jobOf: (thread) => ({ process: thread, group: thread }),
  });
  let resetMs = clock.now() + WINDOW_MS;
  let remaining = limit;
  const order: string[] = [];

  /** Sends one request for a program, and answers when it was let go. */
  const send = async (asked: Asked, thread: number, name = String(thread)): Promise<number> => {
    const requester = requesterOf(thread);
    const turn = await forRequester(requester, () => budget.acquire(asked));
    if (clock.now() >= resetMs) {
      resetMs = clock.now() + WINDOW_MS;
      remaining = limit;
    }
    remaining -= 1;
    if (remaining < 0) throw new Error('more than the limit was sent');
    order.push(name);
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
    };
    budget.settle(turn, { status: 200, headers });
    return clock.now();
  };
  /** One request after the other, as a loop of `setfattr` does. */
  const loop = async (asked: Asked, thread: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) await send({ ...asked, signal }, thread).catch(() => undefined);
  };
  /** As other clients of the same token do. */
  const othersUse = (count: number): void => {
    remaining -= count;
  };
  const spentBy = (thread: number): boolean => forRequester(requesterOf(thread), () => budget.isSpent());
  await send(LOOK, 1, 'first');
  order.length = 0;
  return { clock, budget, waits, order, send, loop, othersUse, spentBy, left: () => remaining };
}

/** Of a world whose interval has so many requests left, as the budget knows. */
async function worldWith(left: number, limit = 1000) {
  const made = await world(limit);
  made.othersUse(limit - 1 - left - 1);
  await made.send(LOOK, 1, 'told');
  made.order.length = 0;
  return made;
}

describe('changes by a program', () => {
  it('go at once until half of the interval is gone, and are spread over the rest of it then', async () => {
    const { clock, loop, left } = await world();
    const end = new AbortController();
    const running = loop(CHANGE, 7, end.signal);
    await clock.advance(0);
    expect(left()).toBe(500);
    const beganMs = clock.now();
    await clock.advance(100_000);
    expect(left()).toBeGreaterThan(150 + 200);
    await clock.advance(beganMs + 295_000 - clock.now());
    expect(left()).toBeGreaterThanOrEqual(150);
    expect(left()).toBeLessThan(170);
    end.abort();
    await clock.advance(0);
    await running;
    expect(clock.sleeping).toBe(0);
  });

  it('leave the last 15 % of the interval to looks, which go at once to its end', async () => {
    const { clock, send, order, spentBy } = await worldWith(150);
    const change = send(CHANGE, 7, 'change');
    await clock.advance(0);
    for (let thread = 100; thread < 250; thread++) await send(LOOK, thread, 'look');
    expect(order).toEqual(Array(150).fill('look'));
    expect(spentBy(300)).toBe(true);
    await clock.advance(301_000);
    await change;
  });

  it('by two programs take turns, however many calls one of them has waiting', async () => {
    const { clock, send, loop, order } = await worldWith(400);
    const many = Array.from({ length: 40 }, () => send(CHANGE, 7));
    const end = new AbortController();
    const other = loop(CHANGE, 8, end.signal);
    await clock.advance(30_000);
    const turns = order.slice(2);
    expect(turns.length).toBeGreaterThan(10);
    expect(turns).toEqual(turns.map((_, index) => (index % 2 === 0 ? turns[0] : turns[1])));
    expect(new Set(turns)).toEqual(new Set(['7', '8']));
    end.abort();
    await other;
    await clock.advance(400_000);
    await Promise.all(many);
  });

  it('do not hold up the bytes of files, which take turns with them when an interval begins', async () => {
    const { clock, send, order } = await worldWith(150);
    const waiting = [
      ...Array.from({ length: 5 }, () => send(CHANGE, 7, 'change')),
      ...Array.from({ length: 5 }, () => send({ priority: 'data' }, 8, 'bytes')),
    ];
    await clock.advance(301_000);
    await Promise.all(waiting);
    expect(order.slice(0, 4)).toEqual(['change', 'bytes', 'change', 'bytes']);
    const paced = await worldWith(400);
    await paced.send(CHANGE, 7, 'change');
    const next = paced.send(CHANGE, 7, 'change');
    await paced.send({ priority: 'data' }, 8, 'bytes');
    expect(paced.order).toEqual(['change', 'bytes']);
    await paced.clock.advance(2_000);
    await next;
  });
});

describe('the looks of a program', () => {
  it('leave the reserve to other programs when there were many of them', async () => {
    const { clock, send, order, spentBy } = await worldWith(400);
    const walk = Array.from({ length: 400 }, () => send(LOOK, 7, 'walk'));
    await clock.advance(0);
    // Those that it had waiting before it was known for a walk are not held back.
    await Promise.all(walk.slice(0, 50));
    expect(order.filter((name) => name === 'walk')).toHaveLength(250);
    expect([spentBy(7), spentBy(8)]).toEqual([true, false]);
    await send(LOOK, 8, 'person');
    expect(order.at(-1)).toBe('person');
    await clock.advance(301_000);
    await Promise.all(walk);
  });

  it('count anew in each interval', async () => {
    const { clock, send, spentBy } = await worldWith(200);
    for (let count = 0; count < 50; count++) await send(LOOK, 7);
    expect(spentBy(7)).toBe(true);
    await clock.advance(301_000);
    expect(spentBy(7)).toBe(false);
  });
});

describe('a call that waits', () => {
  it('is told of with its program, its end and those before it', async () => {
    const { clock, budget, send } = await worldWith(0);
    const resetMs = clock.now() + WINDOW_MS;
    const waiting = [send(CHANGE, 7), send(CHANGE, 7), send(LOOK, 9)];
    const program = (process: number) => ({ process, operation: 'setxattr', path: `/p/${process}` });
    expect(budget.snapshot().calls).toEqual([
      { before: 0, untilMs: resetMs + 1000, program: program(9) },
      { before: 1, untilMs: resetMs + 1000, program: program(7) },
      { before: 2, untilMs: resetMs + 1000, program: program(7) },
    ]);
    await clock.advance(301_000);
    await Promise.all(waiting);
    expect(budget.snapshot().calls).toEqual([]);
  });

  it('for the pace is told of with the moment of its own turn', async () => {
    const { clock, budget, send } = await worldWith(450);
    await send(CHANGE, 7);
    const waiting = [send(CHANGE, 7), send(CHANGE, 8)];
    const moments = budget.snapshot().calls.map(({ untilMs }) => (untilMs ?? 0) - clock.now());
    expect(moments).toEqual([expect.closeTo(1000, -2), expect.closeTo(2000, -2)]);
    await clock.advance(3_000);
    await Promise.all(waiting);
  });

  it('changes nothing any more when its program gives it up before it is sent', async () => {
    const { clock, budget, send, order } = await worldWith(0);
    const stop = new AbortController();
    const waiting = expect(send({ ...CHANGE, untilSent: stop.signal }, 7)).rejects.toThrow('stopped');
    stop.abort(new Error('stopped'));
    await waiting;
    expect(budget.snapshot().waiting.interactive).toBe(0);
    await clock.advance(400_000);
    expect(order).toEqual([]);
  });
});

describe('the interval that is shown', () => {
  it('is never one that is over', async () => {
    const { clock, budget } = await worldWith(10);
    expect(budget.snapshot().window).toMatchObject({ remaining: 10, resetMs: clock.now() + WINDOW_MS });
    await clock.advance(WINDOW_MS);
    expect(budget.snapshot().window).toEqual({ limit: 1000, remaining: 1000, resetMs: null });
  });
});
