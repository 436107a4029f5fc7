import { expect, it } from 'vitest';
import {
  circumstancesAndBudget,
  circumstancesOf,
} from '../../../../src/cli/progress/describe-circumstances.ts';
import { someStatistics } from '../some-statistics.ts';

const { api } = someStatistics();
const window = { limit: 1000, remaining: 0, resetMs: 131_000 };
const waiting = { ...api.rate.waiting, data: 3 };

it('says when a rate limit resets that calls wait for', () => {
  const spent = { ...api, rate: { ...api.rate, window, waiting } };
  expect(circumstancesOf(spent, 1000)).toEqual({ waits: ['rate limit resets in 2:10'], silence: undefined });
  expect(circumstancesOf({ ...spent, rate: { ...spent.rate, window: undefined } }, 1000).waits).toEqual([
    'waiting for the rate limit',
  ]);
});

it('says since when the service does not answer', () => {
  const sinceMs = new Date(2024, 0, 1, 14, 2).getTime();
  const unanswered = { calls: 1, sinceMs, untilMs: sinceMs + 60_000 };
  const { silence } = circumstancesOf({ ...api, unanswered }, sinceMs + 5000);
  expect(silence).toBe('the service does not answer since 14:02');
});

it('says what is left of the rate limit while nothing waits for it', () => {
  const rate = { ...api.rate, window: { ...window, remaining: 412 } };
  expect(circumstancesAndBudget({ ...api, rate }, 1000).waits).toEqual([
    '412 of 1000 requests left, limit resets in 2:10',
  ]);
  expect(circumstancesAndBudget({ ...api, rate: { ...rate, waiting } }, 1000).waits).toEqual([
    'rate limit resets in 2:10',
  ]);
});

it('says nothing of what is not known', () => {
  expect(circumstancesAndBudget(undefined, 0)).toEqual({ waits: [], silence: undefined });
  expect(circumstancesAndBudget(api, 0)).toEqual({ waits: [], silence: undefined });
});
