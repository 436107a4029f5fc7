import { createHash } from 'node:crypto';
import type { Api } from '../../../src/api/api.ts';
import { NO_BUCKETS } from '../../../src/api/buckets/no-buckets.ts';
import { ApiError, StorageError } from '../../../src/api/errors.ts';
import type { Capability, FileRecord, PartReport } from '../../../src/api/model.ts';
import type { StorageClient } from '../../../src/api/storage-client.ts';
import { untilAborted } from '../../../src/lib/until-aborted.ts';

interface FakeUpload {
  readonly parent: string;
  readonly name: string;
  readonly overwrite: boolean;
  readonly sizeBytes: number | undefined;
  readonly partSizeBytes: number;
  readonly parts: Map<number, Buffer>;
  readonly reported: Map<number, string>;
}

/** An object of the store; replaced, it has another ETag. */
export interface FakeObject {
  bytes: Buffer;
  etag: string | undefined;
}

/**
 * Files, uploads and signed links in memory, just enough for the data path. Each call is logged, and a test can hold
 * back, refuse or fail any of them through `on`.
 */
export class FakePlatform {
  readonly calls: string[] = [];
  readonly files = new Map<string, { record: FileRecord; bytes: Buffer }>();
  /** Bytes by link path: `volume/location`. */
  readonly objects = new Map<string, FakeObject>();
  readonly uploads = new Map<string, FakeUpload>();
  readonly ranges: { readonly offset: number; readonly length: number; readonly sinceMs?: number }[] = [];
  readonly capabilities = new Set<Capability>();
  /** The service's answer for the part size; default: as asked. */
  partSizeBytes: number | undefined;
  /** Of download links. */
  linkQuery = '';
  /** A range comes in pieces of this size. */
  pieceBytes = Number.POSITIVE_INFINITY;
  parallel = true;
  /** Requests are not short. */
  hasRoom = true;
  /** Parts that arrive damaged, once; 0 is a file sent in one call. */
  readonly damaged = new Set<number>();
  /** Parts that the store answers with another ETag than theirs, once. */
  readonly mistaken = new Set<number>();
  /** Of parts that are held back, by their numbers. */
  readonly sentOfParts = new Map<number, number>();
  nowMs = Date.UTC(2024, 0, 1);
  putsInFlight = 0;
  mostPutsInFlight = 0;
  rangesInFlight = 0;
  mostRangesInFlight = 0;
  /** Called before anything is done: may throw, or wait. */
  on: (call: string) => void | Promise<void> = () => {};
  /** Called when a file was made, before that is answered: may throw, or wait. */
  onMade: () => void | Promise<void> = () => {};
  /** Called when a file was edited, before that is answered. */
  onEdited: () => void | Promise<void> = () => {};
  #ids = 0;

  get api(): Api {
    const uploads: Partial<Api['uploads']> = {
      initialise: async ({ parent, name, overwrite, sizeBytes, partSizeBytes }, options) => {
        await this.#enter('initialise');
        const uploadId = `u${++this.#ids}`;
        const size = this.partSizeBytes ?? partSizeBytes ?? 16;
        const upload = { parent, name, overwrite, sizeBytes, partSizeBytes: size };
        this.uploads.set(uploadId, { ...upload, parts: new Map(), reported: new Map() });
        // A caller that has stopped listening does not hear which it is.
        options?.signal?.throwIfAborted();
        return { uploadId, partSizeBytes: size, parallel: this.parallel };
      },
      partUrl: async (uploadId, partNumber) => {
        await this.#enter(`partUrl ${partNumber}`);
        this.#upload(uploadId);
        return { url: `${uploadId}/${partNumber}`, method: 'PUT', headers: {}, expiresMs: undefined };
      },
      report: async (uploadId, parts, options) => {
        await untilAborted(this.#enter('report'), options?.signal);
        this.#report(uploadId, parts);
      },
      complete: async (uploadId, parts) => {
        await this.#enter('complete');
        const record = this.#complete(uploadId, parts);
        await this.onMade();
        return record;
      },
      abort: async (uploadId) => {
        await this.#enter('abort');
        this.uploads.delete(uploadId);
      },
      reportedParts: async (uploadId) => {
        await this.#enter('reportedParts');
        const { reported, partSizeBytes } = this.#upload(uploadId);
        const parts = [...reported].map(([partNumber, etag]) => ({ partNumber, etag }));
        return { uploadId, partSizeBytes, parallel: this.parallel, parts };
      },
      inline: async (target, content) => {
        await this.#enter('inline');
        const bytes = Buffer.from(content);
        if (this.damaged.delete(0)) bytes[0] = ~(bytes[0] ?? 0) & 0xff;
        if (md5(bytes) !== (target.md5 ?? md5(bytes))) throw refusal(400, 8016);
        const record = this.#publish(target, bytes);
        const file = this.#file(record.id);
        file.record = { ...record, metadata: target.metadata ?? {}, tags: target.tags ?? [] };
        await this.onMade();
        return file.record;
      },
    };
    const files: Partial<Api['files']> = {
      find: async (place) => {
        await this.#enter('find');
        return 'parent' in place ? this.named(place.parent, place.name)?.record : undefined;
      },
      edit: async (id, { metadata, tags }) => {
        await this.#enter('edit');
        const file = this.#file(id);
        file.record = {
          ...file.record,
          metadata: { ...file.record.metadata, ...metadata },
          tags: tags ?? file.record.tags,
        };
        const { record } = file;
        await this.onEdited();
        return record;
      },
      get: async (id) => {
        await this.#enter('get');
        return this.#file(id).record;
      },
      putMetadata: async (id, metadata) => {
        await this.#enter('putMetadata');
        const file = this.#file(id);
        file.record = { ...file.record, metadata };
        return metadata;
      },
      downloadInfo: async (id) => {
        await this.#enter('downloadInfo');
        return { url: this.#address(id) };
      },
      downloadInfoAndFile: async (id) => {
        await this.#enter('downloadInfoAndFile');
        return { url: this.#address(id), file: this.#file(id).record };
      },
    };
    const volumes: Partial<Api['volumes']> = {
      downloadInfo: async (volume, location) => {
        await this.#enter('volumeDownloadInfo');
        const url = `${volume}/${location}`;
        const object = this.#object(url);
        return { url, sizeBytes: object.bytes.length, etag: object.etag };
      },
    };
    return {
      uploads,
      files,
      volumes,
      buckets: NO_BUCKETS,
      capabilities: async () => this.capabilities,
      downloadOrigin: () => undefined,
      hasRoom: () => this.hasRoom,
      isKnownToOffer: (capability: Capability) => this.capabilities.has(capability),
    } as unknown as Api;
  }

  get storage(): StorageClient {
    return {
      getRange: async (url, { offset, into, sinceMs, onAnswer, onProgress }, signal) => {
        this.ranges.push({ offset, length: into.length, ...(sinceMs !== undefined && { sinceMs }) });
        this.mostRangesInFlight = Math.max(this.mostRangesInFlight, ++this.rangesInFlight);
        try {
          await this.#enter(`getRange ${offset}+${into.length}`);
          signal?.throwIfAborted();
          const object = this.#object(url.replace(/\?.*$/, ''));
          if (offset + into.length > object.bytes.length)
            throw new StorageError('changed', 'out of range', { status: 416 });
          const answer = { etag: object.etag, objectSizeBytes: object.bytes.length };
          onAnswer?.(answer);
          for (let at = 0; at < into.length; at += this.pieceBytes) {
            const piece = object.bytes.subarray(
              offset + at,
              offset + Math.min(at + this.pieceBytes, into.length),
            );
            into.set(piece, at);
            onProgress?.(at + piece.length);
            if (at + piece.length < into.length) await this.#enter(`piece ${offset + at}`);
          }
          return answer;
        } finally {
          this.rangesInFlight -= 1;
        }
      },
      putPart: async ({ url }, body, { signal, onSending } = {}) => {
        const [uploadId = '', number] = url.split('/');
        this.mostPutsInFlight = Math.max(this.mostPutsInFlight, ++this.putsInFlight);
        try {
          onSending?.(() => this.sentOfParts.get(Number(number)) ?? 0);
          await this.#enter(`put ${number}`);
          signal?.throwIfAborted();
          const bytes = Buffer.from(body);
          if (this.damaged.delete(Number(number))) bytes[0] = ~(bytes[0] ?? 0) & 0xff;
          this.#upload(uploadId).parts.set(Number(number), bytes);
          if (this.mistaken.delete(Number(number))) return { etag: 'nonsense', md5: undefined };
          const etag = md5(bytes);
          return { etag, md5: etag };
        } finally {
          this.putsInFlight -= 1;
        }
      },
      connectAhead: () => {},
      close: async () => {},
    };
  }

  named(parent: string, name: string): { record: FileRecord; bytes: Buffer } | undefined {
    return [...this.files.values()].find(({ record }) => record.parent === parent && record.name === name);
  }

  /** Puts a file there as if it had always been. */
  addFile(bytes: Buffer, changes: Partial<FileRecord> = {}): FileRecord {
    const record: FileRecord = {
      kind: 'file',
      id: `f${++this.#ids}`,
      name: `file-${this.#ids}`,
      project: 'alice/trial',
      parent: 'root',
      sizeBytes: bytes.length,
      createdMs: this.nowMs,
      modifiedMs: this.nowMs,
      storage: { kind: 'platform', locations: [] },
      originTask: undefined,
      originDataset: undefined,
      tags: [],
      metadata: {},
      ...changes,
    };
    this.files.set(record.id, { record, bytes });
    return record;
  }

  /** Makes a file of the only upload, as a service does whose answer gets lost. */
  completeUpload(): FileRecord {
    const [[uploadId, { parts }], ...others] = [...this.uploads] as [[string, FakeUpload], ...unknown[]];
    if (others.length > 0) throw new Error('there is more than one upload');
    return this.#complete(
      uploadId,
      [...parts].map(([partNumber, bytes]) => ({ partNumber, etag: md5(bytes) })),
    );
  }

  count(call: string): number {
    return this.calls.filter((one) => one.split(' ')[0] === call).length;
  }

  async #enter(call: string): Promise<void> {
    this.calls.push(call);
    await this.on(call);
    await undefined;
  }

  #upload(uploadId: string): FakeUpload {
    const upload = this.uploads.get(uploadId);
    if (upload === undefined) throw refusal(404, 8003);
    return upload;
  }

  #file(id: string): { record: FileRecord; bytes: Buffer } {
    const file = this.files.get(id);
    if (file === undefined) throw refusal(404, 5002);
    return file;
  }

  #address(id: string): string {
    const { storage } = this.#file(id).record;
    const path = storage.kind === 'platform' ? `file/${id}` : `${storage.volume}/${storage.location}`;
    return `${path}${this.linkQuery}`;
  }

  #object(url: string): FakeObject {
    const [, fileId] = url.match(/^file\/(.*)$/) ?? [];
    if (fileId !== undefined) return { bytes: this.#file(fileId).bytes, etag: `etag-${fileId}` };
    const object = this.objects.get(url);
    if (object === undefined) throw new StorageError('missing', 'no such object', { status: 404 });
    return object;
  }

  #report(uploadId: string, parts: readonly PartReport[]): void {
    const upload = this.#upload(uploadId);
    for (const { partNumber, etag } of parts) {
      const bytes = upload.parts.get(partNumber);
      if (bytes === undefined || md5(bytes) !== etag) throw refusal(400, 8014);
      upload.reported.set(partNumber, etag);
    }
  }

  #complete(uploadId: string, parts: readonly PartReport[]): FileRecord {
    this.#report(uploadId, parts);
    const upload = this.#upload(uploadId);
    const numbers = [...upload.parts.keys()].sort((left, right) => left - right);
    const bytes = Buffer.concat(numbers.map((number) => upload.parts.get(number) ?? Buffer.alloc(0)));
    const whole = numbers.every((number, at) => number === at + 1 && upload.reported.has(number));
    if (!whole || (upload.sizeBytes ?? bytes.length) !== bytes.length) throw refusal(409, 8007);
    const inner = this.capabilities.has('variable_part_size') ? [] : numbers.slice(0, -1);
    if (inner.some((number) => upload.parts.get(number)?.length !== upload.partSizeBytes)) {
      throw refusal(409, 8007);
    }
    const record = this.#publish(upload, bytes);
    this.uploads.delete(uploadId);
    return record;
  }

  #publish(target: { parent: string; name: string; overwrite: boolean }, bytes: Buffer): FileRecord {
    const old = this.named(target.parent, target.name);
    if (old !== undefined && !target.overwrite) throw refusal(409, 8005);
    if (old !== undefined) this.files.delete(old.record.id);
    return this.addFile(bytes, { parent: target.parent, name: target.name });
  }
}

export function refusal(status: number, code: number): ApiError {
  return new ApiError({ status, code, message: `code ${code}` }, { call: 'fake' });
}

export function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** Bytes that tell where they are from. */
export function patterned(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 1) bytes[at] = (at * 31 + (at >> 8) * 7 + seed * 101) & 0xff;
  return bytes;
}
