import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { bytesOnTheirWay } from '../../lib/socket-addon.ts';

/** How long a connection may be silent that has sent bytes. */
export interface SendingLimits {
  /** While bytes are on their way, and none of them gets further. */
  readonly stallTimeoutMs: number;
  /** When all have arrived: the server, or what stands before it, may still have to read them. */
  readonly answerTimeoutMs: number;
}

/** For the connections of a slow line, each with some MiB that the server's system holds and its program has not read. */
export const ANSWER_TIMEOUT_MS = 120_000;

/** So many in the time that a stall may take. */
const LOOKS = 4;

/** Undici's own, for connections that `watchSending` watches. */
export function watchedConnector(timeoutMs: number, limits: SendingLimits): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs });
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
  const everyMs = limits.stallTimeoutMs / LOOKS;
  let progress = 0;
  let silentMs = 0;
  socket.setTimeout(everyMs);
  // Comes when neither was anything read nor did the kernel take anything for so long.
  socket.on('timeout', () => {
    const left = bytesOnTheirWay(socket);
    const before = progress;
    progress = socket.bytesRead + socket.bytesWritten - left;
    silentMs = progress === before ? silentMs + everyMs : 0;
    if (left > 0 && silentMs >= limits.stallTimeoutMs) {
      socket.destroy(new Error('the server took none of what was sent for too long'));
    } else if (silentMs >= limits.answerTimeoutMs) {
      socket.destroy(new Error('the server did not answer for too long'));
    } else {
      socket.setTimeout(everyMs);
    }
  });
}
