import { describe, expect, it } from 'vitest';
import { describeDuration, estimateMs } from '../../../src/batch/estimate.ts';

const MINUTE = 60_000;

describe('the time of requests', () => {
  it('is that of the answers while the interval has room', () => {
    const window = { limit: 1000, remaining: 1000, resetMs: 5 * MINUTE };
    expect(estimateMs(20, window, 0)).toBe(1000);
    expect(estimateMs(20, 'unlimited', 0)).toBe(1000);
    expect(estimateMs(20, undefined, 0)).toBe(1000);
  });

  it('is that of the intervals that it takes, of which others keep 15 %', () => {
    const fresh = { limit: 1000, remaining: 1000, resetMs: 5 * MINUTE };
    expect(estimateMs(851, fresh, 0)).toBe(5 * MINUTE + 50);
    expect(describeDuration(estimateMs(6500, fresh, 0))).toBe('35 min');
    const spent = { limit: 1000, remaining: 10, resetMs: MINUTE };
    expect(estimateMs(100, spent, 0)).toBe(MINUTE + 5000);
    expect(estimateMs(100, { ...spent, resetMs: null }, 0)).toBe(5 * MINUTE + 5000);
  });

  it('is told in the unit that a person would take', () => {
    expect([1, 90_000, 130_000, 20_000_000].map(describeDuration)).toEqual([
      '1 s',
      '90 s',
      '2 min',
      '5 h 33 min',
    ]);
  });
});
