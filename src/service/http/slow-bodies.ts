/**
 * Cuts requests whose body comes too slowly.
 *
 * Node limits how long the head of a request may take, and (`requestTimeout`) the whole of it. The latter cannot be
 * used here: a part of 5 GiB takes as long as it takes. The body must only keep coming: for each window of time the
 * bytes received are held against the smallest rate allowed. While bytes wait to be read it is the service that is
 * slow, and nobody is cut for that.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerBrokenRequest } from './broken-request.ts';

export interface BodyPace {
  readonly bytesPerSecond: number;
  readonly windowMs: number;
}

interface Watched {
  readonly response: ServerResponse;
  /** Received on the connection when the window began. */
  bytes: number;
}

export class SlowBodies {
  readonly #pace: BodyPace;
  readonly #onCut: () => void;
  readonly #watched = new Map<IncomingMessage, Watched>();
  readonly #timer: NodeJS.Timeout;

  /** Runs on real time, as Node's own limits do. */
  constructor(pace: BodyPace, onCut: () => void) {
    this.#pace = pace;
    this.#onCut = onCut;
    this.#timer = setInterval(() => this.#check(), pace.windowMs).unref();
  }

  watch(request: IncomingMessage, response: ServerResponse): void {
    if (!hasBody(request)) return;
    // A body that begins within a window is not held against it.
    this.#watched.set(request, { response, bytes: Number.NEGATIVE_INFINITY });
    request.once('close', () => this.#watched.delete(request));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const enough = (this.#pace.bytesPerSecond * this.#pace.windowMs) / 1000;
    for (const [request, watched] of this.#watched) {
      const { bytesRead } = request.socket;
      const slow = bytesRead - watched.bytes < enough && request.readableLength === 0;
      watched.bytes = bytesRead;
      if (request.complete || !slow) continue;
      this.#watched.delete(request);
      this.#onCut();
      cut(request, watched.response);
    }
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Answers 408, where no answer has begun, and ends the connection: the next request on it would never be found. */
function cut(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  if (response.headersSent) {
    socket.destroy();
    return;
  }
  socket.once('finish', () => request.destroy());
  answerBrokenRequest(Object.assign(new Error('slow body'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
}
