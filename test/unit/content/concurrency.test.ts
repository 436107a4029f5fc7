import { describe, expect, it } from 'vitest';
import { afterPeriod, FIRST_CONCURRENCY } from '../../../src/content/read/concurrency.ts';
import { RangeSlots } from '../../../src/content/read/range-slots.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const MIB = 1024 * 1024;

/** The limits that follow one another when so many ranges at once bring so much. */
function limitsOn(network: (ranges: number) => number, periods: number): number[] {
  let concurrency = FIRST_CONCURRENCY;
  return Array.from({ length: periods }, () => {
    concurrency = afterPeriod(concurrency, network(concurrency.limit));
    return concurrency.limit;
  });
}

describe('the ranges in flight', () => {
  it('grow in number as long as more bring more', () => {
    expect(limitsOn((ranges) => ranges * MIB, 4)).toEqual([32, 32, 32, 32]);
  });

  it('stay as few as bring the same, but for a try now and then', () => {
    const limits = limitsOn(() => 100 * MIB, 50);
    expect(limits.slice(0, 3)).toEqual([32, 24, 24]);
    expect(limits.filter((limit) => limit > 24)).toHaveLength(3);
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
    for (let ranges = 0; ranges < 10; ranges += 1) {
      await clock.advance(100);
      slots.release(retry, MIB);
    }
    expect(slots.limit).toBeGreaterThan(before);
  });

  it('counts a handle once, whether it has slots or waits', () => {
    const slots = new RangeSlots(new FakeClock());
    const first = (): void => {};
    const second = (): void => {};
    while (slots.take(first)) {}
    expect(slots.take(second)).toBe(false);
    expect(slots.users).toBe(2);
    slots.withdraw(second);
    expect(slots.users).toBe(1);
  });
});
