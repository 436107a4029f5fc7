import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { bytesOnTheirWay } from '../../lib/socket-addon.ts';

/** How long a connection may be silent that has sent bytes. */
export interface SendingLimits {
  /** While bytes are on their way, and none of them gets further. */
  readonly stallTimeoutMs: number;
  /** When all have arrived: the server, or what stands before it, may still have to read them. */
  readonly answerTimeoutMs: number;
  /** The server may hold the answer back on purpose: then it has the time of a slow line. */
  readonly isHeldBack?: () => boolean;
}

/** For the connections of a slow line, each with some MiB that the server's system holds and its program has not read. */
const ANSWER_TIMEOUT_MS = 120_000;
/** A client that waits less long than this for a service does so for the answer to what it has sent, too. */
const USUAL_PATIENCE_MS = 60_000;

/** `SendingLimits.answerTimeoutMs` of a client that tries for so long what gets no answer. */
export function answerTimeoutFor(timeoutMs: number): number {
  return timeoutMs < USUAL_PATIENCE_MS ? timeoutMs : ANSWER_TIMEOUT_MS;
}

/** So many in the time that a stall may take. */
const LOOKS = 4;
/** An answer that brings less meanwhile is none. */
const PROGRESS_BYTES = 16 * 1024;

/** A connection was ended because nothing got further. */
export class ConnectionStalled extends Error {
  /** How long nothing did, as far as that tells of a way that is cut. */
  readonly silentMs: number;

  constructor(reason: string, silentMs: number) {
    super(reason);
    this.silentMs = silentMs;
  }
}

/** The same, for connections that `watchSending` watches. */
export function watchedConnector(
  connect: buildConnector.connector,
  limits: SendingLimits,
): buildConnector.connector {
  return (options, done) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket) watchSending(socket, limits);
      done(...result);
    });
}

/**
 * Ends a connection that makes no progress with a request. Undici measures the wait for an answer from the beginning of
 * the request, which no body of any length on a line of any speed can keep to.
 */
export function watchSending(socket: Socket, limits: SendingLimits): void {
  const { stallTimeoutMs, answerTimeoutMs, isHeldBack = () => false } = limits;
  const everyMs = Math.min(stallTimeoutMs, answerTimeoutMs) / LOOKS;
  let sent = 0;
  let read = 0;
  let silentMs = 0;
  const look = (): void => {
    const left = bytesOnTheirWay(socket);
    const sentBefore = sent;
    sent = socket.bytesWritten - left;
    const gotOn = sent !== sentBefore || socket.bytesRead - read >= PROGRESS_BYTES;
    if (gotOn) read = socket.bytesRead;
    silentMs = gotOn ? 0 : silentMs + everyMs;
    if (left > 0 && silentMs >= stallTimeoutMs) {
      const reason = 'the server took none of what was sent for too long';
      socket.destroy(new ConnectionStalled(reason, silentMs));
    } else if (silentMs >= (isHeldBack() ? ANSWER_TIMEOUT_MS : answerTimeoutMs)) {
      const reason = 'the server did not answer for too long';
      socket.destroy(new ConnectionStalled(reason, Math.min(silentMs, stallTimeoutMs)));
    }
  };
  // Bytes that come meanwhile do not count: an answer that drips keeps no connection alive.
  const looking = setInterval(look, everyMs);
  looking.unref();
  socket.once('close', () => clearInterval(looking));
}
