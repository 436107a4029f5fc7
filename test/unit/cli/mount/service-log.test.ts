import { expect, it } from 'vitest';
import { ServiceLog } from '../../../../src/cli/mount/service-log.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

type Exchange = Parameters<ServiceLog['onExchange']>[0];

function serviceLog() {
  const lines: [level: string, text: string][] = [];
  const level = (name: string) => (_: object, text: string) => void lines.push([name, text]);
  const log = {
    error: level('error'),
    warn: level('warn'),
    info: level('info'),
    debug: level('debug'),
  };
  const clock = new FakeClock();
  const waits: number[] = [];
  const service = new ServiceLog(log, clock, (ms) => waits.push(ms));
  const exchange = (end: Partial<Exchange>): void =>
    service.onExchange({
      name: 'GET /files/{id}',
      call: 'GET /files/1',
      ms: 3,
      status: undefined,
      requestId: undefined,
      reason: undefined,
      lost: false,
      ...end,
    });
  const told = () => lines.filter(([name]) => name !== 'debug');
  return { service, exchange, lines, told, clock, waits };
}

it('tells of each exchange to who debugs only', () => {
  const { exchange, lines } = serviceLog();
  exchange({ status: 200 });
  exchange({ status: 404 });
  expect(lines).toEqual([
    ['debug', 'exchange'],
    ['debug', 'exchange'],
  ]);
});

it('tells once that the service is away, and once that it is back', () => {
  const { exchange, service, told } = serviceLog();
  exchange({ lost: true, reason: 'connect ECONNREFUSED' });
  exchange({ status: 503 });
  exchange({ lost: true, reason: 'connect ECONNREFUSED' });
  expect(told()).toEqual([['info', 'the service is away']]);
  expect(service.snapshot()).toMatchObject({ away: true, lost: 2 });
  exchange({ status: 404 });
  exchange({ status: 200 });
  expect(told()).toEqual([
    ['info', 'the service is away'],
    ['info', 'the service is back'],
  ]);
  expect(service.snapshot()).toMatchObject({ away: false });
});

it('takes a call that was given up neither for an answer nor for a lost one', () => {
  const { exchange, told } = serviceLog();
  exchange({ reason: 'aborted' });
  expect(told()).toEqual([]);
});

it('warns once an interval that requests wait for the next', async () => {
  const { service, told, clock, waits } = serviceLog();
  service.onRateWait(120_000);
  await clock.advance(60_000);
  service.onRateWait(60_000);
  expect(told()).toHaveLength(1);
  await clock.advance(70_000);
  service.onRateWait(290_000);
  expect(told().map(([level]) => level)).toEqual(['warn', 'warn']);
  expect(service.snapshot()).toMatchObject({ rateWaits: 3 });
  expect(waits).toEqual([120_000, 290_000]);
});

it('tells how long requests wait that were refused for the limit, once an interval', async () => {
  const { service, told, clock, waits } = serviceLog();
  service.onRefused(120_000);
  await clock.advance(500);
  service.onRefused(120_000);
  service.onRateWait(119_500);
  expect(waits).toEqual([120_000]);
  expect(told()).toEqual([['warn', 'request limit used up: requests wait for the next interval']]);
  expect(service.snapshot()).toMatchObject({ rateWaits: 1 });
});

it('warns of each request that exceeded the limit', () => {
  const { exchange, told } = serviceLog();
  exchange({ status: 429 });
  expect(told()).toEqual([['warn', 'request limit exceeded']]);
});

it('does not take a refusal for the limit for a service that is back', () => {
  const { exchange, service } = serviceLog();
  exchange({ lost: true });
  exchange({ status: 429 });
  expect(service.snapshot()).toMatchObject({ away: true });
});

it('knows since when the token is refused, until it is taken', async () => {
  const { exchange, service, told, clock } = serviceLog();
  const sinceMs = clock.now();
  exchange({ status: 401 });
  await clock.advance(5000);
  exchange({ status: 401 });
  // Open to all.
  exchange({ status: 200, name: 'GET /' });
  expect(service.snapshot()).toMatchObject({ tokenRefusedSinceMs: sinceMs });
  expect(told()).toEqual([['warn', 'the token is refused']]);
  exchange({ status: 404 });
  expect(service.snapshot()).toMatchObject({ tokenRefusedSinceMs: null });
});
