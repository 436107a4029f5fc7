/**
 * Blobs in a bucket of an S3-compatible store.
 *
 *     <prefix>/<kk>/<key>     a blob; while it is uploaded, a multipart upload under that key
 *
 * Parts and contents pass between client and store by signed addresses, never through this process. The bucket should have
 * a rule that removes unfinished multipart uploads: one that was begun when its process died is known to nobody.
 */
import { createHash } from 'node:crypto';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  ListObjectsV2Command,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { OBJECT_SIZE_MAX } from '../../../contract/limits.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isRandomId, randomId } from '../../../lib/random-id.ts';
import type { SignedAddress } from '../objects/byte-source.ts';
import type { Remains } from '../objects/remains.ts';
import { bareEtag, type S3Place } from '../objects/s3-object.ts';
import { TooManyBytesError } from '../objects/too-many-bytes-error.ts';
import { readObject } from '../s3/read-object.ts';
import { isAbsent, isNamed, refuseAs } from '../s3/s3-failure.ts';
import { signedAddress } from '../s3/signed-address.ts';
import { writeObject } from '../s3/write-object.ts';
import {
  type BlobStore,
  MissingPartError,
  type OpenBlob,
  type PartName,
  type StoredBlob,
  type UploadTarget,
} from './blob-store.ts';
import { combinedEtag } from './combined-etag.ts';

export interface S3BlobStoreOptions {
  readonly place: S3Place;
  /** Signs addresses: of the endpoint that clients reach the store at. */
  readonly signer: S3Client;
  /** Empty, or what all keys begin with, without a `/` at its end. */
  readonly prefix: string;
  readonly partUrlSeconds: number;
  readonly downloadUrlSeconds: number;
  readonly clock: Clock;
}

/** A part as the store lists it. */
interface ListedPart {
  readonly etag: string;
  readonly sizeBytes: number;
}

/** So few parts are asked for one by one, more as a list. */
const PARTS_ASKED_SINGLY = 2;
/** The most that S3 lists in one answer. */
const PARTS_LISTED_AT_ONCE = 1000;

export class S3BlobStore implements BlobStore {
  readonly #options: S3BlobStoreOptions;

  constructor(options: S3BlobStoreOptions) {
    this.#options = options;
  }

  async beginUpload(): Promise<UploadTarget> {
    const key = randomId();
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(this.#object(key)));
    if (UploadId === undefined) throw new Error('the store gave the upload no id');
    return { key, multipartId: UploadId };
  }

  partAddress(target: UploadTarget, partNumber: number): Promise<SignedAddress> {
    const { signer, clock, partUrlSeconds } = this.#options;
    const command = new UploadPartCommand({ ...this.#upload(target), PartNumber: partNumber });
    return signedAddress(command, { client: signer, clock, lifetimeSeconds: partUrlSeconds });
  }

  async partSizes(
    target: UploadTarget,
    parts: readonly PartName[],
  ): Promise<readonly (number | undefined)[]> {
    const listed =
      parts.length > PARTS_ASKED_SINGLY
        ? await this.#listParts(target)
        : await this.#listSingly(target, parts);
    return parts.map(({ partNumber, etag }) => {
      const part = listed.get(partNumber);
      return part?.etag === etag ? part.sizeBytes : undefined;
    });
  }

  async completeUpload(target: UploadTarget, parts: readonly PartName[]): Promise<StoredBlob> {
    const { key } = target;
    const etag = combinedEtag(parts.map((part) => part.etag));
    try {
      await this.#complete(target, parts);
    } catch (error) {
      if (isNamed(error, 'InvalidPart', 'InvalidPartOrder')) throw await this.#missing(target, parts);
      if (!isAbsent(error)) throw error;
      // Completed by a call before this one, whose answer was lost, or aborted.
    }
    const sizeBytes = await this.#sizeOf(key);
    if (sizeBytes === undefined) throw await this.#missing(target, parts);
    return { key, sizeBytes, etag };
  }

  async abortUpload(target: UploadTarget): Promise<void> {
    await this.#abort(this.#upload(target));
    await this.remove(target.key);
  }

  async write(bytes: Readable, maxBytes = OBJECT_SIZE_MAX): Promise<StoredBlob> {
    const key = randomId();
    const md5 = createHash('md5');
    let sizeBytes = 0;
    const counted = async function* (): AsyncGenerator<Buffer> {
      // Left early, the stream must live: destroying a request closes its connection before the answer is sent.
      for await (const chunk of bytes.iterator({ destroyOnReturn: false })) {
        sizeBytes += chunk.length;
        if (sizeBytes > maxBytes) throw new TooManyBytesError(maxBytes);
        md5.update(chunk);
        yield chunk;
      }
    };
    try {
      await this.#send(key, counted());
    } catch (error) {
      bytes.resume();
      throw error;
    }
    return { key, sizeBytes, etag: md5.digest('hex') };
  }

  async open(key: string): Promise<OpenBlob | undefined> {
    const sizeBytes = await this.#sizeOf(key);
    if (sizeBytes === undefined) return undefined;
    const object = { place: this.#options.place, key: this.#object(key).Key, sizeBytes };
    return {
      sizeBytes,
      etag: key,
      s3Object: object,
      stream: (range) => readObject(object, range),
      close: () => Promise.resolve(),
    };
  }

  downloadAddress(key: string): Promise<SignedAddress> {
    const { signer, clock, downloadUrlSeconds } = this.#options;
    const command = new GetObjectCommand(this.#object(key));
    return signedAddress(command, { client: signer, clock, lifetimeSeconds: downloadUrlSeconds });
  }

  async remove(key: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#object(key)));
  }

  /** A copy by the store is never linked. */
  unshare(): Promise<void> {
    return Promise.resolve();
  }

  async probe(): Promise<void> {
    const { bucket } = this.#options.place;
    // By GET: the answer to HEAD would not say what is wrong.
    const query = { Bucket: bucket, Prefix: this.#options.prefix, MaxKeys: 1 };
    await this.#client.send(new ListObjectsV2Command(query)).catch(refuseAs('list-denied'));
  }

  async *remains(before: number, isActive: (key: string) => boolean): AsyncGenerator<Remains> {
    const { place, prefix } = this.#options;
    let next: UploadsPage = { KeyMarker: undefined, UploadIdMarker: undefined };
    do {
      const query = { Bucket: place.bucket, Prefix: prefix, ...next };
      const page = await this.#client.send(new ListMultipartUploadsCommand(query));
      for (const { Key = '', UploadId, Initiated } of page.Uploads ?? []) {
        const began = Initiated?.getTime() ?? Number.POSITIVE_INFINITY;
        const own = Key.slice(Key.lastIndexOf('/') + 1);
        // Others may keep things in the bucket too.
        const isOurs = isRandomId(own) && Key === this.#object(own).Key;
        if (!isOurs || began >= before || isActive(own)) continue;
        const abort = (): Promise<void> => this.#abort({ Bucket: place.bucket, Key, UploadId });
        yield { name: own, remove: () => abort().then(() => true) };
      }
      const more = page.IsTruncated === true;
      next = {
        KeyMarker: more ? page.NextKeyMarker : undefined,
        UploadIdMarker: more ? page.NextUploadIdMarker : undefined,
      };
    } while (next.KeyMarker !== undefined);
  }

  get #client(): S3Client {
    return this.#options.place.client;
  }

  #object(key: string): { readonly Bucket: string; readonly Key: string } {
    const { place, prefix } = this.#options;
    const own = `${key.slice(0, 2)}/${key}`;
    return { Bucket: place.bucket, Key: prefix === '' ? own : `${prefix}/${own}` };
  }

  #upload({ key, multipartId }: UploadTarget): S3Upload {
    return { ...this.#object(key), UploadId: multipartId };
  }

  async #abort(upload: S3Upload): Promise<void> {
    await this.#client.send(new AbortMultipartUploadCommand(upload)).catch(absentAsUndefined);
  }

  async #complete(target: UploadTarget, parts: readonly PartName[]): Promise<void> {
    const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag }));
    const command = { ...this.#upload(target), MultipartUpload: { Parts } };
    await this.#client.send(new CompleteMultipartUploadCommand(command));
  }

  /** Which part is not the one named; else which was not named: Ceph joins all parts that it has or none. */
  async #missing(target: UploadTarget, parts: readonly PartName[]): Promise<MissingPartError> {
    const listed = await this.#listParts(target);
    const missing = parts.find(({ partNumber, etag }) => listed.get(partNumber)?.etag !== etag);
    if (missing !== undefined) return new MissingPartError(missing.partNumber);
    const named = new Set(parts.map(({ partNumber }) => partNumber));
    const unnamed = [...listed.keys()].find((partNumber) => !named.has(partNumber)) ?? 1;
    return new MissingPartError(unnamed, 'was sent but not reported, and the store leaves no part out');
  }

  async #send(key: string, chunks: AsyncGenerator<Buffer>): Promise<void> {
    const bytes = new PassThrough();
    const object = { key: this.#object(key).Key, bytes, sizeBytes: undefined, headers: {} };
    const written = writeObject(this.#options.place, object).finally(() => bytes.destroy());
    await Promise.all([pipeline(chunks, bytes), written]);
  }

  async #sizeOf(key: string): Promise<number | undefined> {
    const head = await this.#client.send(new HeadObjectCommand(this.#object(key))).catch(absentAsUndefined);
    return head && (head.ContentLength ?? 0);
  }

  async #listSingly(target: UploadTarget, parts: readonly PartName[]): Promise<Map<number, ListedPart>> {
    const lists = await Promise.all(
      parts.map(({ partNumber }) => this.#listParts(target, { after: partNumber - 1, onlyOne: true })),
    );
    return new Map(lists.flatMap((list) => [...list]));
  }

  /** Of parts of an upload: those after a number, one or all; none when the upload is gone. */
  async #listParts(
    target: UploadTarget,
    { after = 0, onlyOne = false }: { readonly after?: number; readonly onlyOne?: boolean } = {},
  ): Promise<Map<number, ListedPart>> {
    const parts = new Map<number, ListedPart>();
    const query = { ...this.#upload(target), MaxParts: onlyOne ? 1 : PARTS_LISTED_AT_ONCE };
    let marker: number | undefined = after;
    while (marker !== undefined) {
      const command: ListPartsCommand = new ListPartsCommand({ ...query, PartNumberMarker: String(marker) });
      const page: ListPartsCommandOutput | undefined = await this.#client
        .send(command)
        .catch(absentAsUndefined);
      for (const { PartNumber = 0, ETag, Size = 0 } of page?.Parts ?? []) {
        parts.set(PartNumber, { etag: bareEtag(ETag), sizeBytes: Size });
      }
      const last = page?.Parts?.at(-1)?.PartNumber;
      marker = page?.IsTruncated === true && !onlyOne ? last : undefined;
    }
    return parts;
  }
}

function absentAsUndefined(error: unknown): undefined {
  if (!isAbsent(error)) throw error;
}

interface S3Upload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

/** Where a page of unfinished uploads begins. */
type UploadsPage = Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'>;
