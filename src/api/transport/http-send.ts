import { setImmediate } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { errorCode } from '../../lib/error-code.ts';
import { parseExactly, printExactly } from '../../lib/exact-json.ts';
import type { Throttle } from '../../lib/throttle.ts';
import { TransportError } from '../errors.ts';
import type { Network } from '../network/network.ts';
import { poolOn } from '../network/pool.ts';
import { AnswerPace } from './answer-pace.ts';
import { type Answer, type Call, describeCall, type QueryValue, type Send } from './call.ts';
import { exchangeErrorFrom } from './exchange-error.ts';
import { foreignPage } from './foreign-page.ts';
import { type PacedBody, pacedBody } from './paced-body.ts';
import { answerTimeoutFor, watchedConnector } from './watch-sending.ts';

interface HttpBody {
  readonly body: PacedBody['body'] | string | null;
  readonly headers: PacedBody['headers'];
}

/** The kernel takes so much of a body at once, however slow the line is. */
const AT_ONCE_BYTES = 64 * 1024;

/** So many times as long as an exchange may be silent may it take for the least that is progress. */
const PACE_TIMEOUTS = 4;

/** Of an answer, which is held in memory. A hundred files with all the metadata that they may have are 40 MiB. */
const LARGEST_ANSWER_BYTES = 128 * 1024 * 1024;

export interface HttpSend {
  readonly send: Send;
  close(): Promise<void>;
}

export interface HttpSendOptions {
  /** With the version: `http://host:port/v2`. */
  readonly endpoint: string;
  readonly connections: number;
  /** For one exchange, without what the service holds back on purpose. */
  readonly exchangeTimeoutMs: number;
  /** How long a call that gets no answer is tried. */
  readonly timeoutMs: number;
  /** Of bodies that are bytes. */
  readonly uploadLimit: Throttle | undefined;
  readonly network: Network;
  /** Fires before `close`: what fails from then on is not worth another try. */
  readonly closed: AbortSignal;
}

/**
 * The innermost `Send`: one HTTP exchange over a pool of kept-alive connections. Several requests share a connection
 * one after the other, never pipelined: a lost connection then loses one answer.
 */
export function httpSend(options: HttpSendOptions): HttpSend {
  const endpoint = new URL(options.endpoint);
  const base = endpoint.pathname.replace(/\/+$/, '');
  const connect = options.network.connector(endpoint, Math.min(10_000, options.exchangeTimeoutMs));
  const pool = poolOn(options.network, endpoint, {
    connections: options.connections,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    maxResponseSize: LARGEST_ANSWER_BYTES,
    connect: watchedConnector(connect, {
      stallTimeoutMs: options.exchangeTimeoutMs,
      answerTimeoutMs: answerTimeoutFor(options.timeoutMs),
      isHeldBack: () => heldBack > 0,
    }),
  });
  /** Calls whose answer the service may hold back on purpose. */
  let heldBack = 0;

  const send = async (call: Call): Promise<Answer> => {
    call.signal?.throwIfAborted();
    const { timeoutMs: patienceMs = Number.POSITIVE_INFINITY, heldBackMs = 0 } = call;
    const timeoutMs = Math.min(options.exchangeTimeoutMs, patienceMs) + heldBackMs;
    const paceMs = Math.min(PACE_TIMEOUTS * options.exchangeTimeoutMs, patienceMs) + heldBackMs;
    call.onSending?.();
    const pace = new AnswerPace(paceMs);
    if (heldBackMs > 0) heldBack += 1;
    try {
      const { body, headers } = bodyOf(call, options.uploadLimit);
      const response = await pool.request({
        method: call.method,
        path: `${base}${call.path}${queryString(call.query)}`,
        headers: { ...headersOf(call), ...headers },
        body,
        headersTimeout: isLong(body) ? 0 : timeoutMs,
        bodyTimeout: timeoutMs,
        signal: call.signal ?? null,
      });
      const text = await textOf(response.body, pace);
      // Undici frees a connection a turn of the event loop later: the next call would open another one for itself.
      await setImmediate();
      const answered = singleValues(response.headers);
      const parsed = parse(text, call.exact ? parseExactly : JSON.parse);
      const contentType = answered['content-type'];
      return {
        status: response.statusCode,
        headers: answered,
        body: parsed,
        page: foreignPage(text, { contentType, isJson: parsed !== undefined }),
        overTls: endpoint.protocol === 'https:',
      };
    } catch (error) {
      call.signal?.throwIfAborted();
      if (options.closed.aborted) {
        throw new TransportError('the client was closed', { call: describeCall(call), cause: error });
      }
      throw exchangeErrorFrom(error);
    } finally {
      if (heldBackMs > 0) heldBack -= 1;
      pace.end();
    }
  };
  return { send, close: () => pool.destroy() };
}

/** It may take its time; the connection is watched. */
function isLong(body: HttpBody['body']): boolean {
  if (body === null || typeof body === 'string') return false;
  return !(body instanceof Uint8Array) || body.length > AT_ONCE_BYTES;
}

function queryString(query: Readonly<Record<string, QueryValue>> | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) {
      search.set(name, String(value));
    }
  }
  return search.size === 0 ? '' : `?${search}`;
}

function headersOf(call: Call): Record<string, string> {
  const type = call.body && ('json' in call.body ? 'application/json' : 'application/octet-stream');
  return { ...call.headers, ...(type && { 'content-type': type }) };
}

function bodyOf({ body, exact, signal }: Call, limit: Throttle | undefined): HttpBody {
  if (body && 'bytes' in body) return pacedBody(body.bytes, limit, { signal, onSending: body.onSending });
  const print = exact ? printExactly : JSON.stringify;
  return { body: body ? print(body.json) : null, headers: {} };
}

function singleValues(headers: Record<string, string | string[] | undefined>): Answer['headers'] {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]));
}

/** Empty, as if it were no JSON, when it is larger than any answer of the API. */
async function textOf(body: Dispatcher.ResponseData['body'], pace: AnswerPace): Promise<string> {
  pace.watch(body);
  try {
    return await body.text();
  } catch (error) {
    if (errorCode(error) === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return '';
    throw error;
  }
}

function parse(text: string, parser: (text: string) => unknown): unknown {
  try {
    return text === '' ? undefined : parser(text);
  } catch {
    return undefined;
  }
}
