import type { Clock } from '../../lib/clock.ts';
import type { RangeAnswer, StorageClient } from '../storage-client.ts';

/** A range or a part that is over, with all of its tries. */
export interface Transfer {
  readonly kind: 'range' | 'part';
  /** Bytes that came, or went and were taken. */
  readonly bytes: number;
  readonly ms: number;
  /** Of a range, from its begin; undefined when no answer came. */
  readonly firstByteMs: number | undefined;
  /** `given_up`: its asker no longer wanted it. */
  readonly end: 'done' | 'failed' | 'given_up';
}

/** Reports what is moved from and to stores. */
export function withTransferObserver(
  storage: StorageClient,
  observer: (transfer: Transfer) => void,
  clock: Pick<Clock, 'monotonic'>,
): StorageClient {
  const endOf = (signal: AbortSignal | undefined) => (signal?.aborted === true ? 'given_up' : 'failed');
  return {
    ...storage,
    getRange: async (url, range, signal): Promise<RangeAnswer> => {
      const beganMs = clock.monotonic();
      let firstByteMs: number | undefined;
      let bytes = 0;
      const report = (end: Transfer['end']): void =>
        observer({ kind: 'range', bytes, ms: clock.monotonic() - beganMs, firstByteMs, end });
      try {
        const answer = await storage.getRange(
          url,
          {
            ...range,
            onAnswer: (told) => {
              firstByteMs ??= clock.monotonic() - beganMs;
              range.onAnswer?.(told);
            },
            onProgress: (received) => {
              bytes = received;
              range.onProgress?.(received);
            },
          },
          signal,
        );
        bytes = range.into.length;
        report('done');
        return answer;
      } catch (error) {
        report(endOf(signal));
        throw error;
      }
    },
    putPart: async (target, body, options) => {
      const beganMs = clock.monotonic();
      const report = (bytes: number, end: Transfer['end']): void =>
        observer({ kind: 'part', bytes, ms: clock.monotonic() - beganMs, firstByteMs: undefined, end });
      try {
        const stored = await storage.putPart(target, body, options);
        report(body.length, 'done');
        return stored;
      } catch (error) {
        report(0, endOf(options?.signal));
        throw error;
      }
    },
  };
}
