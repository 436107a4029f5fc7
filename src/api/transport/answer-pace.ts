import type { Readable } from 'node:stream';

/** An answer that brings less than this in its time brings nothing: a byte now and then is no progress. */
const PROGRESS_BYTES = 16 * 1024;

/** Ends an answer that comes too slowly. The time counts from the beginning of the exchange. */
export class AnswerPace {
  #bytes = 0;
  #body: Readable | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Without end: the time is not limited. */
  constructor(timeoutMs: number) {
    if (!Number.isFinite(timeoutMs)) return;
    this.#timer = setTimeout(() => this.#tooSlow(), timeoutMs);
    this.#timer.unref();
  }

  /** Before its first byte is read. */
  watch(body: Readable): void {
    if (this.#timer === undefined) return;
    this.#body = body;
    body.on('data', (chunk: Uint8Array) => this.#add(chunk.length));
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < PROGRESS_BYTES) return;
    this.#bytes = 0;
    this.#timer?.refresh();
  }

  #tooSlow(): void {
    this.#body?.destroy(new Error('the service sends its answer too slowly'));
  }
}
