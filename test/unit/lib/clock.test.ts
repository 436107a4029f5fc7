import { expect, it } from 'vitest';
import { elapsedBy, systemClock } from '../../../src/lib/clock.ts';

it.each([
  ['goes on with the time of day', { day: 5000, monotonic: 5000 }, 5000],
  ['stands still for nobody who sets the time of day back', { day: -3_600_000, monotonic: 20 }, 20],
  ['goes on while the machine sleeps', { day: 3_600_000, monotonic: 20 }, 3_600_000],
])('the age of facts %s', (_, by, elapsedMs) => {
  const time = { day: 1_000_000, monotonic: 50 };
  const elapsed = elapsedBy({ now: () => time.day, monotonic: () => time.monotonic });
  expect(elapsed()).toBe(1_000_000);
  for (const clock of ['day', 'monotonic'] as const) time[clock] += by[clock];
  expect(elapsed()).toBe(1_000_000 + elapsedMs);
  for (const clock of ['day', 'monotonic'] as const) time[clock] += 100;
  expect(elapsed()).toBe(1_000_000 + elapsedMs + 100);
});

it('runs no faster for being asked often', () => {
  let monotonicMs = 0;
  const elapsed = elapsedBy({ now: () => Math.round(monotonicMs), monotonic: () => monotonicMs });
  for (; monotonicMs < 1000; monotonicMs += 0.3) elapsed();
  expect(elapsed()).toBeCloseTo(monotonicMs, -1);
});

it('sleeps longer than a timer can', async () => {
  const over = new AbortController();
  const long = systemClock.sleep(2 ** 40, over.signal).then(
    () => 'awake',
    () => 'interrupted',
  );
  const first = await Promise.race([long, systemClock.sleep(20).then(() => 'still asleep')]);
  expect(first).toBe('still asleep');
  over.abort();
  expect(await long).toBe('interrupted');
});
