import { describe, expect, it } from 'vitest';
import type { RateSnapshot } from '../../../src/api/transport/rate-budget.ts';
import { describeStatus } from '../../../src/cli/describe/describe-status.ts';
import type { MountStatistics } from '../../../src/cli/mount/mount-statistics.ts';

const MIB = 1024 * 1024;

/** The line of the service, in a mount whose API client was told so of its limit. */
function serviceLine(
  window: RateSnapshot['window'],
  more: Partial<MountStatistics['api']> & { readonly prefetch?: number; readonly refused?: number } = {},
): string | undefined {
  const { prefetch = 0, refused = 0, ...api } = more;
  const waiting = { interactive: 0, data: 0, prefetch, background: 0 };
  const untilMs = Date.UTC(2026, 0, 1, 0, 4);
  const statistics: MountStatistics = {
    api: {
      away: false,
      lost: 1,
      rateWaits: 0,
      calls: { 'GET /files': 6, 'GET /': 1 },
      tokenRefusedSinceMs: null,
      rate: {
        window,
        inFlight: 0,
        waiting,
        refused: { calls: refused, untilMs: refused > 0 ? untilMs : null },
      },
      ...api,
    },
    cache: { hits: 0, misses: 0, cachedBytes: 0, fetchedBytes: 0, splicedBytes: 0 },
    diskCache: null,
    warnings: [],
    memory: { limitBytes: MIB, usedBytes: 0 },
    uploads: { writing: 0, publishing: 0, partsInFlight: 0 },
    jobs: { unfinished: 0 },
    operations: {} as MountStatistics['operations'],
  };
  const rates = { upload: undefined, download: undefined };
  const lines = describeStatus({ answer: 'status', uploads: [], jobs: [], rates, statistics });
  return lines.find((line) => line.startsWith('service: '));
}

describe('the status of a mount', () => {
  it('tells what is left of the request limit, and who waits for more', () => {
    const window = { limit: 1000, remaining: 0, resetMs: Date.UTC(2026, 0, 1) };
    expect(serviceLine(window, { prefetch: 3 })).toBe(
      'service: answers; 7 requests sent, 1 without an answer; 0 of 1000 left until 2026-01-01T00:00:00.000Z; ' +
        '3 wait for the next interval',
    );
  });

  it('tells who was refused for the limit, and until when they wait', () => {
    expect(serviceLine('unlimited', { refused: 2 })).toMatch(
      /; 2 refused for the limit wait until 2026-01-01T00:04:00\.000Z$/,
    );
  });

  it('tells since when the token is refused', () => {
    const tokenRefusedSinceMs = Date.UTC(2026, 0, 1);
    expect(serviceLine('unlimited', { tokenRefusedSinceMs })).toMatch(
      /^service: refuses the token since 2026-01-01T00:00:00\.000Z; /,
    );
    expect(serviceLine('unlimited', { tokenRefusedSinceMs, away: true })).toMatch(
      /^service: does not answer; /,
    );
  });

  it.each([
    ['no request limit known', undefined],
    ['no request limit known', 'unlimited'],
    ['no request limit', { limit: 2 ** 53 - 1, remaining: 2 ** 53 - 9, resetMs: 0 }],
  ] as const)('says "%s" of %j', (words, window) => {
    expect(serviceLine(window)).toMatch(new RegExp(`; ${words}$`));
  });
});
