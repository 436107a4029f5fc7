import { describe, expect, it } from 'vitest';
import { describeStanding, drawStanding, minutes } from '../../../../src/cli/progress/describe-standing.ts';
import type { Standing } from '../../../../src/cli/progress/standing.ts';

const MIB = 1024 * 1024;
const HALF: Standing = {
  done: { items: 3, bytes: 100 * MIB },
  total: { items: 9, bytes: 200 * MIB },
  waits: [],
};
const shown = (given: Partial<Standing>, bytes = 2 * MIB, items = 0) => ({
  standing: { ...HALF, ...given },
  rate: { bytes, items },
  elapsedMs: 61_000,
});

describe('a line', () => {
  it('tells files and bytes of all, the speed, and the time left', () => {
    expect(describeStanding(shown({}))).toBe('3 of 9 files, 100 MiB of 200 MiB, 2 MiB/s, 0:50 left');
  });

  it('tells what it waits for, and no time while nothing gets further', () => {
    const waits = ['rate limit resets in 2:10'];
    expect(describeStanding(shown({ waits }, 0))).toBe(
      '3 of 9 files, 100 MiB of 200 MiB, 0 B/s; rate limit resets in 2:10',
    );
  });

  it('calls a service silent only while nothing gets further', () => {
    const silence = 'the service does not answer since 14:02';
    expect(describeStanding(shown({ silence }))).not.toContain('does not answer');
    expect(describeStanding(shown({ silence }, 0))).toMatch(/; the service does not answer since 14:02$/);
  });

  it('counts items where calls take the time, and not bytes', () => {
    const done = { items: 1200, bytes: MIB };
    const total = { items: 2000, bytes: 2 * MIB };
    expect(describeStanding(shown({ done, total, items: 'items', pace: 'items' }, MIB, 40))).toBe(
      '1200 of 2000 items, 1 MiB of 2 MiB, 40/s, 0:20 left',
    );
  });

  it('tells the time so far where nobody knows how much there is, and keeps names from steering a terminal', () => {
    const none = { items: 0, bytes: 0 };
    const waits = ['1 file: /p/a\u001b[2J'];
    const line = describeStanding(shown({ done: none, total: none, waits }));
    expect(line).toContain('1:01; 1 file: /p/a');
    expect(line).not.toContain('\u001b');
  });
});

describe('on a terminal', () => {
  it('there is a bar where it has room', () => {
    expect(drawStanding(shown({}), 80)).toBe(
      '[############............] 3 of 9 files, 100 MiB of 200 MiB, 2 MiB/s, 0:50 left',
    );
  });

  it('a line never takes more than its width', () => {
    const waits = ['the service does not answer since 14:02'];
    for (const columns of [1, 20, 40, 80, 100, 200])
      expect(drawStanding(shown({ waits }), columns).length).toBeLessThanOrEqual(Math.max(1, columns - 1));
  });
});

it('a time is told in minutes and seconds, and in hours where there are any', () => {
  expect([0, 4_100, 130_000, 3_730_000].map(minutes)).toEqual(['0:00', '0:05', '2:10', '1:02:10']);
});
