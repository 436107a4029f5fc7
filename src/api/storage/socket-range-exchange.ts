import { withHost } from '../../lib/connection-failure.ts';
import type { ProxyAddress } from '../../lib/proxy-address.ts';
import { StorageError } from '../errors.ts';
import { PROXY_AUTHENTICATION_REQUIRED, refusalOf } from '../network/proxy-error.ts';
import type { RangeAnswer } from '../storage-client.ts';
import { BodyInSocket } from './body-in-socket.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { RangeExchange, Slice, SliceProgress } from './range-exchange.ts';
import { parseResponseHead, type ResponseHead } from './response-head.ts';
import { checkRangeAnswer } from './store-answer.ts';
import type { ConnectionUser, StoreConnection } from './store-connection.ts';

/**
 * Ranges over plain sockets, for plain answers: half the time and a third of the CPU of an HTTP library. Any other answer
 * (chunks, an encoding, an interim answer) is left to `fallback`, and so are all later ranges of a store that answers so.
 */
export function socketRangeExchange(pool: ConnectionPool, fallback: RangeExchange): RangeExchange {
  return async (slice, signal) => {
    if (pool.isRetired(slice.url)) {
      return fallback(slice, signal);
    }
    const result = await exchangeOver(pool, slice, signal);
    if (!('unusual' in result)) return result;
    if (result.unusual === 'range') pool.retire(slice.url);
    return fallback(slice, signal);
  };
}

/**
 * One exchange. A kept connection that is gone before it answered was closed while the request was on its way, as
 * servers may: the request goes over a new one, once. One that stalls cost time, and whether there is more of it is for the
 * caller; the others that were idle like it are not trusted any more.
 */
async function exchangeOver(
  pool: ConnectionPool,
  slice: Slice,
  signal: AbortSignal | undefined,
): Promise<SliceProgress | { readonly unusual: Unusual }> {
  for (const fresh of [false, true]) {
    const connection = await pool.take(slice.url, { fresh, signal }).catch((error: unknown) => ({ error }));
    if ('error' in connection) {
      return { receivedBytes: 0, answer: undefined, error: connection.error };
    }
    // Given up in the turn in which it got its connection: an exchange would hear of that no more.
    if (signal?.aborted) {
      pool.giveBack(slice.url, connection, undefined);
      return { receivedBytes: 0, answer: undefined, error: signal.reason };
    }
    const { wasIdle } = connection;
    const end = await new SocketExchange(connection, slice, signal).run();
    if (end.reusable) {
      pool.giveBack(slice.url, connection, end.head?.idleMs);
    } else {
      pool.discard(slice.url, connection, new Error('the exchange ended early'));
    }
    const lostWhileIdle = wasIdle && end.silent && !signal?.aborted;
    if (lostWhileIdle && connection.isStalled) pool.closeIdle(slice.url);
    if (!lostWhileIdle || connection.isStalled) {
      return end.unusual ? { unusual: end.unusual } : end.progress;
    }
  }
  return { receivedBytes: 0, answer: undefined, error: closesEvery(slice.url) };
}

function closesEvery({ hostname }: URL): Error {
  return withHost(new Error('the store closes every connection'), hostname);
}

/** An answer that only a whole HTTP client understands: a range, or something else. */
type Unusual = 'range' | 'other';

interface ExchangeEnd {
  readonly progress: SliceProgress;
  readonly head: ResponseHead | undefined;
  /** Not a byte came. */
  readonly silent: boolean;
  readonly unusual: Unusual | undefined;
  readonly reusable: boolean;
}

const MAX_HEAD_BYTES = 16 * 1024;

class SocketExchange {
  readonly #connection: StoreConnection;
  readonly #slice: Slice;
  readonly #signal: AbortSignal | undefined;
  #silent = true;
  /** Of a head whose end has not come: the bytes it came in are used again. */
  #headStart = Buffer.alloc(0);
  #headSinceMs: number | undefined;
  #head: ResponseHead | undefined;
  #answer: RangeAnswer | undefined;
  /** Received, or taken off the socket by others. */
  #receivedBytes = 0;
  #waiting: BodyInSocket | undefined;
  #finish: ((end: ExchangeEnd) => void) | undefined;

  constructor(connection: StoreConnection, slice: Slice, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.#slice = slice;
    this.#signal = signal;
  }

  run(): Promise<ExchangeEnd> {
    return new Promise((resolve) => {
      const abort = (): void => this.#end({ error: this.#signal?.reason });
      this.#finish = (end) => {
        this.#finish = undefined;
        this.#signal?.removeEventListener('abort', abort);
        resolve(end);
      };
      this.#signal?.addEventListener('abort', abort, { once: true });
      const user: ConnectionUser = {
        room: () => this.#room(),
        onBytes: (bytes) => this.#take(bytes),
        onGone: (error) => this.#end({ error }),
      };
      this.#connection.request(
        requestHead(this.#slice, this.#connection.proxy),
        user,
        this.#slice.stallTimeoutMs,
      );
    });
  }

  /** Where the rest of the body belongs; undefined before it begins and after it ended. */
  #room(): Uint8Array | undefined {
    return this.#finish && this.#head ? this.#slice.into.subarray(this.#receivedBytes) : undefined;
  }

  #take(bytes: Uint8Array): void {
    const isFirst = this.#head === undefined;
    const body = isFirst ? this.#takeHead(bytes) : bytes;
    if (!body || !this.#finish) {
      return;
    }
    if (this.#receivedBytes + body.length > this.#slice.length) {
      this.#end({ error: new StorageError('failed', 'the store sent more than the range') });
      return;
    }
    this.#place(body);
    this.#advance(body.length);
    if (isFirst) this.#letWait();
    else this.#waiting?.end();
  }

  #advance(bytes: number): void {
    this.#receivedBytes += bytes;
    try {
      this.#slice.onProgress(this.#receivedBytes);
    } catch (error) {
      this.#end({ error });
      return;
    }
    if (this.#receivedBytes === this.#slice.length) this.#end({ error: undefined });
  }

  /** Offers the bytes after the first ones to a reader that may use them where they are. */
  #letWait(): void {
    const { onWaiting } = this.#slice;
    const { pausable } = this.#connection;
    if (!onWaiting || !this.#finish || !pausable) return;
    this.#waiting = new BodyInSocket(pausable, {
      position: this.#receivedBytes,
      onTaken: (bytes) => {
        if (!this.#finish) return;
        if (this.#receivedBytes + bytes === this.#slice.length) this.#waiting?.receive();
        this.#advance(bytes);
      },
    });
    onWaiting(this.#waiting);
  }

  /** Copies what came together with the head; all else was received where it belongs. */
  #place(body: Uint8Array): void {
    const { into } = this.#slice;
    const isThere = body.buffer === into.buffer && body.byteOffset === into.byteOffset + this.#receivedBytes;
    if (!isThere) into.set(body, this.#receivedBytes);
  }

  /** Answers what follows the head, when it is complete and usable. */
  #takeHead(bytes: Uint8Array): Uint8Array | undefined {
    this.#silent = false;
    const before = this.#headStart.length;
    const unread = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_HEAD_BYTES));
    const seen = before === 0 ? unread : Buffer.concat([this.#headStart, unread]);
    const end = seen.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#headStart = Buffer.from(seen);
      this.#headSinceMs ??= performance.now();
      if (performance.now() - this.#headSinceMs > this.#slice.stallTimeoutMs) {
        this.#end({ error: new StorageError('failed', 'the head of the answer comes too slowly') });
      }
      if (seen.length >= MAX_HEAD_BYTES) {
        this.#end({ error: new StorageError('failed', 'the head of the answer has no end') });
      }
      return undefined;
    }
    // Not a character more: an ETag that is kept is a slice of this text, and keeps all of it.
    const head = parseResponseHead(seen.toString('latin1', 0, end));
    const { proxy } = this.#connection;
    if (proxy && head?.status === PROXY_AUTHENTICATION_REQUIRED) {
      this.#end({ error: refusalOf(proxy, this.#slice.url.host, head.status) });
      return undefined;
    }
    // The head of an error or a redirect tells all, whatever its body is like.
    if (!head || (!head.plain && head.status < 300)) {
      this.#end({ error: undefined, unusual: head?.status === 206 ? 'range' : 'other' });
      return undefined;
    }
    try {
      this.#head = head;
      this.#answer = checkRangeAnswer(this.#slice, head.status, head);
      this.#slice.onAnswer(this.#answer);
    } catch (error) {
      this.#end({ error });
      return undefined;
    }
    return bytes.subarray(end + 4 - before);
  }

  #end({ error, unusual }: { readonly error: unknown; readonly unusual?: Unusual }): void {
    this.#waiting?.end();
    const complete = this.#receivedBytes === this.#slice.length && !unusual;
    this.#finish?.({
      progress: {
        receivedBytes: this.#receivedBytes,
        answer: this.#answer,
        error: complete ? undefined : error,
      },
      head: this.#head,
      silent: this.#silent,
      unusual,
      reusable: complete && this.#head?.keepAlive === true,
    });
  }
}

function requestHead({ url, offset, length }: Slice, proxy: ProxyAddress | undefined): string {
  const path = `${url.pathname}${url.search}`;
  return [
    `GET ${proxy ? url.origin : ''}${path} HTTP/1.1`,
    `Host: ${url.host}`,
    `Range: bytes=${offset}-${offset + length - 1}`,
    'Accept-Encoding: identity',
    ...(proxy?.authorization ? [`Proxy-Authorization: ${proxy.authorization}`] : []),
    '\r\n',
  ].join('\r\n');
}
