import type { Agent } from 'undici';

import { Patience } from '../../lib/patience.ts';
import type { Throttle } from '../../lib/throttle.ts';
import type { StorageClient, StoredPart } from '../api.ts';
import { StorageError } from '../errors.ts';
import type { SignedUrl } from '../model.ts';
import { unquoted } from '../parse/volume.ts';
import { type PacedBody, pacedBody } from '../transport/paced-body.ts';
import { type RetryLimits, toStorageError } from './get-range.ts';
import { mayPass, storageErrorOf } from './range-answer.ts';

const BACKOFF = { baseMs: 200, capMs: 5000 };

export interface PutLimits extends RetryLimits {
  readonly uploadLimit: Throttle | undefined;
}

/** Sends a part until the store takes it: repeating a part replaces it, so a lost answer costs only the bytes. */
export function putPartOver(agent: Agent, limits: PutLimits): StorageClient['putPart'] {
  return async (target, body, signal) => {
    const patience = new Patience({ ...limits, backoff: BACKOFF });
    for (;;) {
      try {
        return await put(agent, { target, signal, ...pacedBody(body, limits.uploadLimit, signal) });
      } catch (cause) {
        signal?.throwIfAborted();
        const error = toStorageError(cause);
        if (!mayPass(error) || !(await patience.anotherTry(signal))) {
          throw error;
        }
      }
    }
  };
}

interface Put extends PacedBody {
  readonly target: SignedUrl;
  readonly signal: AbortSignal | undefined;
}

async function put(agent: Agent, { target, body, headers, signal }: Put): Promise<StoredPart> {
  const url = new URL(target.url);
  const response = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: target.method,
    headers: { ...target.headers, ...headers },
    body,
    // The connection is watched.
    headersTimeout: 0,
    signal: signal ?? null,
  });
  await response.body.dump();
  if (response.statusCode < 200 || response.statusCode >= 300) {
    throw storageErrorOf(response.statusCode);
  }
  const { etag: header, 'x-amz-server-side-encryption': encryption } = response.headers;
  const etag = unquoted(Array.isArray(header) ? header[0] : header);
  if (etag === undefined || etag === '') {
    throw new StorageError('failed', 'the store gave the part no ETag', { status: response.statusCode });
  }
  // Under a managed key the ETag looks like an MD5 and is none (Amazon S3 API, Object).
  const keyManaged = typeof encryption === 'string' && encryption.includes('kms');
  const isMd5 = /^[0-9a-f]{32}$/i.test(etag) && !keyManaged;
  return { etag, md5: isMd5 ? etag.toLowerCase() : undefined };
}
