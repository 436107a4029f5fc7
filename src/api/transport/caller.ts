import type { Patience } from '../../lib/patience.ts';
import type { CallOptions } from '../call-options.ts';
import { TransportError } from '../errors.ts';
import { UnexpectedShape } from '../parse/wire.ts';
import { type Answer, type Call, describeCall, type Send } from './call.ts';
import type { Repetition } from './lost-answer.ts';

/** A look at what became of a call is worth that, also when the time is over. */
const LEAST_TRY_MS = 1000;

export interface CallSpec<T>
  extends Pick<Call, 'query' | 'headers' | 'body' | 'uncounted' | 'exact' | 'asWritten'> {
  /** Method and path with placeholders, such as `GET /files/{id}`. */
  readonly route: `${Call['method']} /${string}`;
  /** Values of the placeholders. A `/` in one stays: ids of projects and volumes have one. */
  readonly path?: Readonly<Record<string, string | number>>;
  /** Default `repeat`. */
  readonly whenLost?: Call['whenLost'];
  readonly heldBackMs?: number;
  /** It changes nothing, though it is no GET. */
  readonly onlyLooks?: true;
  readonly parse: (body: unknown, answer: Answer) => T;
}

/** Makes one call and parses its answer. */
export interface Caller {
  <T>(spec: CallSpec<T>, options?: CallOptions): Promise<T>;
  /** The time of a caller that repeats a call. */
  repetition(options?: CallOptions): Repetition;
}

export function callerOver(send: Send, newPatience: (timeoutMs?: number) => Patience): Caller {
  const call = async <T>(spec: CallSpec<T>, options: CallOptions = {}): Promise<T> => {
    const wire = toCall(spec, options);
    const answer = await send(wire);
    try {
      return spec.parse(answer.body, answer);
    } catch (error) {
      if (error instanceof UnexpectedShape) {
        throw new TransportError(error.message, {
          call: describeCall(wire),
          cause: error,
          answer: 'foreign',
        });
      }
      throw error;
    }
  };
  const repetition = (options: CallOptions = {}): Repetition => {
    const patience = newPatience(options.timeoutMs);
    return {
      options: () => ({ ...options, timeoutMs: Math.max(LEAST_TRY_MS, patience.leftMs) }),
      spent: (ms) => patience.beganAgo(ms),
      again: () => patience.anotherTry(options.signal),
    };
  };
  return Object.assign(call, { repetition });
}

function toCall(spec: CallSpec<unknown>, options: CallOptions): Call {
  const {
    route,
    path = {},
    query,
    headers,
    body,
    heldBackMs,
    uncounted,
    exact,
    asWritten,
    onlyLooks,
    whenLost = 'repeat',
  } = spec;
  const space = route.indexOf(' ');
  const method = route.slice(0, space) as Call['method'];
  const template = route.slice(space + 1);
  return {
    name: route,
    method,
    path: template.replace(/\{(\w+)\}/g, (_, key: string) => encodePath(String(path[key] ?? ''))),
    whenLost,
    priority: options.priority ?? 'interactive',
    urgent: options.urgent,
    signal: options.signal,
    untilSent: options.untilSent,
    changes: method !== 'GET' && onlyLooks !== true,
    ...(options.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(query && { query }),
    ...(headers && { headers }),
    ...(body && { body }),
    ...(heldBackMs !== undefined && { heldBackMs }),
    ...(uncounted && { uncounted }),
    ...(exact && { exact }),
    ...(asWritten && { asWritten }),
  };
}

function encodePath(value: string): string {
  return value.split('/').map(encodeURIComponent).join('/');
}
