import { expect, it } from 'vitest';
import type { Answer, Call } from '../../../../src/api/transport/call.ts';
import { ClockSkew } from '../../../../src/api/transport/clock-skew.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const CALL: Call = {
  name: 'GET /user',
  method: 'GET',
  path: '/user',
  whenLost: 'repeat',
  priority: 'interactive',
};

/** Exchanges that are answered with a `Date` of so much ahead, after a time. */
function world() {
  const clock = new FakeClock();
  const told: number[] = [];
  const skew = new ClockSkew(clock, (aheadMs) => told.push(aheadMs));
  /** `writtenAfterMs` of the exchange's time the service writes its answer. */
  const exchange = async (
    aheadMs: number,
    {
      tookMs = 0,
      writtenAfterMs = 0,
      answer = {},
    }: { tookMs?: number; writtenAfterMs?: number; answer?: Partial<Answer> } = {},
  ): Promise<void> => {
    const send = skew.learningFrom(async () => {
      const date = new Date(clock.now() + writtenAfterMs + aheadMs).toUTCString();
      await clock.advance(tookMs);
      return { status: 200, body: {}, ...answer, headers: { date, ...answer.headers } };
    });
    await send(CALL);
  };
  return { clock, skew, told, exchange };
}

it('is told once when the service is more than a minute ahead, as far as that is sure', async () => {
  const { skew, told, exchange } = world();
  await exchange(60_000);
  expect(skew.aheadMs).toBeNull();
  await exchange(61_000);
  await exchange(300_000);
  expect(told).toEqual([61_000]);
  expect(skew.aheadMs).toBe(300_000);
});

it('is told when the service is behind; a date is cut to whole seconds', async () => {
  const { told, exchange } = world();
  await exchange(-61_000);
  expect(told).toEqual([]);
  await exchange(-90_000);
  expect(told).toEqual([-89_000]);
});

it('is as sure as the exchange was quick', async () => {
  const { skew, exchange } = world();
  await exchange(80_000, { tookMs: 30_000 });
  expect(skew.aheadMs).toBeNull();
  await exchange(80_000, { tookMs: 10_000 });
  expect(skew.aheadMs).toBe(70_000);
  await exchange(-80_000, { tookMs: 30_000, writtenAfterMs: 30_000 });
  expect(skew.aheadMs).toBe(70_000);
});

it('ends when an exchange proves that the clocks agree, and not before', async () => {
  const { skew, told, exchange } = world();
  await exchange(100_000);
  await exchange(0, { tookMs: 200_000 });
  expect(skew.aheadMs).toBe(100_000);
  await exchange(0, { tookMs: 1000 });
  expect(skew.aheadMs).toBeNull();
  await exchange(100_000);
  expect(skew.aheadMs).toBe(100_000);
  expect(told).toEqual([100_000]);
});

it.each([
  ['a cache', { headers: { age: '400' } }],
  ['a page of somebody else', { page: { title: undefined } }],
  ['an answer without a date', { headers: { date: undefined } }],
])('is not learnt from %s', async (_, answer) => {
  const { skew, exchange } = world();
  await exchange(400_000, { answer });
  expect(skew.aheadMs).toBeNull();
});
