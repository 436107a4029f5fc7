import { StorageError } from '../errors.ts';
import type { SignedUrl } from '../model.ts';
import type { SendOptions } from '../transport/paced-body.ts';
import { type SentBytes, sentBytes } from '../transport/sent-bytes.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { RangeConnection } from './range-connection.ts';
import { parseHeadLines } from './response-head.ts';
import type { ConnectionUser } from './store-connection.ts';

export interface PutWanted {
  readonly address: URL;
  readonly method: string;
  readonly headers: SignedUrl['headers'];
  readonly body: Uint8Array;
}

export interface PutAnswer {
  readonly status: number;
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** TLS encrypts a piece in one turn of the event loop: a whole part would hold up readers, and small ones cost turns. */
const PIECE_BYTES = 1024 * 1024;
const MAX_HEAD_BYTES = 16 * 1024;
/** A bad request: it would be the same again. */
const UNUSABLE_LINK = 400;
/** Written by ourselves. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['host', 'content-length']);
/** Of the connection, not of the request. */
const NO_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Sends a body over a connection of the pool: half of the CPU time of an HTTP library over TLS. The answer counts though
 * bytes are still on their way, and the rest of them is not sent. A kept connection that is gone before it answered was
 * closed while it was idle: the bytes go over a new one, once.
 */
export async function putOverSocket(
  pool: ConnectionPool<RangeConnection>,
  wanted: PutWanted,
  { signal, onSending }: SendOptions = {},
): Promise<PutAnswer> {
  const head = requestHead(wanted);
  for (const fresh of [false, true]) {
    const connection = await pool.take(wanted.address, { fresh, signal });
    const { wasIdle } = connection;
    const exchange = new PutExchange(connection, head, wanted.body);
    onSending?.(exchange.sentBytes);
    try {
      const answer = await exchange.run(signal);
      if (exchange.isReusable) pool.giveBack(wanted.address, connection, exchange.idleMs);
      else pool.discard(wanted.address, connection, new Error('the connection has more to come'));
      return answer;
    } catch (error) {
      pool.discard(wanted.address, connection, error as Error);
      const lostWhileIdle = wasIdle && exchange.isSilent && !connection.isStalled && !signal?.aborted;
      if (!lostWhileIdle || fresh) throw error;
    }
  }
  throw new Error('the store closes every connection');
}

/** One request and its answer. */
class PutExchange {
  isSilent = true;
  isReusable = false;
  idleMs: number | undefined;
  /** Of the body. */
  readonly sentBytes: SentBytes;
  readonly #connection: RangeConnection;
  readonly #head: string;
  readonly #body: Uint8Array;
  #writtenBytes = 0;
  #isOver = false;
  #answered = Buffer.alloc(0);

  constructor(connection: RangeConnection, head: string, body: Uint8Array) {
    this.#connection = connection;
    this.#head = head;
    this.#body = body;
    const sizes = { headBytes: head.length, sizeBytes: body.length };
    this.sentBytes = sentBytes({ ...sizes, sentOn: () => connection.sentBytes });
  }

  /** Rejects when the connection is gone, or the signal fires; the connection is to be discarded then. */
  async run(signal: AbortSignal | undefined): Promise<PutAnswer> {
    let abort = (): void => {};
    try {
      return await new Promise((resolve, reject) => {
        abort = () => reject(signal?.reason);
        if (signal?.aborted) abort();
        else this.#begin(resolve, reject);
        signal?.addEventListener('abort', abort, { once: true });
      });
    } finally {
      this.#isOver = true;
      signal?.removeEventListener('abort', abort);
    }
  }

  #begin(resolve: (answer: PutAnswer) => void, reject: (reason: unknown) => void): void {
    const user: ConnectionUser = {
      room: () => undefined,
      onBytes: (bytes) => {
        if (this.#isOver) return;
        try {
          const answer = this.#take(bytes);
          if (answer !== undefined) resolve(answer);
        } catch (error) {
          reject(error);
        }
      },
      onGone: reject,
    };
    this.#connection.request(this.#head, user, 0, () => this.#sendNext());
  }

  #sendNext(): void {
    if (this.#isOver || this.#writtenBytes === this.#body.length) return;
    const piece = this.#body.subarray(this.#writtenBytes, this.#writtenBytes + PIECE_BYTES);
    this.#writtenBytes += piece.length;
    this.#connection.send(piece, () => this.#sendNext());
  }

  /** The answer, when its head has come; interim ones are passed over. */
  #take(bytes: Uint8Array): PutAnswer | undefined {
    this.isSilent = false;
    this.#answered = Buffer.concat([this.#answered, bytes]);
    for (let end = this.#headEnd(); end >= 0; end = this.#headEnd()) {
      const lines = parseHeadLines(this.#answered.toString('latin1', 0, end));
      if (!lines) throw new StorageError('failed', 'the store answered with what is no HTTP');
      this.#answered = this.#answered.subarray(end + 4);
      if (lines.status < 200) continue;
      this.#settle(lines);
      return { status: lines.status, header: (name) => lines.headers.get(name) };
    }
    if (this.#answered.length < MAX_HEAD_BYTES) return undefined;
    throw new StorageError('failed', 'the head of the answer has no end');
  }

  #headEnd(): number {
    return this.#answered.indexOf('\r\n\r\n');
  }

  /** Another request may follow when nothing of this one, nor of its answer, is still to come. */
  #settle({ minorVersion, headers }: NonNullable<ReturnType<typeof parseHeadLines>>): void {
    const isWhole = headers.get('content-length') === String(this.#answered.length);
    const isSent = this.#writtenBytes === this.#body.length;
    const keepsAlive = minorVersion === '1' && headers.get('connection')?.toLowerCase() !== 'close';
    this.isReusable = isWhole && isSent && keepsAlive && !headers.has('transfer-encoding');
    const idle = /timeout=(\d+)/i.exec(headers.get('keep-alive') ?? '');
    this.idleMs = idle ? Number(idle[1]) * 1000 : undefined;
  }
}

/** Throws for what would be no request, or another one. */
function requestHead({ address, method, headers, body }: PutWanted): string {
  const given = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  for (const [name, value] of Object.entries(headers)) {
    if (HEADER_NAME.test(name) && HEADER_VALUE.test(value) && !NO_HEADERS.has(name.toLowerCase())) continue;
    const reason = `the link to a part asks for a header that cannot be sent: ${JSON.stringify(name)}`;
    throw new StorageError('failed', reason, { status: UNUSABLE_LINK });
  }
  const host = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1] ?? address.host;
  return [
    `${method} ${address.pathname}${address.search} HTTP/1.1`,
    `Host: ${host}`,
    `Content-Length: ${body.length}`,
    ...given.map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n');
}
