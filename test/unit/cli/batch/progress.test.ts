import { expect, it } from 'vitest';
import { describeProgress } from '../../../../src/cli/batch/progress.ts';

it('tells count, size, speed, what is left and when the limit resets', () => {
  const line = describeProgress(
    { items: 1200, bytes: 2 ** 20 },
    { items: 2000, bytes: 2 ** 21 },
    { elapsedMs: 40_000, nowMs: 1000, window: { limit: 1000, remaining: 412, resetMs: 131_000 } },
  );
  expect(line).toBe(
    '1200 of 2000, 1 MiB of 2 MiB, 30/s, 800 left; 412 of 1000 requests left, limit resets in 2:10',
  );
});

it('tells nothing of a limit or of sizes that are not known', () => {
  const at = { elapsedMs: 0, nowMs: 0, window: undefined };
  expect(describeProgress({ items: 0, bytes: 0 }, { items: 2, bytes: 0 }, at)).toBe('0 of 2, 0.0/s, 2 left');
});
