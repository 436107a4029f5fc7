/** A small file in one call, where the service offers that (capability `upload_inline`). */
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/errors.ts';
import type { FileRecord } from '../../api/model.ts';
import { md5Hex } from '../../lib/md5.ts';
import { type Annotations, ContentError, type UploadTarget } from '../ports.ts';

/** The most that `POST /upload/inline` takes. */
export const INLINE_BYTES = 8 * 1024 * 1024;

/** Of annotations, as JSON. */
const HEADER_BYTES = 4096;

/** Other bytes arrived than those that were sent. */
const DAMAGED = 8016;
/** Bytes that arrive damaged so often will not arrive. */
const MOST_TRIES = 5;

export interface InlineFile {
  readonly target: UploadTarget;
  /** What goes with content of this MD5 (in hexadecimal). */
  readonly annotations: (md5: string) => Annotations | undefined;
}

/** Sends a whole file, again if it arrives damaged. A service that does not know of the MD5 does not check. */
export async function sendInline(
  { api, signal }: { readonly api: Api; readonly signal: AbortSignal },
  body: Uint8Array,
  { target, annotations }: InlineFile,
): Promise<FileRecord> {
  const md5 = await md5Hex(body);
  const file = { ...target, md5, ...ridingAlong(annotations(md5)) };
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    try {
      return await api.uploads.inline(file, body, { signal, priority: 'data' });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== DAMAGED) throw error;
    }
  }
  throw new ContentError('failed', `${target.name} arrived damaged ${MOST_TRIES} times`);
}

/** Annotations that fit into the headers of one call; servers take some 16 KiB of them. */
function ridingAlong(annotations: Annotations | undefined): Partial<Annotations> {
  return JSON.stringify(annotations ?? {}).length > HEADER_BYTES ? {} : { ...annotations };
}
