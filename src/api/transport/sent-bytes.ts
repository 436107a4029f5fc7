import { channel, subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { bytesSent } from '../../lib/socket-addon.ts';

/** How many of the first bytes of a body have left this machine by now. Asked for only when somebody looks. */
export type SentBytes = () => number;

/** Called each time that a body begins to be sent: again from its first byte after a failure. */
export type OnSending = (sent: SentBytes) => void;

interface Sending {
  /** Of the head of the request, which goes before. */
  readonly headBytes: number;
  /** Of the body. */
  readonly sizeBytes: number;
  /** Of all that was ever written to the connection, how much the other side has by now. */
  readonly sentOn: () => number;
}

/** Counts the bytes of a body from now on, before the head of its request is written. */
export function sentBytes({ headBytes, sizeBytes, sentOn }: Sending): SentBytes {
  const before = sentOn() + headBytes;
  let most = 0;
  // A connection that is gone tells nothing any more.
  return () => {
    most = Math.min(sizeBytes, Math.max(most, sentOn() - before));
    return most;
  };
}

interface SentHeaders {
  readonly request: { readonly body?: unknown };
  /** As they are written. */
  readonly headers: string;
  readonly socket: Socket;
}

/** Undici tells here which connection carries a request. */
const SENT_HEADERS = 'undici:client:sendHeaders';

const watched = new WeakMap<object, (headers: string, socket: Socket) => void>();

/**
 * Watches a body of an undici request. A body of bytes is a Buffer: undici makes another object of any other array.
 */
export function watchBody(body: Buffer | Readable, sizeBytes: number, onSending: OnSending): void {
  if (!channel(SENT_HEADERS).hasSubscribers) subscribe(SENT_HEADERS, onHeaders);
  watched.set(body, (headers, socket) =>
    onSending(sentBytes({ headBytes: headers.length, sizeBytes, sentOn: () => bytesSent(socket) })),
  );
}

function onHeaders(message: unknown): void {
  const { request, headers, socket } = message as SentHeaders;
  if (typeof request.body === 'object' && request.body !== null) watched.get(request.body)?.(headers, socket);
}
