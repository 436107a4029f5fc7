import { expect, it } from 'vitest';
import { createdFromNowOn } from '../../../src/api/resources/created-from-now-on.ts';
import { ServerTime } from '../../../src/api/transport/server-time.ts';
import { FakeClock } from '../../support/fake-clock.ts';

const HOUR_MS = 3_600_000;

it("a clock of this machine that is set back makes nothing older, and another's entry not one of ours", () => {
  const clock = new FakeClock();
  const serverTime = new ServerTime(clock);
  const beganMs = clock.now();
  serverTime.observe(new Date(beganMs).toUTCString());
  clock.set(-2 * HOUR_MS);
  expect(serverTime.now()).toBe(beganMs);
  const isOurs = createdFromNowOn(serverTime);
  expect(isOurs({ createdMs: beganMs - HOUR_MS } as never)).toBe(false);
  expect(isOurs({ createdMs: beganMs } as never)).toBe(true);
});
