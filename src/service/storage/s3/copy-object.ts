/**
 * Copies of objects that the store makes itself: no byte passes this process.
 *
 * A copy needs credentials that may read the source and write the target. The target's credentials are tried first. When
 * they may not read the source, they begin an upload, the source's credentials make its parts as copies, and the target's
 * complete it. So no rights reach further than their own, and the target's bucket need only let the other account put
 * parts. When neither may, the caller learns that and streams.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { PART_COUNT_MAX } from '../../../contract/limits.ts';
import type { S3Object, S3Place } from '../objects/s3-object.ts';
import type { ObjectHeaders } from './object-headers.ts';
import { isDenied } from './s3-failure.ts';

const GIB = 1024 ** 3;

/** The sizes that the store copies in one request, and in one part beyond that. */
export interface CopySizes {
  readonly wholeMax: number;
  readonly part: number;
}

/** S3's limit; parts small enough that several are copied at once. */
export const S3_COPY_SIZES: CopySizes = { wholeMax: 5 * GIB, part: GIB / 2 };

const PARTS_AT_ONCE = 8;

export interface Copy {
  readonly source: S3Object;
  readonly target: S3Place & { readonly key: string };
  readonly headers: ObjectHeaders;
  readonly sizes: CopySizes;
  readonly signal?: AbortSignal | undefined;
}

/** @returns False when nobody may copy: nothing has changed then */
export async function copyObject(copy: Copy): Promise<boolean> {
  const { source, target, sizes } = copy;
  if (source.sizeBytes <= sizes.wholeMax) {
    if (await allowed(copyWhole(copy))) return true;
    return source.sizeBytes > 0 && copyInParts(copy, [source.place.client]);
  }
  return copyInParts(copy, [target.client, source.place.client]);
}

async function copyWhole({ source, target, headers, signal }: Copy): Promise<void> {
  const command = new CopyObjectCommand({
    Bucket: target.bucket,
    Key: target.key,
    CopySource: copySource(source),
    MetadataDirective: 'REPLACE',
    ...headers,
  });
  await target.client.send(command, abortedBy(signal));
}

async function copyInParts(copy: Copy, copiers: readonly S3Client[]): Promise<boolean> {
  const { target, headers, signal } = copy;
  const { client, bucket: Bucket, key: Key } = target;
  const begun = await client.send(
    new CreateMultipartUploadCommand({ Bucket, Key, ...headers }),
    abortedBy(signal),
  );
  const upload = { Bucket, Key, UploadId: begun.UploadId };
  try {
    for (const copier of copiers) {
      const etags = await copyParts(copy, { copier, uploadId: begun.UploadId }).catch(deniedAsUndefined);
      if (etags === undefined) continue;
      const Parts = etags.map((ETag, index) => ({ PartNumber: index + 1, ETag }));
      const { IfNoneMatch } = headers;
      const complete = { ...upload, IfNoneMatch, MultipartUpload: { Parts } };
      await client.send(new CompleteMultipartUploadCommand(complete), abortedBy(signal));
      return true;
    }
  } catch (error) {
    await abandon(client, upload);
    throw error;
  }
  await abandon(client, upload);
  return false;
}

/** ETags of the parts, in order. */
async function copyParts(
  { source, target, sizes, signal }: Copy,
  { copier, uploadId }: { readonly copier: S3Client; readonly uploadId: string | undefined },
): Promise<string[]> {
  const failed = new AbortController();
  const abortSignal = signal === undefined ? failed.signal : AbortSignal.any([failed.signal, signal]);
  const etags: string[] = [];
  const remaining = copyRanges(source.sizeBytes, sizes).entries();
  const run = async (): Promise<void> => {
    for (const [index, range] of remaining) {
      const command = new UploadPartCopyCommand({
        Bucket: target.bucket,
        Key: target.key,
        UploadId: uploadId,
        PartNumber: index + 1,
        CopySource: copySource(source),
        CopySourceRange: range,
      });
      const { CopyPartResult } = await copier.send(command, { abortSignal });
      etags[index] = CopyPartResult?.ETag ?? '';
    }
  };
  try {
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, run));
  } finally {
    failed.abort();
  }
  return etags;
}

/** The ranges of the parts; undefined alone stands for the whole, however small. */
function copyRanges(sizeBytes: number, { wholeMax, part }: CopySizes): readonly (string | undefined)[] {
  if (sizeBytes <= wholeMax) return [undefined];
  const length = Math.max(part, Math.ceil(sizeBytes / PART_COUNT_MAX));
  const count = Math.ceil(sizeBytes / length);
  return Array.from({ length: count }, (_, index) => {
    const first = index * length;
    return `bytes=${first}-${Math.min(first + length, sizeBytes) - 1}`;
  });
}

/** Best effort: what remains is the bucket's rule on unfinished uploads to remove. */
async function abandon(
  client: S3Client,
  upload: { readonly Bucket: string; readonly Key: string; readonly UploadId: string | undefined },
): Promise<void> {
  await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
}

function abortedBy(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

async function allowed(done: Promise<void>): Promise<boolean> {
  return done.then(
    () => true,
    (error) => {
      if (!isDenied(error)) throw error;
      return false;
    },
  );
}

function deniedAsUndefined(error: unknown): undefined {
  if (!isDenied(error)) throw error;
}

function copySource({ place, key }: S3Object): string {
  return [place.bucket, ...key.split('/')].map(encodeURIComponent).join('/');
}
