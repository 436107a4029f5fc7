import { describe, expect, it } from 'vitest';

import type { Priority } from '../../../src/api/api.ts';
import type { Call } from '../../../src/api/transport/call.ts';
import { RateBudget } from '../../../src/api/transport/rate-budget.ts';
import { ServerTime } from '../../../src/api/transport/server-time.ts';
import { withRateBudget } from '../../../src/api/transport/with-rate-budget.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** A service that allows 10 requests per 100 s, and the budget of one client of it. */
function limited(limit = 10) {
  const clock = new FakeClock();
  const windowMs = 100_000;
  let windowStart = clock.now();
  let used = 0;
  let exceeded = 0;
  const waits: number[] = [];
  const budget = new RateBudget(clock, new ServerTime(clock), (ms) => waits.push(ms));
  const order: Priority[] = [];

  const request = async (priority: Priority, signal?: AbortSignal): Promise<void> => {
    await budget.acquire(priority, signal);
    if (clock.now() >= windowStart + windowMs) {
      windowStart = clock.now();
      used = 0;
    }
    used += 1;
    exceeded += used > limit ? 1 : 0;
    order.push(priority);
    await clock.sleep(20);
    budget.settle({
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - used)),
      'x-ratelimit-reset': String(Math.ceil((windowStart + windowMs) / 1000)),
    });
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
    const waiting = rig.budget.acquire('interactive', controller.signal);
    const outcome = expect(waiting).rejects.toThrow('interrupted');
    controller.abort(new Error('interrupted'));
    await outcome;
    expect(rig.budget.snapshot().waiting.interactive).toBe(0);
    await rig.clock.advance(0);
    expect(rig.clock.sleeping).toBe(0);
  });

  it('goes by the clock of the service', async () => {
    const clock = new FakeClock();
    const serverTime = new ServerTime(clock);
    const budget = new RateBudget(clock, serverTime);
    const serverNowMs = clock.now() + 3_600_000;
    await budget.acquire('interactive');
    serverTime.observe(new Date(serverNowMs).toUTCString());
    budget.settle({
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(serverNowMs / 1000 + 60),
    });
    let went = false;
    const waiting = budget.acquire('interactive').then(() => {
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
      await budget.acquire('background');
      budget.settle({});
    }
    expect(budget.snapshot()).toMatchObject({ window: 'unlimited', inFlight: 0 });
  });
});
