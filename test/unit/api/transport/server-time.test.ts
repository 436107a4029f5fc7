import { describe, expect, it } from 'vitest';
import { createdFromNowOn } from '../../../../src/api/resources/created-from-now-on.ts';
import { ServerTime } from '../../../../src/api/transport/server-time.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

/** This machine, and a service whose clock is `aheadMs` ahead, and whose answers take a while. */
function world(aheadMs = 0) {
  const clock = new FakeClock();
  const serverTime = new ServerTime(clock);
  let ahead = aheadMs;
  const serviceNow = (): number => clock.now() + ahead;
  /** As an entry tells it: whole seconds. */
  const createdMs = (): number => Math.floor(serviceNow() / SECOND_MS) * SECOND_MS;
  return {
    clock,
    serverTime,
    createdMs,
    setService: (toMs: number) => {
      ahead = toMs;
    },
    answer: async (tookMs = 20) => {
      const date = new Date(serviceNow()).toUTCString();
      await clock.advance(tookMs);
      serverTime.observe(date);
    },
    isOurs: (entryMs: number) => createdFromNowOn(serverTime)({ createdMs: entryMs } as never),
  };
}

it("a clock of this machine that is set back makes nothing older, and another's entry not one of ours", () => {
  const { clock, serverTime, isOurs } = world();
  const beganMs = clock.now();
  serverTime.observe(new Date(beganMs).toUTCString());
  clock.set(-2 * HOUR_MS);
  expect(serverTime.now()).toBe(beganMs);
  expect(isOurs(beganMs - HOUR_MS)).toBe(false);
  expect(isOurs(beganMs)).toBe(true);
});

describe('an entry made from now on', () => {
  it.each([-HOUR_MS, -2500, -1999, -1500, -500, 0, 1500, HOUR_MS])(
    'is ours when the clock of the service is %d ms ahead, one of some seconds ago is not',
    async (aheadMs) => {
      const { clock, answer, createdMs, isOurs } = world(aheadMs);
      for (let moment = 0; moment < 40; moment += 1) {
        await answer();
        expect(isOurs(createdMs())).toBe(true);
        await clock.advance(77);
      }
      expect(isOurs(createdMs() - 3 * SECOND_MS)).toBe(false);
    },
  );

  it('is told from one of some seconds ago although the last answer was late', async () => {
    const { clock, answer, createdMs, isOurs } = world();
    for (let moment = 0; moment < 40; moment += 1) {
      await answer();
      await clock.advance(77);
    }
    await answer(2500);
    expect(isOurs(createdMs() - 3 * SECOND_MS)).toBe(false);
    expect(isOurs(createdMs())).toBe(true);
  });

  it.each([-HOUR_MS, -10 * SECOND_MS, HOUR_MS])(
    'is ours after the clock of the service was set by %d ms',
    async (byMs) => {
      const { answer, createdMs, isOurs, setService } = world();
      await answer();
      setService(byMs);
      await answer();
      expect(isOurs(createdMs())).toBe(true);
      expect(isOurs(createdMs() - 5 * SECOND_MS)).toBe(false);
    },
  );

  it('is ours some minutes after the clock of the service was set back by a little', async () => {
    const { clock, answer, createdMs, isOurs, setService } = world();
    await answer();
    setService(-2500);
    for (let minute = 0; minute < 4; minute += 1) {
      await answer();
      await clock.advance(60 * SECOND_MS);
    }
    expect(isOurs(createdMs())).toBe(true);
  });
});
