import type { Agent, Dispatcher } from 'undici';
import { withHost } from '../../lib/connection-failure.ts';
import { StorageError } from '../errors.ts';
import type { RangeAnswer } from '../storage-client.ts';
import type { RangeExchange, Slice, SliceProgress } from './range-exchange.ts';
import { singleHeader } from './single-header.ts';
import { checkRangeAnswer, ENCRYPTION_HEADER } from './store-answer.ts';

/**
 * Ranges over undici. A dispatch handler copies each chunk to its place: the streams above it cost twice the CPU
 * time per byte.
 */
export function undiciRangeExchange(agent: Agent): RangeExchange {
  return (slice, signal) =>
    new Promise((resolve) => {
      const receiver = new SliceReceiver(slice, resolve);
      const abort = (): void => receiver.stop(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      receiver.onEnd = () => signal?.removeEventListener('abort', abort);
      if (signal?.aborted) {
        abort();
        return;
      }
      agent.dispatch(
        {
          origin: slice.url.origin,
          path: slice.url.pathname + slice.url.search,
          method: 'GET',
          headersTimeout: slice.stallTimeoutMs,
          bodyTimeout: slice.stallTimeoutMs,
          headers: {
            range: `bytes=${slice.offset}-${slice.offset + slice.length - 1}`,
            'accept-encoding': 'identity',
          },
        },
        receiver,
      );
    });
}

class SliceReceiver implements Dispatcher.DispatchHandler {
  onEnd = (): void => {};
  readonly #slice: Slice;
  readonly #resolve: (progress: SliceProgress) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: RangeAnswer | undefined;
  #receivedBytes = 0;
  #ended = false;

  constructor(slice: Slice, resolve: (progress: SliceProgress) => void) {
    this.#slice = slice;
    this.#resolve = resolve;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) {
      controller.abort(new Error('not wanted any more'));
    }
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      return;
    }
    try {
      this.#answer = checkRangeAnswer(this.#slice, status, {
        contentRange: singleHeader(headers['content-range']),
        contentLength: singleHeader(headers['content-length']),
        contentEncoding: singleHeader(headers['content-encoding']),
        contentType: singleHeader(headers['content-type']),
        etag: singleHeader(headers['etag']),
        location: singleHeader(headers['location']),
        encryption: singleHeader(headers[ENCRYPTION_HEADER]),
      });
      this.#slice.onAnswer(this.#answer);
    } catch (error) {
      this.stop(error);
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#ended) {
      return;
    }
    if (this.#receivedBytes + chunk.length > this.#slice.length) {
      this.stop(new StorageError('failed', 'the store sent more than the range'));
      return;
    }
    this.#slice.into.set(chunk, this.#receivedBytes);
    this.#receivedBytes += chunk.length;
    try {
      this.#slice.onProgress(this.#receivedBytes);
    } catch (error) {
      this.stop(error);
    }
  }

  onResponseEnd(): void {
    const complete = this.#receivedBytes === this.#slice.length;
    this.#end(complete ? undefined : new Error('the store ended the body early'));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(withHost(error, this.#slice.url.hostname));
  }

  /** Ends the exchange from this side; the connection goes with it. */
  stop(reason: unknown): void {
    this.#end(reason ?? new Error('aborted'));
    this.#controller?.abort(reason instanceof Error ? reason : new Error(String(reason)));
  }

  #end(error: unknown): void {
    if (this.#ended) {
      return;
    }
    this.#ended = true;
    this.onEnd();
    // With its last byte a range is complete, however the answer ends.
    const isComplete = this.#answer !== undefined && this.#receivedBytes === this.#slice.length;
    this.#resolve({
      receivedBytes: this.#receivedBytes,
      answer: this.#answer,
      error: isComplete ? undefined : error,
    });
  }
}
