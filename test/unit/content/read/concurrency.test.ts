import { describe, expect, it } from 'vitest';
import { afterPeriod, FIRST_CONCURRENCY } from '../../../../src/content/read/concurrency.ts';
import { RangeSlots } from '../../../../src/content/read/range-slots.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const MIB = 1024 * 1024;

const RANGE_BYTES = 4 * MIB;

/** The limits that follow one another when so many ranges at once bring so much. */
function limitsOn(network: (ranges: number) => number, periods: number): number[] {
  let concurrency = FIRST_CONCURRENCY;
  return Array.from({ length: periods }, () => {
    const { limit } = concurrency;
    const bytesPerSecond = network(limit);
    const rangeSeconds = (limit * RANGE_BYTES) / bytesPerSecond;
    concurrency = afterPeriod(concurrency, { bytesPerSecond, rangeSeconds });
    return concurrency.limit;
  });
}

describe('the ranges in flight', () => {
  it('grow in number as long as more bring more', () => {
    expect(limitsOn((ranges) => ranges * 10 * MIB, 4)).toEqual([32, 40, 48, 48]);
  });

  it('stay as few as bring the same, but for a try now and then', () => {
    const limits = limitsOn(() => 100 * MIB, 50);
    expect(limits.slice(0, 3)).toEqual([32, 24, 24]);
    expect(limits.filter((limit) => limit > 24)).toHaveLength(3);
  });

  it('become fewer on a line that is full with fewer, until none takes long', () => {
    const limits = limitsOn(() => 10 * MIB, 50);
    expect(limits.slice(0, 5)).toEqual([12, 6, 4, 12, 4]);
    expect(limits.slice(5).filter((limit) => limit > 4)).toHaveLength(2);
  });

  it('grow in number from a store that brings each of them slowly', () => {
    const limits = limitsOn((ranges) => ranges * MIB, 50);
    expect(limits.slice(0, 7)).toEqual([12, 24, 32, 40, 48, 48, 48]);
  });
});

describe('RangeSlots', () => {
  it('allows more at once when handles wait and more were of use', async () => {
    const clock = new FakeClock();
    const slots = new RangeSlots(clock);
    const retry = (): void => {
      while (slots.take(retry)) {}
    };
    retry();
    const before = slots.limit;
    for (let ranges = 0; ranges <= before; ranges += 1) {
      await clock.advance(40);
      slots.release(retry, MIB);
    }
    expect(slots.limit).toBeGreaterThan(before);
  });

  it('allows fewer on a slow line, whose ranges come all at once', async () => {
    const clock = new FakeClock();
    const slots = new RangeSlots(clock);
    let inFlight = 0;
    const retry = (): void => {
      while (slots.take(retry)) inFlight += 1;
    };
    retry();
    let fewest = slots.limit;
    for (let rounds = 0; rounds < 10; rounds += 1) {
      const arriving = inFlight;
      inFlight = 0;
      await clock.advance(arriving * 1000);
      for (let ranges = 0; ranges < arriving; ranges += 1) slots.release(retry, MIB);
      fewest = Math.min(fewest, slots.limit);
    }
    expect(fewest).toBeLessThanOrEqual(4);
  });

  it('asks all that wait when none of them has a use for it, however many there are', () => {
    const slots = new RangeSlots(new FakeClock());
    const first = (): void => {};
    while (slots.take(first)) {}
    slots.withdraw(first);
    let asked = 0;
    for (let handles = 0; handles < 20_000; handles += 1) {
      const retry = (): void => {
        if (!slots.take(retry)) return;
        asked += 1;
        slots.release(retry, 0);
      };
      retry();
    }
    slots.release(first, 0);
    expect(asked).toBe(20_000);
  });

  it('counts a handle once, whether it has slots or waits', () => {
    const slots = new RangeSlots(new FakeClock());
    const handles = Array.from({ length: 4 }, () => (): void => {});
    for (const handle of handles) while (slots.take(handle)) {}
    const waiting = (): void => {};
    expect(slots.take(waiting)).toBe(false);
    expect(slots.users).toBe(5);
    slots.withdraw(waiting);
    expect(slots.users).toBe(4);
    const ahead = (): void => {};
    for (const each of [...handles, ahead]) slots.isAhead(each, true);
    expect(slots.users).toBe(5);
    slots.isAhead(ahead, false);
    expect(slots.users).toBe(4);
  });

  it('has slots for one reader, more for others that come, and no end of them for none', () => {
    const slots = new RangeSlots(new FakeClock());
    const taken = Array.from({ length: 6 }, () => {
      const handle = (): void => {};
      let count = 0;
      while (slots.take(handle)) count += 1;
      return count;
    });
    expect(taken).toEqual([24, 8, 8, 0, 0, 0]);
  });
});
