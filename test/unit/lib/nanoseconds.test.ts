import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { latest, millisecondsOf, nanosecondsOf, parseTime, timeText } from '../../../src/lib/nanoseconds.ts';

const anyTime = fc.bigInt({ min: -(2n ** 68n), max: 2n ** 68n });

describe('a time as text', () => {
  it('is read as it was written, to the nanosecond', () => {
    fc.assert(
      fc.property(anyTime, (timeNs) => {
        expect(parseTime(timeText(timeNs))).toBe(timeNs);
      }),
    );
  });

  it.each([
    [1_577_836_800_123_456_789n, '1577836800.123456789'],
    [-1n, '-0.000000001'],
    [0n, '0.000000000'],
  ])('of %s is %s', (timeNs, text) => expect(timeText(timeNs)).toBe(text));

  it('without a point is milliseconds', () => expect(parseTime('-1500')).toBe(-1_500_000_000n));

  it.each(['', 'noon', '1.5', '1.1234567890', '--1.000000000'])('is no time: %j', (text) =>
    expect(parseTime(text)).toBeUndefined(),
  );
});

describe('milliseconds', () => {
  it('are those begun by then, before 1970 too', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -8.64e15, max: 8.64e15 }),
        fc.integer({ min: 0, max: 999_999 }),
        (ms, more) => {
          expect(millisecondsOf(nanosecondsOf(ms) + BigInt(more))).toBe(ms);
        },
      ),
    );
  });
});

it('the latest of several times is told, whichever are missing', () => {
  expect(latest(undefined, 3n, undefined, 5n, 4n)).toBe(5n);
  expect(latest(undefined)).toBeUndefined();
});
