/**
 * Files of this machine to the platform: small ones in one call, where the service has that, others in parts. An upload
 * in parts that did not come to its end is gone on with by the next run, with the parts that the store has.
 */
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/errors.ts';
import type { FileRecord } from '../../api/model.ts';
import type { Clock } from '../../lib/clock.ts';
import { md5Hex } from '../../lib/md5.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import { type Annotations, ContentError, type ContentReader, type UploadTarget } from '../ports.ts';
import type { PartSender } from '../write/parts/part-sender.ts';
import { beginUpload } from '../write/upload/begin-upload.ts';
import { INLINE_BYTES, sendInline } from '../write/upload/inline-upload.ts';
import { MultipartUpload, type UploadContext } from '../write/upload/multipart-upload.ts';
import { isUploadGone, isUploadOpen } from '../write/upload/open-upload.ts';
import { publishedAlready } from '../write/upload/published-already.ts';
import { sameBytes } from '../write/upload/same-bytes.ts';
import type { UploadAborts } from '../write/upload/upload-aborts.ts';
import { LocalSource } from './local-source.ts';
import type { UnfinishedUpload, UnfinishedUploads } from './unfinished-uploads.ts';
import { partSizeToAskFor } from './upload-cost.ts';

export type LocalUploadApi = Pick<Api, 'uploads' | 'capabilities' | 'isKnownToOffer' | 'buckets'> & {
  readonly files: Pick<Api['files'], 'edit' | 'find'>;
};

export interface LocalUploadsContext {
  readonly api: LocalUploadApi;
  readonly sender: PartSender;
  readonly aborts: UploadAborts;
  readonly memory: MemoryPool;
  /** Of what the platform has, to know it again. */
  readonly reader: ContentReader;
  readonly unfinished: UnfinishedUploads;
  readonly clock: Clock;
  /** Of the platform: its files are other ones than those of another. */
  readonly endpoint: string;
}

export interface LocalUpload {
  readonly path: string;
  readonly target: UploadTarget;
  /** All that the new file is to have. */
  readonly annotations: Annotations | undefined;
}

export interface LocalCopying {
  readonly signal: AbortSignal;
  /** So many bytes more are there. */
  readonly onProgress: (bytes: number) => void;
}

/** The platform has a file of that name, and it was not to be replaced. */
const NAME_TAKEN = 8005;

export class LocalUploads {
  readonly #context: LocalUploadsContext;

  constructor(context: LocalUploadsContext) {
    this.#context = context;
  }

  /** Rejects with the system's error, a `ContentError`, or as the API does. An aborted signal leaves what was sent to the next run. */
  async upload(file: LocalUpload, copying: LocalCopying): Promise<FileRecord> {
    const source = await LocalSource.open(file.path);
    try {
      const made = (await this.#mayGoInline(source))
        ? await this.#inline(file, source, copying)
        : await this.#inParts(file, source, copying);
      return await this.#annotated(made, file.annotations, copying);
    } finally {
      await source.close();
    }
  }

  async #mayGoInline({ sizeBytes }: LocalSource): Promise<boolean> {
    return sizeBytes <= INLINE_BYTES && (await this.#context.api.capabilities()).has('upload_inline');
  }

  async #inline(
    { target, annotations }: LocalUpload,
    source: LocalSource,
    { signal, onProgress }: LocalCopying,
  ): Promise<FileRecord> {
    const { api, memory, reader } = this.#context;
    const { sizeBytes } = source;
    const buffer = await memory.acquire(sizeBytes, signal);
    try {
      const body = buffer.subarray(0, sizeBytes);
      await source.readInto(0, body);
      await source.refuseChanged();
      const made = await sendInline({ api, reader, signal }, body, {
        target,
        md5: await md5Hex(body),
        annotations,
      });
      onProgress(sizeBytes);
      return made;
    } finally {
      memory.release(buffer);
    }
  }

  async #inParts(file: LocalUpload, source: LocalSource, copying: LocalCopying): Promise<FileRecord> {
    const { target } = file;
    const { endpoint } = this.#context;
    const unfinished = await this.#context.unfinished.open([
      endpoint,
      target.parent,
      target.name,
      source.identity,
    ]);
    if (unfinished === undefined) throw new ContentError('failed', 'another svcfs cp is copying it there');
    let isOver = false;
    try {
      const made = await this.#publish(file, source, { unfinished, copying });
      isOver = true;
      return made;
    } catch (error) {
      isOver = isFinal(error);
      throw error;
    } finally {
      await (isOver ? unfinished.end() : unfinished.close());
    }
  }

  async #publish(
    { path, target }: LocalUpload,
    source: LocalSource,
    {
      unfinished,
      copying: { signal, onProgress },
    }: { readonly unfinished: UnfinishedUpload; readonly copying: LocalCopying },
  ): Promise<FileRecord> {
    const { api, sender, aborts, clock } = this.#context;
    const { sizeBytes } = source;
    const record: UploadContext['journal']['record'] = (entry) => {
      unfinished.record(entry);
      if (entry.type === 'part') onProgress(entry.part.sizeBytes);
    };
    const context: UploadContext = {
      draftId: unfinished.id,
      api,
      sender,
      aborts,
      journal: { record },
      content: source,
      signal,
    };
    const { begun } = unfinished;
    let upload: MultipartUpload | undefined;
    if (begun !== undefined && (await isUploadOpen(context, begun.upload.ticket.uploadId)))
      upload = new MultipartUpload(begun.upload, context);
    else if (begun !== undefined) {
      const made = await this.#madeBefore(target, source, { sinceMs: begun.sinceMs, signal });
      if (made !== undefined) return made;
    }
    if (upload === undefined) {
      const preferredPartSizeBytes = partSizeToAskFor(sizeBytes);
      const wanted = { target, preferredPartSizeBytes, expectedBytes: sizeBytes, sizeBytes };
      upload = await beginUpload(wanted, context);
      unfinished.begin(upload.state, target, { label: path, nowMs: clock.now() });
    }
    for (const { sizeBytes: sent } of upload.state.parts) onProgress(sent);
    try {
      await upload.sendAll(sizeBytes);
      await source.refuseChanged();
      return await upload.complete(sizeBytes);
    } catch (error) {
      if (isFinal(error) && !isUploadGone(error)) upload.abort();
      throw error;
    }
  }

  /** The file of an upload that is no more: it was completed, and a kill or a lost answer came before that was known. */
  async #madeBefore(
    target: UploadTarget,
    source: LocalSource,
    { sinceMs, signal }: { readonly sinceMs: number; readonly signal: AbortSignal },
  ): Promise<FileRecord | undefined> {
    const { api, reader } = this.#context;
    const { sizeBytes } = source;
    const ours = async ({ start, end }: { readonly start: number; readonly end: number }) => {
      const bytes = Buffer.allocUnsafe(end - start);
      await source.readInto(start, bytes);
      return { chunks: [bytes] };
    };
    return publishedAlready(
      { api, reader, signal },
      {
        target,
        sizeBytes,
        fileId: undefined,
        sinceMs,
        isSame: (theirs) => sameBytes(sizeBytes, ours, theirs),
      },
    );
  }

  /** Gives a file what did not go along with its content. */
  async #annotated(
    file: FileRecord,
    annotations: Annotations | undefined,
    { signal }: LocalCopying,
  ): Promise<FileRecord> {
    if (annotations === undefined) return file;
    const { metadata, tags = file.tags } = annotations;
    const lacks = Object.entries(metadata).some(([key, value]) => file.metadata[key] !== value);
    if (!lacks && tags.join('\0') === file.tags.join('\0')) return file;
    return this.#context.api.files.edit(file.id, { metadata, tags }, { signal, priority: 'data' });
  }
}

/** Nothing that was sent is of use to another run. */
function isFinal(error: unknown): boolean {
  return (
    isUploadGone(error) ||
    (error instanceof ApiError && error.code === NAME_TAKEN) ||
    (error instanceof ContentError && error.kind === 'changed')
  );
}
