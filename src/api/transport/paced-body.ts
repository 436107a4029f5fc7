import { Readable } from 'node:stream';
import type { Throttle } from '../../lib/throttle.ts';
import { type OnSending, watchBody } from './sent-bytes.ts';

/** The bytes of a request as undici takes them, and the headers that it needs to. */
export interface PacedBody {
  readonly body: Uint8Array | Readable;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SendOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onSending?: OnSending | undefined;
}

/** A larger piece saves nothing. */
const MOST_PIECE_BYTES = 256 * 1024;

/** Whole, which is fastest; where there is a limit, in pieces that go when they may. */
export function pacedBody(
  bytes: Uint8Array,
  limit: Throttle | undefined,
  { signal, onSending }: SendOptions,
): PacedBody {
  if (bytes.length === 0) return { body: bytes, headers: {} };
  const body =
    limit === undefined
      ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      : Readable.from(pieces(bytes, limit, signal));
  if (onSending) watchBody(body, bytes.length, onSending);
  return { body, headers: limit === undefined ? {} : { 'content-length': String(bytes.length) } };
}

async function* pieces(
  bytes: Uint8Array,
  limit: Throttle,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const pieceBytes = Math.min(limit.moment, MOST_PIECE_BYTES);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    await limit.take(piece.length, signal);
    yield piece;
  }
}
