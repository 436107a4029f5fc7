import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { PartChecks } from '../../../../../src/content/write/parts/part-checks.ts';
import { FakeClock } from '../../../../support/fake-clock.ts';

const MIB = 1024 * 1024;
const part = randomBytes(MIB);
const md5 = createHash('md5').update(part).digest('hex');

function checksOf(mostWaitingBytes = 100 * MIB): { readonly checks: PartChecks; readonly clock: FakeClock } {
  const clock = new FakeClock();
  return { checks: new PartChecks({ clock, mostWaitingBytes }), clock };
}

/** Whether it settles while nothing but computing goes on. */
async function settles(promise: Promise<unknown>): Promise<boolean> {
  const other = createHash('md5');
  for (let i = 0; i < 50; i += 1) {
    other.update(part);
    const settled = await Promise.race([
      promise.then(() => true),
      new Promise(setImmediate).then(() => false),
    ]);
    if (settled) return true;
  }
  return false;
}

describe('a part that was sent', () => {
  it('is checked at once when someone waits for it', async () => {
    const { checks } = checksOf();
    expect(await checks.begin(part).matches(md5, true)).toBe(true);
    expect(await checks.begin(part).matches('0'.repeat(32), true)).toBe(false);
  });

  it('waits for others, until someone comes to wait', async () => {
    const { checks } = checksOf();
    const matches = checks.begin(part).matches(md5, false);
    expect(await settles(matches)).toBe(false);
    checks.hurry();
    expect(await matches).toBe(true);
  });

  it('is checked together with the sixteenth', async () => {
    const { checks } = checksOf();
    const all = Array.from({ length: 16 }, () => checks.begin(part).matches(md5, false));
    expect(await Promise.all(all)).toEqual(all.map(() => true));
  });

  it('waits no longer when those that wait hold too much memory', async () => {
    const { checks } = checksOf(2 * MIB);
    const all = Array.from({ length: 2 }, () => checks.begin(part).matches(md5, false));
    expect(await Promise.all(all)).toEqual([true, true]);
  });

  it('waits no longer than a moment', async () => {
    const { checks, clock } = checksOf();
    const matches = checks.begin(part).matches(md5, false);
    expect(await settles(matches)).toBe(false);
    await clock.advance(1000);
    expect(await matches).toBe(true);
  });
});
