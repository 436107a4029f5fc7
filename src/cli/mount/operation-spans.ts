import type { ReplyRecord } from '../../fuse/observer.ts';
import type { Clock } from '../../lib/clock.ts';
import { errnoName } from '../../lib/errno.ts';
import { currentRequester } from '../../lib/requester.ts';
import { newSpanId, newTraceId, type Span, type SpanIds } from '../../observe/otlp/otlp-json.ts';
import type { PastExchange } from './service-log.ts';

type Exchange = Pick<PastExchange, 'status' | 'ms' | 'requestId' | 'reason'> & { readonly name: string };

/** An operation that took so long is told though it asked the service for nothing. */
const SLOW_MS = 50;

/**
 * Spans of the operations that asked the service or were slow, and of their requests. The others are most, tell nothing, and are
 * in the metrics. No span has a name or path of a file: a request's id leads to the rest.
 */
export class OperationSpans {
  readonly #tell: (span: Span) => void;
  readonly #clock: Pick<Clock, 'now'>;
  /** By the kernel's request. */
  readonly #operations = new WeakMap<object, SpanIds>();

  constructor(tell: (span: Span) => void, clock: Pick<Clock, 'now'>) {
    this.#tell = tell;
    this.#clock = clock;
  }

  readonly onExchange = ({ name, status, ms, requestId, reason }: Exchange): void => {
    const operation = currentRequester()?.context;
    const parent = operation && this.#idsOf(operation);
    const endMs = this.#clock.now();
    this.#tell({
      traceId: parent?.traceId ?? newTraceId(),
      spanId: newSpanId(),
      parentSpanId: parent?.spanId,
      name,
      kind: 'client',
      startMs: endMs - ms,
      endMs,
      attributes: {
        'http.request.method': name.split(' ', 1)[0] ?? name,
        ...(status !== undefined && { 'http.response.status_code': status }),
        ...(requestId !== undefined && { 'svcfs.request_id': requestId }),
      },
      // The reason may name an address, and it is enough to know that it failed.
      error:
        reason === undefined
          ? status !== undefined && status >= 400
            ? `${status}`
            : undefined
          : 'no answer',
    });
  };

  readonly onReply = ({ operation, errno, durationMs, pid, context }: ReplyRecord): void => {
    const known = this.#operations.get(context);
    if (known === undefined && durationMs < SLOW_MS) return;
    const endMs = this.#clock.now();
    this.#tell({
      ...(known ?? this.#idsOf(context)),
      name: operation,
      kind: 'server',
      startMs: endMs - durationMs,
      endMs,
      attributes: { 'thread.id': pid, ...(errno !== 0 && { 'svcfs.errno': errnoName(errno) }) },
      error: errno === 0 ? undefined : errnoName(errno),
    });
  };

  #idsOf(operation: object): SpanIds {
    const known = this.#operations.get(operation);
    if (known !== undefined) return known;
    const ids = { traceId: newTraceId(), spanId: newSpanId() };
    this.#operations.set(operation, ids);
    return ids;
  }
}
