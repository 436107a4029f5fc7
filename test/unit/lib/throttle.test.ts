import { describe, expect, it } from 'vitest';
import { Throttle } from '../../../src/lib/throttle.ts';
import { FakeClock } from '../../support/fake-clock.ts';

/** Takes each amount, and notes when it may go, in seconds from now. */
async function times(clock: FakeClock, limit: Throttle, amounts: readonly number[]): Promise<number[]> {
  const startMs = clock.now();
  const seconds: number[] = [];
  const taking = amounts.map((amount) =>
    limit.take(amount).then(() => seconds.push((clock.now() - startMs) / 1000)),
  );
  await clock.advance(1000 * 1000);
  await Promise.all(taking);
  return seconds;
}

describe('a throttle', () => {
  it('lets the first go at once, and each other when those before are paid for', async () => {
    const clock = new FakeClock();
    expect(await times(clock, new Throttle(100, clock), [200, 50, 100, 1])).toEqual([0, 1.95, 2.45, 3.45]);
  });

  it('saves hardly any time up', async () => {
    const clock = new FakeClock();
    const limit = new Throttle(100, clock);
    await limit.take(100);
    await clock.advance(60_000);
    expect(await times(clock, limit, [100, 100])).toEqual([0, 0.95]);
  });

  it('owes no more when the clock is set back', async () => {
    const clock = new FakeClock();
    const limit = new Throttle(100, clock);
    await limit.take(100);
    clock.set(-3_600_000);
    const second = limit.take(1);
    await clock.advance(1000);
    await expect(Promise.race([second, 'still waiting'])).resolves.toBeUndefined();
  });

  it('lets who gives up leave at once, whoever is before him', async () => {
    const clock = new FakeClock();
    const limit = new Throttle(100, clock);
    const given = new AbortController();
    await limit.take(1000);
    const before = limit.take(1000);
    const waiting = limit.take(1, given.signal);
    given.abort(new Error('no longer'));
    await expect(waiting).rejects.toThrow('no longer');
    await clock.advance(10_000);
    await before;
  });

  it('charges nothing for who gave up waiting', async () => {
    const clock = new FakeClock();
    const limit = new Throttle(100, clock);
    const given = new AbortController();
    await limit.take(1000);
    const waiting = limit.take(1_000_000, given.signal);
    const next = times(clock, limit, [1, 1]);
    given.abort(new Error('no longer'));
    await expect(waiting).rejects.toThrow('no longer');
    expect(await next).toEqual([9.95, 9.96]);
  });
});
