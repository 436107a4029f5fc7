import type { Agent } from 'undici';

import { createMd5 } from '../../lib/md5.ts';
import { Patience } from '../../lib/patience.ts';
import type { StorageClient } from '../api.ts';
import { StorageError } from '../errors.ts';
import type { SignedUrl } from '../model.ts';
import { unquoted } from '../parse/volume.ts';
import { type RetryLimits, toStorageError } from './get-range.ts';
import { mayPass, storageErrorOf } from './range-answer.ts';

const BACKOFF = { baseMs: 200, capMs: 5000 };

/**
 * Sends a part until the store has it whole: repeating a part replaces it, so a lost answer costs only the bytes.
 * An ETag that is an MD5 proves what arrived. Ours is needed when the store answers and not before: until then it may
 * wait to be computed together with those of other parts.
 */
export function putPartOver(agent: Agent, limits: RetryLimits): StorageClient['putPart'] {
  return async (target, body, signal) => {
    const md5 = createMd5();
    const expectedMd5 = md5.end(body);
    const patience = new Patience({ ...limits, backoff: BACKOFF });
    for (;;) {
      try {
        const { etag, isMd5 } = await put(agent, target, body, signal).finally(() => md5.hurry());
        if (isMd5 && etag.toLowerCase() !== (await expectedMd5)) {
          throw new StorageError('failed', 'the part arrived damaged');
        }
        return { etag };
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

async function put(
  agent: Agent,
  target: SignedUrl,
  body: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<{ etag: string; isMd5: boolean }> {
  const url = new URL(target.url);
  const response = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: target.method,
    headers: { ...target.headers },
    body,
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
  return { etag, isMd5: /^[0-9a-f]{32}$/i.test(etag) && !keyManaged };
}
