import { describe, expect, it } from 'vitest';
import { type Climb, climbOn } from '../../../../../src/content/write/parts/climb.ts';
import { FlightLimit } from '../../../../../src/content/write/parts/flight-limit.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

const LIMITS = { least: 1, most: 32 };

/** The value after so many steps on a hill. */
function climbed(hill: (value: number) => number, steps = 40): number {
  let climb: Climb = { value: 8, before: undefined, direction: 1 };
  for (let step = 0; step < steps; step += 1) climb = climbOn(climb, hill(climb.value), LIMITS);
  return climb.value;
}

describe('hill climbing', () => {
  it('goes up as long as it helps', () => {
    expect(climbed((value) => value * 10)).toBeGreaterThanOrEqual(24);
  });

  it('stays about the top', () => {
    const value = climbed((each) => 100 - Math.abs(each - 16) * 5);
    expect(value).toBeGreaterThanOrEqual(11);
    expect(value).toBeLessThanOrEqual(22);
  });

  it('goes down where more brings nothing', () => {
    expect(climbed(() => 100)).toBeLessThanOrEqual(2);
  });

  it('comes back from an end', () => {
    const atTop: Climb = { value: 32, before: 1, direction: 1 };
    const turned = climbOn(atTop, 2, LIMITS);
    expect(turned).toMatchObject({ value: 32, direction: -1 });
  });
});

describe('the limit of parts in flight', () => {
  /** Sends parts that share a line; answers the limit at the end. */
  async function limitAfter(parts: number, line: number, waiting: boolean): Promise<number> {
    const clock = new FakeClock();
    const limit = new FlightLimit(clock);
    for (let part = 0; part < parts; part += 1) {
      // Each place is a connection of its own speed, up to so many of them.
      await clock.advance(1000 / Math.min(line, limit.value));
      limit.arrived(100, waiting);
    }
    return limit.value;
  }

  it.each([8, 24])('comes to what the line takes: %i', async (line) => {
    const value = await limitAfter(800, line, true);
    expect(value).toBeGreaterThanOrEqual(line * 0.75);
    expect(value).toBeLessThanOrEqual(line * 1.25);
  });

  it('stays when no part waits for a place', async () => {
    expect(await limitAfter(600, 8, false)).toBe(16);
  });
});
