import { describe, expect, it } from 'vitest';
import { describeFailure } from '../../../../src/cli/describe/describe-failure.ts';
import { describeWaits } from '../../../../src/cli/mount/describe-waits.ts';
import { someStatistics } from '../some-statistics.ts';

describe('svcfs why', () => {
  const failure = { path: '/p/f', errno: 'EACCES', text: 'no (EACCES).', requestId: undefined, atMs: 0 };

  it.each([
    [400, 'less than 1 s ago'],
    [59_000, '59 s ago'],
    [185_000, '3 min ago'],
    [7_200_000, '2 h ago'],
    [200_000_000, '2 d ago'],
  ])('says how long ago something failed: after %i ms %s', (ms, said) => {
    expect(describeFailure({ ...failure, op: 'open' }, ms)).toBe(
      `${said}, 1970-01-01T00:00:00.000Z: open /p/f\nno (EACCES).`,
    );
  });

  it('says which operation failed, and which attribute it was about', () => {
    const told = describeFailure({ ...failure, op: 'setxattr', attribute: 'trusted.x' }, 0);
    expect(told).toContain('setxattr trusted.x /p/f');
  });

  it('prints nothing that a terminal obeys', () => {
    const told = describeFailure({ ...failure, op: 'open', path: '/p/\u001b[31m', text: 'a\nb\u0007' }, 0);
    expect(told).toContain('/p/\\x1b[31m\na\nb\\x07');
  });
});

describe('what calls wait for now', () => {
  const { api } = someStatistics();

  it('is nothing when none waits', () => {
    expect(describeWaits(api)).toEqual([]);
  });

  it('is told with its end: the rate limit', () => {
    const window = { remaining: 0, limit: 1000, resetMs: 60_000 };
    const waiting = { interactive: 1, data: 1, prefetch: 0, background: 0 };
    expect(describeWaits({ ...api, rate: { ...api.rate, window, waiting } })).toEqual([
      '2 calls wait for the rate limit of the service, until 1970-01-01T00:01:00.000Z',
    ]);
    const refused = { calls: 1, untilMs: 90_000 };
    expect(describeWaits({ ...api, rate: { ...api.rate, refused } })).toEqual([
      '1 call waits for the rate limit of the service, until 1970-01-01T00:01:30.000Z',
    ]);
  });

  it('is told with its end: a service that does not answer', () => {
    const unanswered = { calls: 1, sinceMs: 1000, untilMs: 61_000 };
    expect(describeWaits({ ...api, unanswered })).toEqual([
      '1 call waits for the service, which has not answered since 1970-01-01T00:00:01.000Z; svcfs tries until 1970-01-01T00:01:01.000Z',
    ]);
  });
});
