import { expect, it } from 'vitest';
import { type Buckets, bucketsSince, Durations, quantile } from '../../../src/observe/durations.ts';

function bucketsOf(durations: readonly number[]): Buckets {
  const counted = new Durations();
  for (const ms of durations) counted.add(ms);
  return counted.snapshot().buckets;
}

it.each([
  [0, '0.016'],
  [0.016, '0.016'],
  [0.0161, '0.032'],
  [1, '1.024'],
  [1.024, '1.024'],
  [134_217.728, '134217.728'],
  [134_217.729, 'Infinity'],
  [86_400_000, 'Infinity'],
])('%d ms are counted in the bucket that ends at %s', (ms, end) => {
  expect(bucketsOf([ms])).toEqual({ [end]: 1 });
});

it('a snapshot tells how many durations there were, and their sum', () => {
  const durations = new Durations();
  for (const ms of [0.5, 0.25, 3]) durations.add(ms);
  expect(durations.snapshot()).toEqual({ count: 3, ms: 3.75, buckets: { 0.256: 1, 0.512: 1, 4.096: 1 } });
});

it('a quantile is right to the width of a bucket', () => {
  const durations = Array.from({ length: 1000 }, (_, index) => (index + 1) / 10);
  const buckets = bucketsOf(durations);
  for (const share of [0.01, 0.5, 0.9, 0.99, 1]) {
    const exact = share * 100;
    const told = quantile(buckets, share) ?? 0;
    expect(told / exact).toBeGreaterThan(0.5);
    expect(told / exact).toBeLessThan(2);
  }
});

it('a quantile of durations that were too long for the buckets is the lower end of the last', () => {
  expect(quantile(bucketsOf([1, 500_000, 900_000]), 0.99)).toBe(134_217.728);
});

it('there is no quantile of nothing', () => {
  expect(quantile({}, 0.5)).toBeUndefined();
  const same = bucketsOf([1, 2]);
  expect(quantile(bucketsSince(same, same), 0.5)).toBeUndefined();
});

it('what was added between two snapshots has quantiles of its own', () => {
  const durations = new Durations();
  for (let count = 0; count < 1000; count++) durations.add(0.01);
  const earlier = durations.snapshot().buckets;
  for (let count = 0; count < 10; count++) durations.add(100);
  const later = durations.snapshot().buckets;
  expect(bucketsSince(later, earlier)).toEqual({ 131.072: 10 });
  expect(quantile(later, 0.5)).toBeLessThan(0.016);
  expect(quantile(bucketsSince(later, earlier), 0.5)).toBeGreaterThan(65);
});
