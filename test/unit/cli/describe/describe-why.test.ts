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

const atNoon = (minutes: number, seconds: number): number =>
  new Date(2026, 0, 1, 12, minutes, seconds).getTime();

describe('what calls wait for now', () => {
  const { api } = someStatistics();

  it('is nothing when none waits', () => {
    expect(describeWaits(api)).toEqual([]);
  });

  it('is told with its end: the rate limit', () => {
    const waiting = { interactive: 1, data: 1, prefetch: 0, background: 0 };
    const program = { process: 4711, operation: 'setxattr', path: '/p/f.bam' };
    const calls = [
      { before: 0, untilMs: atNoon(3, 4), program: null },
      { before: 212, untilMs: atNoon(3, 5), program },
    ];
    const together = '2 calls wait for the rate limit of the service, until 12:03:05';
    const its =
      'setxattr /p/f.bam (process 4711): waiting for the rate limit until 12:03:05, 212 calls before it';
    const rate = { ...api.rate, waiting, calls };
    expect(describeWaits({ ...api, rate })).toEqual([its, together]);
    for (const path of ['/p', '/p/f.bam'])
      expect(describeWaits({ ...api, rate }, path)).toEqual([its, together]);
    for (const path of ['/p/f', '/q']) expect(describeWaits({ ...api, rate }, path)).toEqual([together]);
    const refused = { calls: 1, untilMs: atNoon(4, 0) };
    expect(describeWaits({ ...api, rate: { ...api.rate, refused } })).toEqual([
      '1 call waits for the rate limit of the service, until 12:04:00',
    ]);
  });

  it('is told with its end: a service that does not answer', () => {
    const unanswered = { calls: 1, sinceMs: 1000, untilMs: 61_000 };
    expect(describeWaits({ ...api, unanswered })).toEqual([
      '1 call waits for the service, which has not answered since 1970-01-01T00:00:01.000Z; svcfs tries until 1970-01-01T00:01:01.000Z',
    ]);
  });
});
