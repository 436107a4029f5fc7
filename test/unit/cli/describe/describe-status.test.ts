import { describe, expect, it } from 'vitest';
import type { RateSnapshot } from '../../../../src/api/transport/rate-budget.ts';
import { describeStatus } from '../../../../src/cli/describe/describe-status.ts';
import type { MountIdentity } from '../../../../src/cli/mount/mount-identity.ts';
import type { MountStatistics } from '../../../../src/cli/mount/mount-statistics.ts';
import { someStatistics } from '../some-statistics.ts';

const MIB = 1024 * 1024;
const NOW_MS = new Date(2026, 0, 1, 12).getTime();

function lineOf(name: string, statistics: MountStatistics): string | undefined {
  const lines = describeStatus({ uploads: [], jobs: [], edited: 0, rates: {}, statistics }, NOW_MS);
  return lines.find((line) => line.startsWith(`${name}: `));
}

/** The line of the service, in a mount whose API client was told so of its limit. */
function serviceLine(
  window: RateSnapshot['window'],
  more: Partial<MountStatistics['api']> = {},
): string | undefined {
  const { api } = someStatistics();
  return lineOf('service', someStatistics({ api: { ...api, rate: { ...api.rate, window }, ...more } }));
}

/** The line of what is left of the limit. */
function requestLine(window: RateSnapshot['window']): string | undefined {
  const { api } = someStatistics();
  return lineOf('requests', someStatistics({ api: { ...api, rate: { ...api.rate, window } } }));
}

function waitingLine({ prefetch = 0, refused = 0 }): string | undefined {
  const { api } = someStatistics();
  const waiting = { ...api.rate.waiting, prefetch };
  const untilMs = refused > 0 ? new Date(2026, 0, 1, 0, 4).getTime() : null;
  const rate = { ...api.rate, waiting, refused: { calls: refused, untilMs } };
  return lineOf('waiting', someStatistics({ api: { ...api, rate } }));
}

describe('the status of a mount', () => {
  it('tells what is left of the request limit, and who waits for more', () => {
    const resetMs = new Date(2026, 0, 1, 12, 3, 5).getTime();
    expect(serviceLine({ limit: 1000, remaining: 0, resetMs })).toBe(
      'service: answers; dialect svc; 7 requests sent, 1 without an answer',
    );
    expect(requestLine({ limit: 1000, remaining: 0, resetMs })).toBe(
      'requests: 0 of 1000 left until 12:03:05',
    );
    expect(waitingLine({ prefetch: 3 })).toBe('waiting: 3 calls wait for the rate limit of the service');
  });

  it('shows no end of an interval that is over', () => {
    expect(requestLine({ limit: 1000, remaining: 1000, resetMs: null })).toBe('requests: 1000 of 1000 left');
  });

  it('says that what has expired is believed, and how often it was', () => {
    expect(lineOf('believed', someStatistics())).toBeUndefined();
    expect(lineOf('believed', someStatistics({ believed: { now: true, answers: 1 } }))).toBe(
      'believed: the limit is spent: names, listings and attributes that have expired are believed; 1 answer by what had expired so far',
    );
    expect(lineOf('believed', someStatistics({ believed: { now: false, answers: 2 } }))).toBe(
      'believed: 2 answers by what had expired so far',
    );
  });

  it('tells who was refused for the limit, and until when they wait', () => {
    expect(waitingLine({ refused: 2 })).toBe(
      'waiting: 2 calls wait for the rate limit of the service, until 00:04:00',
    );
  });

  it('tells what is mounted, since when, and the last errors', () => {
    const mount: MountIdentity = {
      endpoint: 'https://api.example.org/v2',
      username: 'ann',
      profile: 'lab',
      root: null,
      readOnly: true,
      writeBack: false,
      sinceMs: NOW_MS - 200 * 60_000,
      process: 812,
      version: '1.2.3',
    };
    const failure = { op: 'unlink', errno: 'EPERM', text: '', requestId: undefined, atMs: NOW_MS };
    const errors = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
      ...failure,
      path: `/volumes/v/${name}\n`,
    }));
    const status = { uploads: [], jobs: [], edited: 0, rates: {}, statistics: someStatistics() };
    const lines = describeStatus({ ...status, mount, errors }, NOW_MS);
    expect(lines.slice(0, 2)).toEqual([
      'mount: user ann at https://api.example.org/v2; profile lab; read-only',
      'up: 3 h 20 min; process 812; svcfs 1.2.3',
    ]);
    expect(lines.slice(-5)[0]).toBe('  12:00:00 EPERM unlink /volumes/v/b\\x0a');
    expect(lines.slice(-1)[0]).toBe('  12:00:00 EPERM unlink /volumes/v/f\\x0a');
    // A process of an earlier version tells neither.
    expect(describeStatus(status, NOW_MS)[0]).toMatch(/^service: /);
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
    ['no limit known', undefined],
    ['no limit known', 'unlimited'],
    ['no limit', { limit: 2 ** 53 - 1, remaining: 2 ** 53 - 9, resetMs: 0 }],
  ] as const)('says "%s" of %j', (words, window) => {
    expect(requestLine(window)).toBe(`requests: ${words}`);
  });

  it('tells what files being written take of the disk, and who waits for room', () => {
    const spool = { usedBytes: 3 * MIB, limitBytes: null, waitingWrites: 0, writtenBytes: 0 };
    expect(lineOf('spool', someStatistics({ spool }))).toBe('spool: 3 MiB of what the disk has');
    const full = { usedBytes: 31.5 * MIB, limitBytes: 32 * MIB, waitingWrites: 2, writtenBytes: 0 };
    expect(lineOf('spool', someStatistics({ spool: full }))).toBe(
      'spool: 31.5 MiB of 32 MiB; 2 writes wait for room (--spool-size)',
    );
    expect(lineOf('spool', someStatistics({ spool: { ...full, waitingWrites: 1 } }))).toMatch(
      /; 1 write waits for room/,
    );
  });

  it('tells what was set and not kept, and says nothing of it when all is kept', () => {
    expect(lineOf('not kept', someStatistics())).toBeUndefined();
    expect(lineOf('not kept', someStatistics({ unkept: { owner: 12, mode: 0, time: 1 } }))).toBe(
      'not kept: 12 owners, 1 time, which programs set and the platform has no place for (--unkept)',
    );
  });
});

describe('a clock of this machine that is wrong', () => {
  const clockLine = (clockAheadMs: number | null): string | undefined =>
    lineOf('clock', someStatistics({ api: { ...someStatistics().api, clockAheadMs } }));

  it('is told with by how much, and the remedy', () => {
    expect(clockLine(95_400)).toMatch(
      /^clock: the clock of this machine is 95 s behind that of the service: set it right \(timedatectl/,
    );
    expect(clockLine(-3_600_000)).toMatch(/ is 60 min ahead of that of the service: /);
    expect(clockLine(null)).toBeUndefined();
  });
});
