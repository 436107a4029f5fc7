import { describe, expect, it } from 'vitest';
import { findingsOfMount, isHealthy } from '../../../../src/cli/describe/mount-health.ts';
import type { MountStatus } from '../../../../src/cli/mount/control-messages.ts';
import type { MountStatistics } from '../../../../src/cli/mount/mount-statistics.ts';
import { someStatistics } from '../some-statistics.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const { api } = someStatistics();
const DISK: NonNullable<MountStatistics['diskCache']> = {
  directory: '/cache',
  limitBytes: null,
  minFreeBytes: 0,
  cachedBytes: 0,
  entries: 0,
  entriesCounted: true,
  hitBytes: 0,
  missedBytes: 0,
  writtenBytes: 0,
  droppedBytes: 0,
  evictedBytes: 0,
  damagedBlocks: 0,
  failures: 0,
  lastFailureMs: null,
  full: false,
  obstacles: null,
  passedThrough: 0,
};

function look(
  statistics: Partial<MountStatistics>,
  { kept = 0, ...more }: Partial<MountStatus> & { readonly kept?: number } = {},
) {
  const status = { uploads: [], jobs: [], edited: 0, rates: {}, statistics: someStatistics(statistics) };
  return findingsOfMount({ ...status, ...more }, { mountPoint: '/mnt/a', kept, nowMs: NOW_MS });
}

it('nothing is wrong with a mount that works, or waits for the request limit', () => {
  expect(look({})).toEqual([]);
  const spent = { ...api, rate: { ...api.rate, waiting: { ...api.rate.waiting, data: 2 } } };
  const findings = look({ api: spent });
  expect(findings).toMatchObject([{ state: 'warning', found: /^2 calls wait/ }].map(matching));
  expect(isHealthy(findings)).toBe(true);
});

describe('a mount is not healthy', () => {
  it.each([
    [
      'whose service does not answer',
      { api: { ...api, away: true } },
      /^does not answer/,
      /^svcfs doctor \/mnt\/a$/,
    ],
    [
      'whose token is refused',
      { api: { ...api, tokenRefusedSinceMs: 0 } },
      /^refused since 1970/,
      /^svcfs login$/,
    ],
    [
      'that got no disk cache',
      { warnings: ['no disk cache: /c is a file'] },
      /^none: \/c is a file$/,
      undefined,
    ],
    [
      'whose disk cache fails',
      { diskCache: { ...DISK, failures: 2, lastFailureMs: NOW_MS - 1000 } },
      /^its disk has failed 2 times$/,
      /^df -h \/cache/,
    ],
  ] as const)('%s', (_, statistics, found, remedy) => {
    const findings = look(statistics);
    expect(findings).toMatchObject([matching({ state: 'fault', found })]);
    if (remedy !== undefined) expect(findings[0]?.remedy).toMatch(remedy);
    expect(isHealthy(findings)).toBe(false);
  });

  it('that keeps files which only a person can deal with', () => {
    expect(look({}, { kept: 2 })).toEqual([
      {
        check: 'files',
        state: 'fault',
        found: '2 files are kept on this machine and not on the service',
        remedy: 'svcfs recover list',
      },
    ]);
  });
});

it('a disk that failed long ago, or is full, costs speed only', () => {
  const old = { ...DISK, failures: 2, lastFailureMs: NOW_MS - 3_600_000, full: true };
  const findings = look({ diskCache: old });
  expect(findings).toMatchObject([{ check: 'disk cache', state: 'warning' }]);
});

function matching({ state, found }: { readonly state: string; readonly found: RegExp }): object {
  return { state, found: expect.stringMatching(found) };
}
