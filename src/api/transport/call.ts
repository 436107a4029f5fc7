import type { Dialect } from '../../contract/dialect.ts';
import type { Priority } from '../call-options.ts';
import type { ForeignPage } from './foreign-page.ts';
import type { OnSending } from './sent-bytes.ts';

export type QueryValue = string | number | boolean | undefined;

/** The user for whom calls are made, and the words of the calls. */
export interface Identity {
  readonly token: string;
  readonly dialect: Dialect;
}

/** One request of the API, before the wrappers add what every request needs. */
export interface Call {
  /** Method and path with placeholders (`GET /files/{id}`): what counters and metrics are keyed by. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below `/v2`, percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, or bytes as they are. */
  readonly body?:
    | { readonly json: unknown }
    | { readonly bytes: Uint8Array; readonly onSending?: OnSending | undefined };
  /**
   * The way on when the answer got lost: `repeat` a call that has the same effect twice, or ask the caller, who looks
   * before it sends a `once` call again.
   */
  readonly whenLost: 'repeat' | 'once';
  readonly priority: Priority;
  /** `CallOptions.urgent` */
  readonly urgent?: AbortSignal | undefined;
  readonly signal?: AbortSignal | undefined;
  /** `CallOptions.untilSent` */
  readonly untilSent?: AbortSignal | undefined;
  /** It changes something on the platform. */
  readonly changes?: boolean;
  /** How long it is tried when no answer comes; of one exchange: how long that may take. Default the client's time. */
  readonly timeoutMs?: number;
  /** Called when the exchange begins: what it waited for before was the rate limit. */
  readonly onSending?: () => void;
  /** How long the service may hold the answer back on purpose (capability `job_wait`). */
  readonly heldBackMs?: number;
  /** Open to all, and not held against the token's rate limit: what its answer tells of a limit is another's. */
  readonly uncounted?: true;
  /** Numbers in both bodies keep their digits: `parseExactly`. */
  readonly exact?: true;
  /** The answer stays in the words of the service's dialect. */
  readonly asWritten?: true;
  /** Sent as another one than the client's own. */
  readonly as?: Identity;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Somebody on the way answered with a page. */
  readonly page?: ForeignPage | undefined;
  /** Parsed JSON; undefined when there was no body or it was not JSON. */
  readonly body: unknown;
  /** The service is an https one. */
  readonly overTls?: boolean;
}

/**
 * Sends a call. Every cross-cutting concern is a function from one `Send` to another. The innermost rejects with
 * `ExchangeError`; the outermost with what `Api` promises.
 */
export type Send = (call: Call) => Promise<Answer>;

/** Method and path as errors and logs show them: query values may be private. */
export function describeCall(call: Call): string {
  return `${call.method} ${call.path}`;
}
