import { Writable } from 'node:stream';
import type { Agent } from 'undici';

import { deferred } from '../../lib/deferred.ts';
import { errorCode } from '../../lib/error-code.ts';
import { Patience } from '../../lib/patience.ts';
import type { Throttle } from '../../lib/throttle.ts';
import { StorageError } from '../errors.ts';
import { md5OfEtag, unquoted } from '../etag.ts';
import type { SignedUrl } from '../model.ts';
import type { StorageClient, StoredPart } from '../storage-client.ts';
import { type PacedBody, pacedBody, type SendOptions } from '../transport/paced-body.ts';
import { ConnectionStalled } from '../transport/watch-sending.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { anotherTry, type RetryLimits, toStorageError } from './get-range.ts';
import type { RangeConnection } from './range-connection.ts';
import { followRedirects } from './redirect.ts';
import { singleHeader } from './single-header.ts';
import { type PutAnswer, putOverSocket } from './socket-put.ts';
import { ENCRYPTION_HEADER, mayPass, storageErrorOf } from './store-answer.ts';

const BACKOFF = { baseMs: 200, capMs: 5000 };
/** Not for another host than that of the link. */
const OF_ONE_HOST: ReadonlySet<string> = new Set(['host', 'authorization', 'cookie']);

export interface PutLimits extends RetryLimits {
  readonly uploadLimit: Throttle | undefined;
}

/** The ways of a part: sockets for what goes over TLS at full speed, and the agent for all else. */
export interface PutWays {
  readonly agent: Agent;
  readonly sockets: ConnectionPool<RangeConnection>;
}

/** Sends a part until the store takes it: repeating a part replaces it, so a lost answer costs only the bytes. */
export function putPartOver({ agent, sockets }: PutWays, limits: PutLimits): StorageClient['putPart'] {
  return async (target, body, options = {}) => {
    const { signal } = options;
    const patience = new Patience({ ...limits, backoff: BACKOFF });
    for (;;) {
      const beganMs = limits.clock.monotonic();
      try {
        return await followRedirects(new URL(target.url), (address) =>
          address.protocol === 'https:' && limits.uploadLimit === undefined
            ? putOver(sockets, { target, address, body, ...options })
            : put(agent, { target, address, signal, ...pacedBody(body, limits.uploadLimit, options) }),
        );
      } catch (cause) {
        signal?.throwIfAborted();
        const error = toStorageError(cause);
        const silentMs = silentMsOf(cause, limits.clock.monotonic() - beganMs);
        if (!mayPass(error) || !(await anotherTry(patience, limits, signal, silentMs))) {
          throw error;
        }
      }
    }
  };
}

/** How long nothing got further before a failure. A request that broke off had got on until then. */
function silentMsOf(cause: unknown, tookMs: number): number {
  if (cause instanceof ConnectionStalled) return cause.silentMs;
  return errorCode(cause) === 'UND_ERR_CONNECT_TIMEOUT' ? tookMs : 0;
}

interface Put {
  readonly target: SignedUrl;
  /** Of the target, or where that leads. */
  readonly address: URL;
  readonly signal?: AbortSignal | undefined;
}

async function putOver(
  sockets: ConnectionPool<RangeConnection>,
  { target, address, body, signal, onSending }: Put & SendOptions & { readonly body: Uint8Array },
): Promise<StoredPart> {
  const wanted = { address, method: target.method, headers: headersAt(address, target), body };
  return storedPart(await putOverSocket(sockets, wanted, { signal, onSending }));
}

async function put(
  agent: Agent,
  { target, address, body, headers, signal }: Put & PacedBody,
): Promise<StoredPart> {
  const stored = deferred<StoredPart>();
  await agent.stream(
    {
      origin: address.origin,
      path: address.pathname + address.search,
      method: target.method,
      headers: { ...headersAt(address, target), ...headers },
      body,
      // The connection is watched.
      headersTimeout: 0,
      signal: signal ?? null,
    },
    (answer) => {
      // An error here ends the request, and its connection. An answer counts though bytes are still on their way, and
      // the rest of them is not sent.
      const { statusCode: status, headers: answered } = answer;
      stored.resolve(storedPart({ status, header: (name) => singleHeader(answered[name]) }));
      return new Writable({ write: (_chunk, _encoding, done) => done() });
    },
  );
  return stored.promise;
}

/** The headers that a link asks for, as far as they are meant for that address. */
function headersAt(address: URL, { url, headers }: SignedUrl): SignedUrl['headers'] {
  if (address.origin === new URL(url).origin) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_HOST.has(name.toLowerCase())));
}

function storedPart({ status, header }: PutAnswer): StoredPart {
  if (status < 200 || status >= 300) {
    throw storageErrorOf(status, header('location'));
  }
  const etag = unquoted(header('etag'));
  if (etag === undefined) {
    throw new StorageError('failed', 'the store gave the part no ETag', { status });
  }
  return { etag, md5: md5OfEtag(etag, header(ENCRYPTION_HEADER)) };
}
