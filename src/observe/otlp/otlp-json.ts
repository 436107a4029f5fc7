/** Spans in the JSON of OpenTelemetry (opentelemetry-proto, trace.proto): ids are hex, times nanoseconds as text. */
import { randomBytes } from 'node:crypto';

export type Attributes = Readonly<Record<string, string | number>>;

export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

export interface Span extends SpanIds {
  readonly parentSpanId?: string | undefined;
  readonly name: string;
  readonly kind: 'server' | 'client';
  /** In milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  /** Why it failed. */
  readonly error?: string | undefined;
}

const KIND = { server: 2, client: 3 } as const;
const STATUS_ERROR = 2;

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** The body of a request to `/v1/traces`. */
export function resourceSpans(resource: Attributes, spans: readonly Span[]): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: listed(resource) },
        scopeSpans: [{ scope: { name: 'svcfs' }, spans: spans.map(asJson) }],
      },
    ],
  };
}

function asJson({ startMs, endMs, kind, attributes, error, ...same }: Span): object {
  return {
    ...same,
    kind: KIND[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: listed(attributes),
    ...(error !== undefined && { status: { code: STATUS_ERROR, message: error } }),
  };
}

function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}

function listed(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
  }));
}
