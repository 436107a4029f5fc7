import type { Clock } from '../../lib/clock.ts';
import { connectionFailureText, hostOf } from '../../lib/connection-failure.ts';
import { Patience } from '../../lib/patience.ts';
import { StorageError } from '../errors.ts';
import { ProxyError } from '../network/proxy-error.ts';
import type { RangeAnswer, StorageClient } from '../storage-client.ts';
import { ConnectionStalled } from '../transport/watch-sending.ts';
import type { RangeExchange, SliceProgress } from './range-exchange.ts';
import { isStrange, mayPass } from './store-answer.ts';

export interface RetryLimits {
  readonly clock: Clock;
  /** How long a store that brings nothing is tried. */
  readonly timeoutMs: number;
  /** Aborted when the client is closed: then nothing is tried again. */
  readonly ended?: AbortSignal;
  /** Told when something is tried again. */
  readonly onRetry?: (() => void) | undefined;
}

export interface RangeLimits extends RetryLimits {
  /** Of one exchange, without a byte. */
  readonly stallTimeoutMs: number;
}

const BACKOFF = { baseMs: 100, capMs: 3000 };
/** Most stalls are of one connection: at first another one is tried sooner. */
const FIRST_STALL_MS = 4000;
/** So much restores all patience: a byte now and then is no progress. */
const PROGRESS_BYTES = 16 * 1024;
/** For so much an exchange has so many times as long as it may be silent: on the slowest lines many ranges share what comes. */
const PACE_STALLS = 4;
/** An answer to another question may be one server's of many behind an address, or the store's way. */
const STRANGE_ANSWERS = 3;

/**
 * A range, resumed at the byte where a connection broke. The first answer fixes the version: later ones must be of
 * the same, by ETag and size, so that bytes of two versions never mix.
 */
export function getRangeOver(exchange: RangeExchange, limits: RangeLimits): StorageClient['getRange'] {
  return async (url, { offset, into, expectedEtag, sinceMs, onAnswer, onProgress, onWaiting }, signal) => {
    if (into.length === 0) {
      throw new RangeError('a range has at least one byte');
    }
    const target = new URL(url);
    const attempts = new Attempts(limits, sinceMs);
    const answers = new Answers(onAnswer);
    let received = 0;
    for (;;) {
      const before = received;
      const pace = new Pace(limits.clock, attempts);
      const progress = await exchange(
        {
          url: target,
          offset: offset + before,
          length: into.length - before,
          into: before === 0 ? into : into.subarray(before),
          expectedEtag: expectedEtag ?? answers.first?.etag,
          stallTimeoutMs: attempts.stallTimeoutMs,
          onAnswer: (answer) => answers.add(answer),
          onProgress: (bytes) => {
            onProgress?.(before + bytes);
            pace.check(bytes);
          },
          onWaiting: before === 0 ? onWaiting : undefined,
        },
        signal,
      );
      signal?.throwIfAborted();
      received += progress.receivedBytes;
      const version = answers.accepted();
      if (progress.error === undefined && version) {
        return version;
      }
      await attempts.another(progress, signal);
    }
  };
}

/** How often, and how patiently, a range is asked for again. */
class Attempts {
  readonly #limits: RangeLimits;
  readonly #patience: Patience;
  #withoutProgress = 0;
  #progressBytes = 0;
  #strangeAnswers = 0;
  #error: StorageError | undefined;

  constructor(limits: RangeLimits, sinceMs: number | undefined) {
    this.#limits = limits;
    this.#patience = new Patience({ ...limits, backoff: BACKOFF });
    this.#patience.begin(sinceMs);
  }

  /** Of the next exchange: no longer than there is time left. */
  get stallTimeoutMs(): number {
    const patientMs = Math.min(this.#limits.stallTimeoutMs, FIRST_STALL_MS * 2 ** this.#withoutProgress);
    return Math.max(1, Math.floor(Math.min(patientMs, this.#patience.leftMs)));
  }

  /** How long the next exchange may take for `PROGRESS_BYTES`. */
  get paceTimeoutMs(): number {
    return Math.min(PACE_STALLS * this.stallTimeoutMs, this.#patience.leftMs);
  }

  /** Pauses before another one; throws why there is none. */
  async another(
    { error: cause, receivedBytes }: SliceProgress,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    this.#progressBytes += receivedBytes;
    this.#withoutProgress += 1;
    if (this.#progressBytes >= PROGRESS_BYTES) {
      this.#patience.begin();
      this.#withoutProgress = 0;
      this.#progressBytes = 0;
    }
    const error = this.#telling(cause);
    if (!this.#mayHelp(error) || !(await anotherTry(this.#patience, this.#limits, signal))) {
      throw error;
    }
  }

  /** A last try may have had no time: what the one before it met tells more. */
  #telling(cause: unknown): StorageError {
    const usualMs = Math.min(this.#limits.stallTimeoutMs, FIRST_STALL_MS);
    const hadTime = !(cause instanceof ConnectionStalled) || cause.silentMs >= usualMs;
    this.#error = hadTime ? toStorageError(cause) : (this.#error ?? toStorageError(cause));
    return this.#error;
  }

  #mayHelp(error: StorageError): boolean {
    if (!isStrange(error)) return mayPass(error);
    this.#strangeAnswers += 1;
    return this.#strangeAnswers < STRANGE_ANSWERS;
  }
}

/** Whether an exchange gets on, which has to bring more than a byte now and then. */
class Pace {
  readonly #clock: Clock;
  readonly #stallTimeoutMs: number;
  readonly #timeoutMs: number;
  #lastMs: number;
  /** Since `PROGRESS_BYTES` were there last. */
  #bytes = 0;
  #tookMs = 0;

  constructor(clock: Clock, { stallTimeoutMs, paceTimeoutMs }: Attempts) {
    this.#clock = clock;
    this.#stallTimeoutMs = stallTimeoutMs;
    this.#timeoutMs = paceTimeoutMs;
    this.#lastMs = clock.monotonic();
  }

  /** It has brought so many bytes by now. Throws to the exchange, which ends by it. */
  check(bytes: number): void {
    const nowMs = this.#clock.monotonic();
    // Longer only when we, or the whole machine, stood still.
    this.#tookMs += Math.min(nowMs - this.#lastMs, this.#stallTimeoutMs);
    this.#lastMs = nowMs;
    if (bytes - this.#bytes >= PROGRESS_BYTES) {
      this.#bytes = bytes;
      this.#tookMs = 0;
    } else if (this.#tookMs > this.#timeoutMs) {
      throw new StorageError('failed', 'the store sends too slowly');
    }
  }
}

/** The answers to one range: all of one version, and acceptable to the caller. */
class Answers {
  first: RangeAnswer | undefined;
  readonly #onAnswer: ((answer: RangeAnswer) => void) | undefined;
  #refused: { readonly because: unknown } | undefined;

  constructor(onAnswer: ((answer: RangeAnswer) => void) | undefined) {
    this.#onAnswer = onAnswer;
  }

  /** Throws to the exchange, which ends by it; `accepted` throws the same to the caller that waits. */
  add(answer: RangeAnswer): void {
    try {
      const [before, now] = [this.first?.objectSizeBytes, answer.objectSizeBytes];
      if (before !== undefined && now !== undefined && before !== now) {
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

/** As that of the patience, until the client is closed: rejects with the reason of that then. */
export async function anotherTry(
  patience: Patience,
  { ended, onRetry }: RetryLimits,
  signal: AbortSignal | undefined,
  silentMs?: number,
): Promise<boolean> {
  const ends = [ended, signal].filter((each) => each !== undefined);
  const isGiven = await patience.anotherTry(AbortSignal.any(ends), silentMs);
  if (isGiven) onRetry?.();
  return isGiven;
}

export function toStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) {
    return error;
  }
  if (error instanceof ProxyError) {
    // Its status only where it is final: of others there is none of the store.
    const { message, status, isFinal } = error;
    return new StorageError('failed', message, { ...(isFinal && { status: status ?? 400 }), cause: error });
  }
  const host = hostOf(error);
  const store = host === undefined ? 'the store' : `the store ${host}`;
  return new StorageError('failed', `no answer from ${store}: ${connectionFailureText(error)}`, {
    cause: error,
  });
}
