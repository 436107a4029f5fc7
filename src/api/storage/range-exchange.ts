import type { RangeAnswer, WaitingBody } from '../storage-client.ts';
import type { RangeWanted } from './store-answer.ts';

/** One range of one object, to be put into a buffer of its length. */
export interface Slice extends RangeWanted {
  readonly url: URL;
  readonly into: Uint8Array;
  /** Without a byte for so long, the exchange is given up. */
  readonly stallTimeoutMs: number;
  /** Called before the first byte counts; what it throws ends the exchange. */
  readonly onAnswer: (answer: RangeAnswer) => void;
  /** Called with how many bytes of `into` are there by now. */
  readonly onProgress: (receivedBytes: number) => void;
  readonly onWaiting?: ((body: WaitingBody) => void) | undefined;
}

/** How far one exchange came: `error` is why it ended before the last byte. */
export interface SliceProgress {
  readonly receivedBytes: number;
  /** Undefined when no usable answer came. */
  readonly answer: RangeAnswer | undefined;
  readonly error: unknown;
}

/**
 * Fetches a slice with one request, straight into its buffer. Never rejects: what came before a failure is of use.
 * After it resolved, the buffer is not touched any more.
 */
export type RangeExchange = (slice: Slice, signal?: AbortSignal) => Promise<SliceProgress>;
