import type { MountStatistics } from '../../../src/cli/mount/mount-statistics.ts';
import { TransferCounts } from '../../../src/observe/transfer-counts.ts';

const MIB = 1024 * 1024;

/** Of a mount that does little: what a test is about is given. */
export function someStatistics(given: Partial<MountStatistics> = {}): MountStatistics {
  const waiting = { interactive: 0, data: 0, prefetch: 0, background: 0 };
  return {
    api: {
      away: false,
      awaySinceMs: null,
      lost: 1,
      rateWaits: 0,
      calls: { 'GET /files': 6, 'GET /': 1 },
      tokenRefusedSinceMs: null,
      rate: { window: undefined, inFlight: 0, waiting, calls: [], refused: { calls: 0, untilMs: null } },
      dialect: 'svc',
      clockAheadMs: null,
      unanswered: { calls: 0, sinceMs: null, untilMs: null },
    },
    cache: { hits: 0, misses: 0, cachedBytes: 0, fetchedBytes: 0, splicedBytes: 0, readBytes: 0 },
    diskCache: null,
    warnings: [],
    memory: { limitBytes: MIB, usedBytes: 0, heldBytes: 0, freshBytes: 0 },
    spool: { usedBytes: 0, limitBytes: null, waitingWrites: 0, writtenBytes: 0 },
    uploads: { writing: 0, publishing: 0, partsInFlight: 0, sentBytes: 0 },
    jobs: { unfinished: 0 },
    believed: { now: false, answers: 0 },
    unkept: { owner: 0, mode: 0, time: 0 },
    operations: {},
    requests: {},
    programs: [],
    retries: { failure: 0, rate: 0 },
    stores: new TransferCounts().snapshot(),
    spans: null,
    ...given,
  };
}

/** Of a mount that has something to tell of everything. */
export function busyStatistics(): MountStatistics {
  const idle = someStatistics();
  const durations = { count: 1, ms: 2, buckets: { 2.048: 1 } };
  const window = { limit: 1000, remaining: 900, resetMs: 0 };
  return {
    ...idle,
    api: { ...idle.api, rate: { ...idle.api.rate, window } },
    diskCache: {
      directory: '/cache',
      minFreeBytes: 0,
      entriesCounted: true,
      obstacles: null,
      lastFailureMs: null,
      cachedBytes: MIB,
      limitBytes: MIB,
      entries: 1,
      full: false,
      hitBytes: MIB,
      missedBytes: MIB,
      writtenBytes: MIB,
      droppedBytes: 0,
      evictedBytes: 0,
      damagedBlocks: 0,
      passedThrough: 0,
      failures: 0,
    },
    spool: { usedBytes: 0, limitBytes: MIB, waitingWrites: 0, writtenBytes: 0 },
    operations: { READ: { answered: 1, failed: 1, ms: 2, buckets: durations.buckets, errors: { EIO: 1 } } },
    requests: { 'GET /files': { 200: durations } },
    spans: { sent: 1, dropped: 0 },
  };
}
