import { expect, it } from 'vitest';
import { RecentRate } from '../../../../src/cli/progress/recent-rate.ts';

const at = (rate: RecentRate, ms: number, bytes: number, items = 0): void => rate.add(ms, { items, bytes });

it('is that of the last ten seconds, not the mean since the beginning', () => {
  const rate = new RecentRate();
  at(rate, 0, 0);
  at(rate, 60_000, 6_000_000);
  at(rate, 65_000, 6_005_000);
  at(rate, 70_000, 6_010_000, 5);
  expect(rate.perSecond).toEqual({ items: 0.5, bytes: 1000 });
});

it('is nothing before there are two looks, and where bytes have to be sent again', () => {
  const rate = new RecentRate();
  expect(rate.perSecond).toEqual({ items: 0, bytes: 0 });
  at(rate, 0, 500);
  expect(rate.perSecond).toEqual({ items: 0, bytes: 0 });
  at(rate, 1000, 100);
  expect(rate.perSecond).toEqual({ items: 0, bytes: 0 });
});
