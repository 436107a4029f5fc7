import type { Clock } from '../../lib/clock.ts';
import { Patience } from '../../lib/patience.ts';
import type { StorageClient } from '../api.ts';
import { StorageError } from '../errors.ts';
import { mayPass, type RangeAnswer } from './range-answer.ts';
import type { RangeExchange } from './range-exchange.ts';

export interface RetryLimits {
  readonly clock: Clock;
  /** How long a store that brings nothing is tried. */
  readonly timeoutMs: number;
}

const BACKOFF = { baseMs: 100, capMs: 3000 };

/**
 * A range, resumed at the byte where a connection broke. The first answer fixes the version: later ones must be of
 * the same, by ETag and size, so that bytes of two versions never mix.
 */
export function getRangeOver(exchange: RangeExchange, limits: RetryLimits): StorageClient['getRange'] {
  return async (url, { offset, into, expectedEtag }, signal) => {
    if (into.length === 0) {
      throw new RangeError('a range has at least one byte');
    }
    const target = new URL(url);
    const patience = new Patience({ ...limits, backoff: BACKOFF });
    let version: RangeAnswer | undefined;
    let received = 0;
    for (;;) {
      const slice = {
        url: target,
        offset: offset + received,
        length: into.length - received,
        into: into.subarray(received),
        expectedEtag: expectedEtag ?? version?.etag,
      };
      const progress = await exchange(slice, signal);
      signal?.throwIfAborted();
      version = sameVersion(version, progress.answer);
      received += progress.receivedBytes;
      if (progress.error === undefined && version) {
        return version;
      }
      if (progress.receivedBytes > 0) {
        patience.restore();
      }
      const error = toStorageError(progress.error);
      if (!mayPass(error) || !(await patience.anotherTry(signal))) {
        throw error;
      }
    }
  };
}

function sameVersion(
  known: RangeAnswer | undefined,
  answer: RangeAnswer | undefined,
): RangeAnswer | undefined {
  if (known && answer && known.objectSizeBytes !== answer.objectSizeBytes) {
    throw new StorageError('changed', 'the object changed its size while it was read');
  }
  return known ?? answer;
}

export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) {
    return error;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StorageError('failed', `no answer from the store: ${reason}`, { cause: error });
}
