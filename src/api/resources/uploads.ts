import { CONTENT_MD5_HEADER, INLINE_METADATA_HEADER, INLINE_TAGS_HEADER } from '../../contract/headers.ts';
import type { FilesApi, UploadsApi } from '../api.ts';
import type { CallOptions, Place } from '../call-options.ts';
import { ApiError } from '../errors.ts';
import type { EntryRecord, FileRecord, PartReport, SignedUrl, UploadTicket } from '../model.ts';
import { parseReportedParts, parseSignedUrl, parseUploadTicket, partReportBody } from '../parse/upload.ts';
import { asObject, optionalSizeAt, optionalTextAt } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { createdFromNowOn } from './created-from-now-on.ts';
import { callForFile } from './file-details.ts';

type Target = Parameters<UploadsApi['initialise']>[0];
type ReportedUpload = Awaited<ReturnType<UploadsApi['reportedParts']>>;

/** Where an unfinished upload will land. */
interface Landing extends Place {
  /** Undefined: none was said. */
  readonly sizeBytes: number | undefined;
}

/** The multipart upload (undocumented-calls, 1.1). */
export class UploadsClient implements UploadsApi {
  readonly #call: Caller;
  readonly #files: Pick<FilesApi, 'find'>;
  readonly #serverTime: ServerTime;
  /** A finished upload is no more, and can only be found by its name. */
  readonly #landings = new Map<string, Landing>();

  constructor(call: Caller, files: Pick<FilesApi, 'find'>, serverTime: ServerTime) {
    this.#call = call;
    this.#files = files;
    this.#serverTime = serverTime;
  }

  /** Sent twice after a lost answer, one upload stays empty and unused; it takes no name until it is completed. */
  async initialise(target: Target, options?: CallOptions): Promise<UploadTicket> {
    const { parent, name, overwrite, sizeBytes, partSizeBytes } = target;
    const ticket = await this.#call(
      {
        route: 'POST /upload/multipart',
        query: { overwrite: overwrite || undefined },
        body: { json: { parent, name, size: sizeBytes, part_size: partSizeBytes } },
        parse: parseUploadTicket,
      },
      options,
    );
    this.#landings.set(ticket.uploadId, { parent, name, sizeBytes });
    return ticket;
  }

  partUrl(uploadId: string, partNumber: number, options?: CallOptions): Promise<SignedUrl> {
    return this.#call(
      {
        route: 'GET /upload/multipart/{uploadId}/part/{partNumber}',
        path: { uploadId, partNumber },
        parse: parseSignedUrl,
      },
      options,
    );
  }

  report(uploadId: string, parts: readonly PartReport[], options?: CallOptions): Promise<void> {
    return this.#call(
      {
        route: 'POST /upload/multipart/{uploadId}',
        path: { uploadId },
        body: { json: { parts: parts.map(partReportBody) } },
        parse: () => undefined,
      },
      options,
    );
  }

  async complete(uploadId: string, parts: readonly PartReport[], options?: CallOptions): Promise<FileRecord> {
    const isNew = createdFromNowOn(this.#serverTime);
    const file = await lookBeforeRepeating(
      (timed) =>
        callForFile(
          this.#call,
          {
            route: 'POST /upload/multipart/{uploadId}/complete',
            path: { uploadId },
            body: { json: { parts: parts.map(partReportBody) } },
            whenLost: 'once',
          },
          timed,
        ),
      (timed) => this.#completed(uploadId, isNew, timed),
      this.#call.repetition(options),
    );
    this.#landings.delete(uploadId);
    return file;
  }

  async abort(uploadId: string, options?: CallOptions): Promise<void> {
    await lookBeforeRepeating(
      (timed) =>
        this.#call(
          {
            route: 'DELETE /upload/multipart/{uploadId}',
            path: { uploadId },
            whenLost: 'once',
            parse: () => true as const,
          },
          timed,
        ),
      async (timed) => (await this.#isOver(uploadId, timed)) || undefined,
      this.#call.repetition(options),
    );
    this.#landings.delete(uploadId);
  }

  async reportedParts(uploadId: string, options?: CallOptions): Promise<ReportedUpload> {
    const { landing, upload } = await this.#call(
      {
        route: 'GET /upload/multipart/{uploadId}',
        path: { uploadId },
        query: { list_parts: true },
        parse: (body) => ({
          landing: landingOf(body),
          upload: { ...parseUploadTicket(body), parts: parseReportedParts(body) },
        }),
      },
      options,
    );
    if (landing) {
      this.#landings.set(uploadId, landing);
    }
    return upload;
  }

  inline(
    { parent, name, overwrite, md5, metadata, tags, isSame, onSending }: Parameters<UploadsApi['inline']>[0],
    content: Uint8Array,
    options?: CallOptions,
  ): Promise<FileRecord> {
    const isNew = createdFromNowOn(this.#serverTime);
    return lookBeforeRepeating(
      (timed) =>
        callForFile(
          this.#call,
          {
            route: 'POST /upload/inline',
            query: { parent, name, overwrite: overwrite || undefined },
            headers: {
              ...(md5 !== undefined && { [CONTENT_MD5_HEADER]: Buffer.from(md5, 'hex').toString('base64') }),
              ...(metadata !== undefined && { [INLINE_METADATA_HEADER]: headerOf(metadata) }),
              ...(tags !== undefined && { [INLINE_TAGS_HEADER]: headerOf(tags) }),
            },
            body: { bytes: content, onSending },
            whenLost: overwrite ? 'repeat' : 'once',
          },
          timed,
        ),
      async (timed) => {
        const entry = await this.#files.find({ parent, name }, timed);
        if (entry?.kind !== 'file' || entry.sizeBytes !== content.length || !isNew(entry)) return undefined;
        return isSame === undefined || (await isSame(entry)) ? entry : undefined;
      },
      this.#call.repetition(options),
    );
  }

  /** Another client may have given the name to a file since. */
  async #completed(
    uploadId: string,
    isNew: (entry: EntryRecord) => boolean,
    options?: CallOptions,
  ): Promise<FileRecord | undefined> {
    const landing = this.#landings.get(uploadId);
    if (!landing || !(await this.#isOver(uploadId, options))) {
      return undefined;
    }
    const { parent, name, sizeBytes } = landing;
    const entry = await this.#files.find({ parent, name }, options);
    if (entry?.kind !== 'file' || !isNew(entry)) {
      return undefined;
    }
    return entry.sizeBytes === (sizeBytes ?? entry.sizeBytes) ? entry : undefined;
  }

  async #isOver(uploadId: string, options?: CallOptions): Promise<boolean> {
    try {
      await this.reportedParts(uploadId, options);
      return false;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) {
        return true;
      }
      throw error;
    }
  }
}

function landingOf(body: unknown): Landing | undefined {
  const object = asObject(body, 'upload');
  const parent = optionalTextAt(object, 'parent');
  const name = optionalTextAt(object, 'name');
  const sizeBytes = optionalSizeAt(object, 'size');
  return parent !== undefined && name !== undefined ? { parent, name, sizeBytes } : undefined;
}

/** JSON in base64url. */
function headerOf(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
