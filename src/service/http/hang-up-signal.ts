import type { FastifyReply } from 'fastify';

/** Fires when the caller has hung up, or the answer has been sent: nobody waits for it any more. */
export function hangUpSignal(reply: FastifyReply): AbortSignal {
  const over = new AbortController();
  reply.raw.once('close', () => over.abort());
  return over.signal;
}

export interface HasClosing {
  /** Fires when the process has been told to end: waiting answers are given, nothing new is begun. */
  readonly closing: AbortSignal;
}
