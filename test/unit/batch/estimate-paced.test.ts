import { expect, test } from 'vitest';
import { estimatePacedMs } from '../../../src/batch/estimate.ts';

const full = { limit: 1000, remaining: 1000, resetMs: 300_000 };
const minutes = (requests: number, window = full) => estimatePacedMs(requests, window, 0) / 60_000;

test('requests go as they come up to half of an interval, and are spread over the rest of it', () => {
  expect(estimatePacedMs(500, full, 0)).toBe(25_000);
  expect(minutes(675)).toBe(2.5);
  expect(minutes(850)).toBe(5);
});

test('each interval takes as many as leave others their share', () => {
  expect(minutes(850 * 7 + 500)).toBeCloseTo(35.4, 1);
  expect(minutes(6500)).toBeLessThan(45);
});

test('changes that are spread over more than a second each take a look, too', () => {
  const small = { limit: 100, remaining: 97, resetMs: 300_000 };
  expect(estimatePacedMs(124, small, 0)).toBeLessThan(310_000);
  // Measured: rm -r of 120 files at 100 requests in 300 s took 602 s.
  expect(602_000 / estimatePacedMs(124, small, 0, 1000)).toBeLessThan(1.5);
});

test('what is left of the present interval counts', () => {
  expect(minutes(100, { limit: 1000, remaining: 150, resetMs: 60_000 })).toBeCloseTo(1.08, 1);
  expect(estimatePacedMs(100, 'unlimited', 0)).toBe(5000);
});
