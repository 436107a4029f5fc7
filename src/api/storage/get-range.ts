import type { Clock } from '../../lib/clock.ts';
import { Patience } from '../../lib/patience.ts';
import type { RangeAnswer, StorageClient } from '../api.ts';
import { StorageError } from '../errors.ts';
import { mayPass } from './range-answer.ts';
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
  return async (url, { offset, into, expectedEtag, onAnswer, onProgress }, signal) => {
    if (into.length === 0) {
      throw new RangeError('a range has at least one byte');
    }
    const target = new URL(url);
    const patience = new Patience({ ...limits, backoff: BACKOFF });
    const answers = new Answers(onAnswer);
    let received = 0;
    for (;;) {
      const before = received;
      const progress = await exchange(
        {
          url: target,
          offset: offset + before,
          length: into.length - before,
          into: before === 0 ? into : into.subarray(before),
          expectedEtag: expectedEtag ?? answers.first?.etag,
          onAnswer: (answer) => answers.add(answer),
          onProgress: (bytes) => onProgress?.(before + bytes),
        },
        signal,
      );
      signal?.throwIfAborted();
      received += progress.receivedBytes;
      const version = answers.accepted();
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

/** The answers to one range: all of one version, and acceptable to who asked. */
class Answers {
  first: RangeAnswer | undefined;
  readonly #onAnswer: ((answer: RangeAnswer) => void) | undefined;
  #refused: { readonly because: unknown } | undefined;

  constructor(onAnswer: ((answer: RangeAnswer) => void) | undefined) {
    this.#onAnswer = onAnswer;
  }

  /** Throws to the exchange, which ends by it; `accepted` throws the same to who waits. */
  add(answer: RangeAnswer): void {
    try {
      if (this.first && this.first.objectSizeBytes !== answer.objectSizeBytes) {
        throw new StorageError('changed', 'the object changed its size while it was read');
      }
      this.first ??= answer;
      this.#onAnswer?.(answer);
    } catch (because) {
      this.#refused = { because };
      throw because;
    }
  }

  accepted(): RangeAnswer | undefined {
    if (this.#refused) throw this.#refused.because;
    return this.first;
  }
}

export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) {
    return error;
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new StorageError('failed', `no answer from the store: ${reason}`, { cause: error });
}
