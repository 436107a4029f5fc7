/** How long a store is tried for one range, told by exchanges that a test makes up. */
import { describe, expect, it } from 'vitest';
import { getRangeOver } from '../../../../src/api/storage/get-range.ts';
import type { Slice } from '../../../../src/api/storage/range-exchange.ts';
import { HastyClock } from '../../../support/hasty-clock.ts';

const KIB = 1024;
const TIMEOUT_MS = 60_000;
const STALLED = new Error('stalled');

interface Exchanged {
  readonly tookMs: number;
  readonly receivedBytes: number;
}

/** Reads a range of so many bytes from a store that does in each exchange what `exchange` says; answers how long each could stall. */
async function read(
  sizeBytes: number,
  exchange: (slice: Slice, before: number) => Exchanged,
): Promise<{ readonly stalls: readonly number[]; readonly tookMs: number; readonly complete: boolean }> {
  const clock = new HastyClock();
  const began = clock.now();
  const stalls: number[] = [];
  const answer = { etag: 'v1', objectSizeBytes: sizeBytes };
  const getRange = getRangeOver(
    async (slice) => {
      const { tookMs, receivedBytes } = exchange(slice, stalls.length);
      stalls.push(slice.stallTimeoutMs);
      await clock.sleep(tookMs);
      slice.onAnswer(answer);
      return { receivedBytes, answer, error: receivedBytes < slice.length ? STALLED : undefined };
    },
    { clock, timeoutMs: TIMEOUT_MS, stallTimeoutMs: 20_000 },
  );
  const complete = await getRange('http://store/object', { offset: 0, into: Buffer.alloc(sizeBytes) }).then(
    () => true,
    () => false,
  );
  return { stalls, tookMs: clock.now() - began, complete };
}

describe('a store', () => {
  it('that sends a byte now and then in one answer is given up, and tried again, in time', async () => {
    const clock = new HastyClock();
    const took: number[] = [];
    const answer = { etag: 'v1', objectSizeBytes: 100 * KIB };
    const getRange = getRangeOver(
      async (slice) => {
        const began = clock.now();
        slice.onAnswer(answer);
        for (let bytes = 1; bytes < slice.length; bytes += 1) {
          await clock.sleep(3000);
          try {
            slice.onProgress(bytes);
          } catch (error) {
            took.push(clock.now() - began);
            return { receivedBytes: bytes, answer, error };
          }
        }
        return { receivedBytes: slice.length, answer, error: undefined };
      },
      { clock, timeoutMs: TIMEOUT_MS, stallTimeoutMs: 20_000 },
    );
    const reading = getRange('http://store/object', { offset: 0, into: Buffer.alloc(100 * KIB) });
    await expect(reading).rejects.toMatchObject({ message: expect.stringContaining('too slowly') });
    expect(took[0]).toBeLessThanOrEqual(19_000);
    expect(took.length).toBeGreaterThan(1);
    expect(took.reduce((sum, ms) => sum + ms)).toBeLessThan(TIMEOUT_MS + 4000);
  });

  it('that sends on after this machine stood still for an hour is not given up', async () => {
    const clock = new HastyClock();
    const answer = { etag: 'v1', objectSizeBytes: 3 };
    let exchanges = 0;
    const getRange = getRangeOver(
      async (slice) => {
        exchanges += 1;
        slice.onAnswer(answer);
        slice.onProgress(1);
        await clock.sleep(3_600_000);
        slice.onProgress(2);
        return { receivedBytes: 3, answer, error: undefined };
      },
      { clock, timeoutMs: TIMEOUT_MS, stallTimeoutMs: 20_000 },
    );
    await getRange('http://store/object', { offset: 0, into: Buffer.alloc(3) });
    expect(exchanges).toBe(1);
  });

  it('that fails for the first time after this machine slept, or had its clock set, is tried again', async () => {
    const clock = new HastyClock();
    const answer = { etag: 'v1', objectSizeBytes: 3 };
    let exchanges = 0;
    const getRange = getRangeOver(
      async (slice) => {
        exchanges += 1;
        if (exchanges === 1) {
          clock.set(10 * TIMEOUT_MS);
          return { receivedBytes: 0, answer: undefined, error: new Error('read ECONNRESET') };
        }
        slice.onAnswer(answer);
        return { receivedBytes: 3, answer, error: undefined };
      },
      { clock, timeoutMs: TIMEOUT_MS, stallTimeoutMs: 20_000 },
    );
    await getRange('http://store/object', { offset: 0, into: Buffer.alloc(3) });
    expect(exchanges).toBe(2);
  });

  it('that brings nothing is tried for the timeout, from the first request on, and no longer', async () => {
    const { stalls, tookMs, complete } = await read(100 * KIB, ({ stallTimeoutMs }) => ({
      tookMs: stallTimeoutMs,
      receivedBytes: 0,
    }));
    expect(complete).toBe(false);
    expect(stalls.slice(0, 3)).toEqual([4000, 8000, 16_000]);
    expect(tookMs).toBeGreaterThan(TIMEOUT_MS - 3000);
    expect(tookMs).toBeLessThanOrEqual(TIMEOUT_MS);
  });

  it('that sends a byte and stalls, again and again, brings nothing', async () => {
    const { tookMs, complete } = await read(4 * KIB, ({ stallTimeoutMs }) => ({
      tookMs: stallTimeoutMs,
      receivedBytes: 1,
    }));
    expect(complete).toBe(false);
    expect(tookMs).toBeLessThanOrEqual(TIMEOUT_MS);
  });

  it.each([4, 20])('that brings %i KiB before each stall is read to the end', async (kib) => {
    const { complete } = await read(400 * KIB, ({ length }) => ({
      tookMs: 3000,
      receivedBytes: Math.min(length, kib * KIB),
    }));
    expect(complete).toBe(true);
  });
});
