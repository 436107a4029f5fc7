/** A small file in one call, where the service offers that (capability `upload_inline`). */
import type { Api } from '../../../api/api.ts';
import { ApiError, mayBeDone, TransportError } from '../../../api/errors.ts';
import type { FileRecord } from '../../../api/model.ts';
import type { OnSending, SentBytes } from '../../../api/transport/sent-bytes.ts';
import { md5Hex } from '../../../lib/md5.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import { type Annotations, ContentError, type ContentReader, type UploadTarget } from '../../ports.ts';
import type { DraftContent } from '../spool/draft-content.ts';
import { hasContent } from './published-already.ts';
import { hasMd5 } from './same-bytes.ts';
import type { TakenName } from './taken-name.ts';

/** The most that `POST /upload/inline` takes. */
export const INLINE_BYTES = 8 * 1024 * 1024;

/** Of annotations, as JSON. */
const HEADER_BYTES = 4096;

/** Other bytes arrived than those that were sent. */
const DAMAGED = 8016;
/** Bytes that arrive damaged so often will not arrive. */
const MOST_TRIES = 5;

export interface InlineUploadOptions {
  readonly context: {
    readonly api: Api;
    readonly reader: ContentReader;
    readonly content: DraftContent;
    readonly memory: MemoryPool;
    readonly signal: AbortSignal;
  };
  readonly target: () => UploadTarget;
  readonly name: TakenName;
}

interface Sent {
  readonly sizeBytes: number;
  readonly md5: string;
}

export class InlineUpload {
  readonly #options: InlineUploadOptions;
  /** The last content sent, when it had no answer. */
  #unanswered: Sent | undefined;
  #sent: SentBytes | undefined;

  constructor(options: InlineUploadOptions) {
    this.#options = options;
  }

  /** Of the content that is being sent, the bytes that have left this machine. */
  get bytesUnderWay(): number {
    return this.#sent?.() ?? 0;
  }

  /** `annotations` gives those to send with content of this MD5 (in hexadecimal). */
  async publish(
    sizeBytes: number,
    annotations: (md5: string) => Annotations | undefined,
  ): Promise<FileRecord> {
    const { context, target, name } = this.#options;
    const { content, memory, signal } = context;
    const buffer = await memory.acquire(sizeBytes, signal);
    const body = buffer.subarray(0, sizeBytes);
    try {
      await content.fetchMissing({ start: 0, end: sizeBytes }, signal);
      await content.readInto(0, body, signal);
      const there = await name.ofRecovered(sizeBytes);
      if (there !== undefined) return there;
      const md5 = await md5Hex(body);
      const onSending = (sent: SentBytes): void => {
        this.#sent = sent;
      };
      const file = { target: target(), md5, annotations: annotations(md5), onSending };
      return await this.#orFound({ sizeBytes, md5 }, () => sendInline(context, body, file));
    } finally {
      this.#sent = undefined;
      memory.release(buffer);
    }
  }

  /** The file that was made all the same of what was sent last, when that had no answer. */
  async unanswered(): Promise<FileRecord | undefined> {
    const file = this.#unanswered && (await this.#lookFor(this.#unanswered));
    this.#unanswered = undefined;
    return file;
  }

  /**
   * Looks for the file when there was no answer. If it cannot be looked for now, or is not there yet, `unanswered` does
   * it later.
   */
  async #orFound(sent: Sent, make: () => Promise<FileRecord>): Promise<FileRecord> {
    this.#unanswered = sent;
    let file: FileRecord | undefined;
    try {
      file = await make();
    } catch (error) {
      if (!mayBeDone(error)) this.#unanswered = undefined;
      else if (error instanceof TransportError) file = await this.#lookFor(sent);
      if (file === undefined) throw error;
    }
    this.#unanswered = undefined;
    return file;
  }

  #lookFor({ sizeBytes, md5 }: Sent): Promise<FileRecord | undefined> {
    return this.#options.name.own(sizeBytes, (content) => hasMd5(sizeBytes, md5, content));
  }
}

export interface InlineFile {
  readonly target: UploadTarget;
  /** Of the content, in hexadecimal. */
  readonly md5: string;
  readonly annotations: Annotations | undefined;
  readonly onSending?: OnSending | undefined;
}

/** Sends a whole file, again if it arrives damaged. A service that does not know of the MD5 does not check. */
export async function sendInline(
  {
    api,
    reader,
    signal,
  }: Pick<InlineUploadOptions['context'], 'reader' | 'signal'> & { readonly api: Pick<Api, 'uploads'> },
  body: Uint8Array,
  { target, md5, annotations, onSending }: InlineFile,
): Promise<FileRecord> {
  const isSame = (found: FileRecord): Promise<boolean> =>
    hasContent({ reader, signal }, found, (content) => hasMd5(body.length, md5, content));
  const file = { ...target, md5, isSame, onSending, ...ridingAlong(annotations) };
  for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
    try {
      return await api.uploads.inline(file, body, { signal, priority: 'data' });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== DAMAGED) throw error;
    }
  }
  throw new ContentError('failed', `${target.name} arrived damaged ${MOST_TRIES} times`);
}

/** Whether annotations go with the content; else they are to be given to the file later. */
export function rideAlong(annotations: Annotations | undefined): boolean {
  return Buffer.byteLength(JSON.stringify(annotations ?? {})) <= HEADER_BYTES;
}

/** Annotations that fit into the headers of one call; servers take some 16 KiB of them. */
function ridingAlong(annotations: Annotations | undefined): Partial<Annotations> {
  return rideAlong(annotations) ? { ...annotations } : {};
}
