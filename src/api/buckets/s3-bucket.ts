/** The objects of one volume, in its bucket: what the platform's API has no call for, or asks a job for. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type HeadObjectCommandOutput,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { CallOptions } from '../call-options.ts';
import { ApiError } from '../errors.ts';
import { unquoted } from '../etag.ts';
import type { PartReport, VolumeObjectRecord, VolumeRecord } from '../model.ts';
import { type Asked, BucketConnection, type BucketConnectionOptions } from './bucket-connection.ts';
import { isAbsent, isConflict, isUnknownToStore, uploadGone } from './bucket-failure.ts';
import type { Condition } from './bucket-ids.ts';
import { copyObject } from './copy-object.ts';
import { type PutHeaders, putHeaders } from './put-headers.ts';

export interface S3BucketOptions extends BucketConnectionOptions {
  readonly record: VolumeRecord;
  /** The most that the store copies in one request. */
  readonly copyWholeBytes: number;
}

/** An upload in parts. */
interface UploadAt {
  readonly location: string;
  /** The store's own. */
  readonly uploadId: string;
}

interface CopySource {
  readonly from: S3Bucket;
  readonly location: string;
  /** Undefined: the store tells none. */
  readonly etag: string | undefined;
}

interface WholeObject {
  readonly location: string;
  readonly content: Uint8Array;
  /** In hexadecimal. */
  readonly md5: string | undefined;
  readonly condition: Condition;
}

export class S3Bucket {
  readonly #options: S3BucketOptions;
  readonly #connection: BucketConnection;
  readonly #prefix: string;
  readonly #headers: PutHeaders;

  constructor(options: S3BucketOptions) {
    this.#options = options;
    const { record } = options;
    this.#connection = new BucketConnection(options);
    this.#headers = putHeaders(record);
    this.#prefix = record.prefix
      .split('/')
      .filter((segment) => segment !== '')
      .map((segment) => `${segment}/`)
      .join('');
  }

  /** Signed here: nothing is asked. */
  link(location: string): Promise<string> {
    const command = new GetObjectCommand(this.#at(location));
    return this.#connection.link(this.#asked(location, 's3:GetObject'), (client, signing) =>
      getSignedUrl(client, command, signing),
    );
  }

  async head(location: string, options?: CallOptions): Promise<VolumeObjectRecord | undefined> {
    const found = await this.#headOf(location, options);
    return found && this.#recordOf(location, found);
  }

  /** As the store answers a request for bytes, which has more to tell than that for a head. */
  async refusal(location: string, options?: CallOptions): Promise<Error | undefined> {
    const command = new GetObjectCommand({ ...this.#at(location), Range: 'bytes=0-0' });
    try {
      await this.#connection.send(
        this.#asked(location, 's3:GetObject'),
        async (client, abort) => (await client.send(command, abort)).Body?.transformToByteArray(),
        options,
      );
      return undefined;
    } catch (error) {
      if (error instanceof Error) return error;
      throw error;
    }
  }

  /** Begins an upload in parts. */
  async begin(location: string, options?: CallOptions): Promise<string> {
    const command = new CreateMultipartUploadCommand({ ...this.#at(location), ...this.#headers });
    const asked = this.#asked(location, 's3:PutObject');
    const { UploadId = '' } = await this.#connection.send(
      asked,
      (client, abort) => client.send(command, abort),
      options,
    );
    return UploadId;
  }

  /** Signed here, as `link`. */
  partLink({ location, uploadId }: UploadAt, partNumber: number): Promise<string> {
    const part = { ...this.#at(location), UploadId: uploadId, PartNumber: partNumber };
    const command = new UploadPartCommand(part);
    return this.#connection.link(this.#asked(location, 's3:PutObject'), (client, signing) =>
      getSignedUrl(client, command, signing),
    );
  }

  /** Puts the object together. `ApiError` 8003 when the upload is no more. */
  async complete(
    { location, uploadId, condition }: UploadAt & { readonly condition: Condition },
    parts: readonly PartReport[],
    options?: CallOptions,
  ): Promise<VolumeObjectRecord> {
    const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
    const upload = { ...this.#at(location), UploadId: uploadId, MultipartUpload: { Parts } };
    const asked = this.#asked(location, 's3:PutObject');
    await this.#onCondition(location, condition, (headers) => {
      const command = new CompleteMultipartUploadCommand({ ...upload, ...headers });
      return this.#connection
        .send(asked, (client, abort) => client.send(command, abort), options)
        .catch(uploadGone);
    });
    return this.#made(location, options);
  }

  /** Done too when there is none. */
  async abort({ location, uploadId }: UploadAt, options?: CallOptions): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#at(location), UploadId: uploadId });
    const asked = this.#asked(location, 's3:AbortMultipartUpload');
    await this.#connection.send(
      asked,
      (client, abort) => client.send(command, abort).catch(unlessAbsent),
      options,
    );
  }

  /** The parts that the store has. `ApiError` 8003 when the upload is no more. */
  async parts({ location, uploadId }: UploadAt, options?: CallOptions): Promise<readonly PartReport[]> {
    const asked = this.#asked(location, 's3:ListMultipartUploadParts');
    const parts: PartReport[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const command = new ListPartsCommand({
        ...this.#at(location),
        UploadId: uploadId,
        PartNumberMarker: after,
      });
      const asking = this.#connection.send(asked, (client, abort) => client.send(command, abort), options);
      const page = await asking.catch(uploadGone);
      const listed = page.Parts ?? [];
      for (const { PartNumber = 0, ETag } of listed)
        parts.push({ partNumber: PartNumber, etag: unquoted(ETag) ?? '' });
      // Some stores do not tell where the next page begins.
      after = page.NextPartNumberMarker || listed.at(-1)?.PartNumber?.toString();
      more = page.IsTruncated === true && listed.length > 0;
    }
    return parts;
  }

  /** A whole object in one request. `ApiError` 8016 when other bytes arrived than those of `md5` (in hexadecimal). */
  async put(
    { location, content, md5, condition }: WholeObject,
    options?: CallOptions,
  ): Promise<VolumeObjectRecord> {
    const asked = this.#asked(location, 's3:PutObject');
    const object = {
      ...this.#at(location),
      ...this.#headers,
      Body: content,
      ContentMD5: md5 === undefined ? undefined : Buffer.from(md5, 'hex').toString('base64'),
    };
    try {
      await this.#onCondition(location, condition, (headers) => {
        const command = new PutObjectCommand({ ...object, ...headers });
        return this.#connection.send(asked, (client, abort) => client.send(command, abort), options);
      });
    } catch (error) {
      // The answer to an earlier try may have been lost.
      if (condition === undefined || !isConflict(error)) throw error;
      const there = await this.head(location, options);
      if (md5 === undefined || there?.etag !== md5) throw error;
      return there;
    }
    return this.#made(location, options);
  }

  /** Done too when there is none. */
  async delete(location: string, options?: CallOptions): Promise<void> {
    const command = new DeleteObjectCommand(this.#at(location));
    const asked = this.#asked(location, 's3:DeleteObject');
    await this.#connection.send(
      asked,
      (client, abort) => client.send(command, abort).catch(unlessAbsent),
      options,
    );
  }

  /**
   * Copies the object of this ETag, of this bucket or another that the same keys open, by the store itself. Done when this
   * answers. `ApiError` 404 when the source is gone, 412 when it is another by now.
   */
  async copyFrom(
    { from, location: source, etag }: CopySource,
    { location, condition }: { readonly location: string; readonly condition: Condition },
    options?: CallOptions,
  ): Promise<VolumeObjectRecord> {
    const asked = this.#asked(location, 's3:PutObject');
    const { Bucket: bucket, Key: key } = from.#at(source);
    const target = { bucket: this.#options.record.bucket, key: this.#key(location) };
    const { copyWholeBytes: wholeBytes } = this.#options;
    const head = await from.#headOf(source, options);
    if (head === undefined) throw this.#gone(from.#key(source));
    if (etag !== undefined && unquoted(head.ETag) !== etag) throw from.#conflict(source, { ifEtag: etag });
    // Few stores know conditions of a copy.
    if (condition !== undefined && 'ifAbsent' in condition && (await this.head(location, options)))
      throw this.#conflict(location, condition);
    const copy = { source: { bucket, key, head }, target, headers: this.#headers, wholeBytes };
    await this.#connection.send(asked, (client, abort) => copyObject(client, { ...copy, abort }), options);
    return this.#made(location, options);
  }

  /** Whether the same keys open the other bucket, at the same store. */
  isOpenTo(other: S3Bucket): boolean {
    return this.#connection.isLike(other.#connection);
  }

  /**
   * Puts an object only onto what the condition says. A store that knows no conditions may let two clients at once put one;
   * what was there before is looked for first.
   */
  async #onCondition(
    location: string,
    condition: Condition,
    put: (headers: { readonly IfNoneMatch?: string; readonly IfMatch?: string }) => Promise<unknown>,
  ): Promise<void> {
    if (condition === undefined) {
      await put({});
      return;
    }
    const there = await this.head(location);
    const isMet = 'ifAbsent' in condition ? there === undefined : there?.etag === condition.ifEtag;
    if (!isMet) throw this.#conflict(location, condition);
    const headers = 'ifAbsent' in condition ? { IfNoneMatch: '*' } : { IfMatch: condition.ifEtag };
    try {
      await put(headers);
    } catch (error) {
      if (isUnknownToStore(error)) await put({});
      else throw isConflict(error) ? this.#conflict(location, condition, error) : error;
    }
  }

  #conflict(location: string, condition: Exclude<Condition, undefined>, cause?: unknown): ApiError {
    const name = `bucket ${this.#options.record.bucket}, key ${this.#key(location)}`;
    const failure =
      'ifAbsent' in condition
        ? { status: 409, code: 0, message: `${name}: there is an object of that name` }
        : { status: 412, code: 0, message: `${name}: another client has replaced the object` };
    return new ApiError(failure, { call: 's3:PutObject', cause });
  }

  #headOf(location: string, options?: CallOptions): Promise<HeadObjectCommandOutput | undefined> {
    const command = new HeadObjectCommand(this.#at(location));
    const asked = this.#asked(location, 's3:GetObject');
    return this.#connection.send(
      asked,
      (client, abort) => client.send(command, abort).catch(unlessAbsent),
      options,
    );
  }

  #gone(key: string): ApiError {
    const message = `bucket ${this.#options.record.bucket}, key ${key}: there is no such object`;
    return new ApiError({ status: 404, code: 0, message }, { call: 's3:GetObject' });
  }

  async #made(location: string, options?: CallOptions): Promise<VolumeObjectRecord> {
    const record = await this.head(location, options);
    if (record !== undefined) return record;
    throw this.#gone(this.#key(location));
  }

  #at(location: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.#options.record.bucket, Key: this.#key(location) };
  }

  #key(location: string): string {
    return this.#prefix + location;
  }

  #asked(location: string, right: string): Asked {
    return { key: this.#key(location), right };
  }

  /** With what listings of the platform have in `metadata`. */
  #recordOf(location: string, head: HeadObjectCommandOutput): VolumeObjectRecord {
    const { id, bucket } = this.#options.record;
    const { ContentLength, LastModified, ContentType, StorageClass } = head;
    const etag = unquoted(head.ETag);
    return {
      volume: id,
      location,
      sizeBytes: ContentLength,
      etag,
      modifiedMs: LastModified?.getTime(),
      metadata: {
        bucket,
        name: this.#key(location),
        size: ContentLength,
        etag,
        updated: LastModified?.toISOString(),
        contentType: ContentType,
        storageClass: StorageClass ?? 'STANDARD',
      },
    };
  }
}

function unlessAbsent(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}
