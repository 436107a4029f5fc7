/**
 * Uploads to the platform, and to buckets: one whose folder is a bucket goes to the store, as multipart upload or in one put.
 * The parts go by signed addresses, as those of the platform do.
 */
import type { UploadsApi } from '../api.ts';
import type { CallOptions } from '../call-options.ts';
import type { FileRecord, PartReport, SignedUrl, UploadTicket, VolumeObjectRecord } from '../model.ts';
import {
  bucketFileId,
  bucketFileOf,
  bucketFolderId,
  bucketUploadId,
  bucketUploadOf,
  type Condition,
  volumeOfFolder,
} from './bucket-ids.ts';
import type { S3Bucket } from './s3-bucket.ts';

const MIB = 1024 * 1024;
/** S3 takes no smaller part but the last, and no larger one. */
const SMALLEST_PART_BYTES = 5 * MIB;
const LARGEST_PART_BYTES = 5 * 1024 * MIB;
const PART_BYTES = 16 * MIB;

type Target = Parameters<UploadsApi['initialise']>[0];

/** The bucket of a volume. @throws ApiError when there are no keys for it (any more) */
export type BucketOf = (volume: string) => S3Bucket;

export class BucketUploads implements UploadsApi {
  readonly #platform: UploadsApi;
  readonly #bucketOf: BucketOf;
  /** ETags of parts, by upload and number. A store is told of all parts at once, at the end. */
  readonly #reported = new Map<string, Map<number, string>>();

  constructor(platform: UploadsApi, bucketOf: BucketOf) {
    this.#platform = platform;
    this.#bucketOf = bucketOf;
  }

  async initialise(target: Target, options?: CallOptions): Promise<UploadTicket> {
    const volume = volumeOfFolder(target.parent);
    if (volume === undefined) return this.#platform.initialise(target, options);
    const uploadId = await this.#bucketOf(volume).begin(target.name, options);
    const id = { volume, uploadId, condition: conditionOf(target), location: target.name };
    const wished = Math.max(SMALLEST_PART_BYTES, target.partSizeBytes ?? PART_BYTES);
    const partSizeBytes = Math.min(wished, LARGEST_PART_BYTES);
    return { uploadId: bucketUploadId(id), partSizeBytes, parallel: true };
  }

  async partUrl(uploadId: string, partNumber: number, options?: CallOptions): Promise<SignedUrl> {
    const upload = bucketUploadOf(uploadId);
    if (upload === undefined) return this.#platform.partUrl(uploadId, partNumber, options);
    const url = await this.#bucketOf(upload.volume).partLink(upload, partNumber);
    return { url, method: 'PUT', headers: {}, expiresMs: undefined };
  }

  async report(uploadId: string, parts: readonly PartReport[], options?: CallOptions): Promise<void> {
    if (bucketUploadOf(uploadId) === undefined) return this.#platform.report(uploadId, parts, options);
    this.#reported.set(uploadId, this.#known(uploadId, parts));
  }

  async complete(uploadId: string, parts: readonly PartReport[], options?: CallOptions): Promise<FileRecord> {
    const upload = bucketUploadOf(uploadId);
    if (upload === undefined) return this.#platform.complete(uploadId, parts, options);
    const all = [...this.#known(uploadId, parts)]
      .map(([partNumber, etag]) => ({ partNumber, etag }))
      .sort((left, right) => left.partNumber - right.partNumber);
    const record = await this.#bucketOf(upload.volume).complete(upload, all, options);
    this.#reported.delete(uploadId);
    return fileOfObject(record);
  }

  async abort(uploadId: string, options?: CallOptions): Promise<void> {
    const upload = bucketUploadOf(uploadId);
    if (upload === undefined) await this.#platform.abort(uploadId, options);
    else await this.#bucketOf(upload.volume).abort(upload, options);
    this.#reported.delete(uploadId);
  }

  async reportedParts(
    uploadId: string,
    options?: CallOptions,
  ): Promise<UploadTicket & { readonly parts: readonly PartReport[] }> {
    const upload = bucketUploadOf(uploadId);
    if (upload === undefined) return this.#platform.reportedParts(uploadId, options);
    const parts = await this.#bucketOf(upload.volume).parts(upload, options);
    return { uploadId, partSizeBytes: PART_BYTES, parallel: true, parts };
  }

  async inline(
    target: Parameters<UploadsApi['inline']>[0],
    content: Uint8Array,
    options?: CallOptions,
  ): Promise<FileRecord> {
    const volume = volumeOfFolder(target.parent);
    if (volume === undefined) return this.#platform.inline(target, content, options);
    const { name: location, md5 } = target;
    const condition = conditionOf(target);
    return fileOfObject(await this.#bucketOf(volume).put({ location, content, md5, condition }, options));
  }

  #known(uploadId: string, parts: readonly PartReport[]): Map<number, string> {
    const given = parts.map(({ partNumber, etag }) => [partNumber, etag] as const);
    return new Map([...(this.#reported.get(uploadId) ?? []), ...given]);
  }
}

/** An object in the place of a file of the platform, whose id tells this object from others under its key. */
export function fileOfObject({
  volume,
  location,
  sizeBytes,
  etag = '',
  modifiedMs = 0,
}: VolumeObjectRecord): FileRecord {
  return {
    kind: 'file',
    id: bucketFileId({ volume, etag, location }),
    name: location,
    project: '',
    parent: bucketFolderId(volume),
    sizeBytes: sizeBytes ?? 0,
    createdMs: modifiedMs,
    modifiedMs,
    storage: { kind: 'volume', volume, location, etag },
    originTask: undefined,
    originDataset: undefined,
    tags: [],
    metadata: {},
  };
}

function conditionOf({ overwrite, replaces, onlyIfSame }: Target): Condition {
  if (!overwrite) return { ifAbsent: true };
  const etag = onlyIfSame && replaces !== undefined ? bucketFileOf(replaces)?.etag : undefined;
  return etag === undefined || etag === '' ? undefined : { ifEtag: etag };
}
