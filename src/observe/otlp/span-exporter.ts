import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { type Attributes, resourceSpans, type Span } from './otlp-json.ts';

/** Beyond so many that wait, spans are dropped: a collector that is away costs no memory. */
const MOST_WAITING = 4096;
const BATCH = 512;
const BATCH_MS = 5000;
const ANSWER_MS = 10_000;
const CLOSING_MS = 1000;

export interface SpanExporterOptions {
  /** With the path: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** Of this process. */
  readonly resource: Attributes;
  readonly log: Pick<Logger, 'warn'>;
}

export interface SpansSnapshot {
  readonly sent: number;
  /** The queue was full, or the collector did not take them. */
  readonly dropped: number;
}

/**
 * Sends spans to a collector of OpenTelemetry (OTLP over HTTP, as JSON), a batch at a time. Nobody waits for it: what the
 * collector does not take is dropped and counted.
 */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  #waiting: Span[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #sent = 0;
  #dropped = 0;
  #hasFailed = false;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
  }

  add(span: Span): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= BATCH) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), BATCH_MS).unref();
  }

  snapshot(): SpansSnapshot {
    return { sent: this.#sent, dropped: this.#dropped };
  }

  /** Sends what waits, for a moment: the end of a mount does not wait for a collector. */
  async close(): Promise<void> {
    await Promise.race([this.#sendAll(), delay(CLOSING_MS, undefined, { ref: false })]);
    clearTimeout(this.#timer);
  }

  async #sendAll(): Promise<void> {
    do {
      await this.#sending;
      this.#send();
      await this.#sending;
    } while (this.#waiting.length > 0 && !this.#hasFailed);
  }

  #send(): void {
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#waiting.splice(0, BATCH);
    this.#sending = this.#post(JSON.stringify(resourceSpans(this.#options.resource, batch)))
      .then(
        () => {
          this.#sent += batch.length;
          this.#hasFailed = false;
        },
        (error: unknown) => {
          this.#dropped += batch.length;
          if (!this.#hasFailed)
            this.#options.log.warn({ err: error }, 'the collector of --otlp takes no spans');
          this.#hasFailed = true;
        },
      )
      .finally(() => {
        this.#sending = undefined;
        if (this.#waiting.length >= BATCH) this.#send();
        else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), BATCH_MS).unref();
      });
  }

  #post(body: string): Promise<void> {
    const { url } = this.#options;
    return new Promise((resolve, reject) => {
      const send = url.startsWith('https:') ? httpsRequest : httpRequest;
      const request = send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      request.once('error', reject);
      request.once('response', (response) => {
        response.once('error', reject).resume();
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve();
        else reject(new Error(`HTTP status ${statusCode}`));
      });
      request.end(body);
    });
  }
}
