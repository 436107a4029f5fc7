import { expect, it } from 'vitest';
import { describeMeasured } from '../../../../src/cli/bench/describe-measured.ts';
import type { Measured, Reading } from '../../../../src/cli/bench/measured.ts';
import { median } from '../../../../src/cli/bench/median.ts';
import { verdictOf } from '../../../../src/cli/bench/verdict.ts';

const MIB = 1024 * 1024;

function measured({
  read,
  ...others
}: { read?: Partial<Reading> } & Partial<Omit<Measured, 'read'>>): Measured {
  return {
    path: '/mnt/svc/projects/me/scratch',
    curl: { bytes: 100 * MIB, bytesPerSecond: 50 * MIB, firstByteMs: 20 },
    requests: 60,
    leftOut: [],
    read: {
      bytes: 100 * MIB,
      bytesPerSecond: 50 * MIB,
      fromStoreBytes: 100 * MIB,
      cores: 0.2,
      loadPerCore: 0.3,
      ...read,
    },
    ...others,
  };
}

it.each([
  ['as fast as curl', { read: {} }, /^The line or the store limits reading: curl gets 50 MiB\/s/],
  ['faster', { read: { bytesPerSecond: 150 * MIB } }, /svcfs gets 3\.0 times what curl gets over one/],
  [
    'slower, busy',
    { read: { bytesPerSecond: 20 * MIB, cores: 0.95 } },
    /^This machine .* is busy, at 40 % of/,
  ],
  [
    'slower, others busy',
    { read: { bytesPerSecond: 20 * MIB, loadPerCore: 4 } },
    /^This machine .* other programs/,
  ],
  [
    'slower, idle',
    { read: { bytesPerSecond: 20 * MIB } },
    /^The mount limits reading: it gets 40 % of the 50 MiB\/s/,
  ],
  ['from a cache', { read: { fromStoreBytes: MIB } }, /in a cache of this machine/],
  ['without curl', { curl: undefined }, /cannot be told without curl/],
])('one sentence says what limits reading: %s', (_, given, verdict) => {
  expect(verdictOf(measured(given))).toMatch(verdict);
});

it('without a large file there is no verdict', () => {
  expect(verdictOf({ ...measured({}), read: undefined })).toBe(
    'Nothing large enough was read to tell what limits it.',
  );
});

it('the figures are told a line each, with what was left out and why', () => {
  const lines = describeMeasured(
    measured({
      write: { bytes: 64 * MIB, bytesPerSecond: 8.25 * MIB },
      read: { fromStoreBytes: 60 * MIB },
      random: { reads: 50, medianMs: 3.14 },
      curlRandomMs: 52.4,
      writeSmall: { files: 20, perSecond: 4.44, requestsPerFile: 1 },
      listing: { entries: 21, ms: 84, requests: 1 },
      rateLimit: 1000,
      leftOut: ['curl: it is not there'],
    }),
  );
  expect(lines).toEqual([
    'write           8.3 MiB/s   one file of 64 MiB',
    'read             50 MiB/s   100 MiB, 40 MiB of it from a cache',
    '  curl           50 MiB/s   the same file over one connection',
    'random             3.1 ms   median of 50 reads of 4 KiB',
    '  curl              52 ms   the same, by ranges',
    'write small   4.4 files/s   20 files, 1 request each',
    'list                84 ms   21 entries, 1 request',
    'left out: curl: it is not there',
    '60 requests of the API in all.',
    'The line or the store limits reading: curl gets 50 MiB/s, and svcfs as much.',
    'The request limit allows 1000 new small files in an interval of it.',
  ]);
});

it('the median is the middle, or between the two in the middle', () => {
  expect(median([5, 1, 3])).toBe(3);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});
