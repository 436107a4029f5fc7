/** A copy that the store makes itself: no byte passes this machine. In parts beyond the size that it copies in one request. */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  type HeadObjectCommandOutput,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { PART_COUNT_MAX } from '../../contract/limits.ts';
import { forEachAtOnce } from '../../lib/for-each-at-once.ts';
import type { PutHeaders } from './put-headers.ts';

const GIB = 1024 ** 3;
/** So small that several are copied at once. */
const PART_BYTES = GIB / 2;
const PARTS_AT_ONCE = 8;

export interface ObjectCopy {
  readonly source: { readonly bucket: string; readonly key: string; readonly head: HeadObjectCommandOutput };
  readonly target: { readonly bucket: string; readonly key: string };
  readonly headers: PutHeaders;
  /** The most that is copied in one request. */
  readonly wholeBytes: number;
  readonly abort: { readonly abortSignal?: AbortSignal };
}

/** Copies the version of the source that `head` tells of, with its type and its own metadata. Rejects as the SDK does. */
export async function copyObject(client: S3Client, copy: ObjectCopy): Promise<void> {
  const { source, target, headers, wholeBytes, abort } = copy;
  const { ETag, StorageClass, ContentLength = 0 } = source.head;
  const kept = { ...headers, StorageClass: headers.StorageClass ?? StorageClass };
  if (ContentLength > wholeBytes) return copyInParts(client, { ...copy, headers: kept });
  const command = new CopyObjectCommand({
    Bucket: target.bucket,
    Key: target.key,
    CopySource: copySource(source),
    CopySourceIfMatch: ETag,
    ...kept,
  });
  await client.send(command, abort);
}

async function copyInParts(client: S3Client, copy: ObjectCopy): Promise<void> {
  const { source, target, headers, abort } = copy;
  const { ContentType, CacheControl, ContentDisposition, ContentEncoding, ContentLanguage, Metadata } =
    source.head;
  const described = {
    ContentType,
    CacheControl,
    ContentDisposition,
    ContentEncoding,
    ContentLanguage,
    Metadata,
  };
  const place = { Bucket: target.bucket, Key: target.key };
  const { UploadId } = await client.send(
    new CreateMultipartUploadCommand({ ...place, ...described, ...headers }),
    abort,
  );
  const upload = { ...place, UploadId };
  try {
    const Parts = await copyParts(client, copy, UploadId);
    await client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), abort);
  } catch (error) {
    // What remains is the bucket's rule on unfinished uploads to remove.
    await client.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
}

interface CopiedPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

async function copyParts(
  client: S3Client,
  { source, target, abort }: ObjectCopy,
  UploadId: string | undefined,
): Promise<CopiedPart[]> {
  const parts: CopiedPart[] = [];
  await forEachAtOnce([...ranges(source.head.ContentLength ?? 0).entries()], PARTS_AT_ONCE, async (each) => {
    const [index, range] = each;
    const command = new UploadPartCopyCommand({
      Bucket: target.bucket,
      Key: target.key,
      UploadId,
      PartNumber: index + 1,
      CopySource: copySource(source),
      CopySourceIfMatch: source.head.ETag,
      CopySourceRange: range,
    });
    const { CopyPartResult } = await client.send(command, abort);
    parts[index] = { PartNumber: index + 1, ETag: CopyPartResult?.ETag };
  });
  return parts;
}

function ranges(sizeBytes: number): readonly string[] {
  const length = Math.max(PART_BYTES, Math.ceil(sizeBytes / PART_COUNT_MAX));
  return Array.from({ length: Math.ceil(sizeBytes / length) }, (_, index) => {
    const first = index * length;
    return `bytes=${first}-${Math.min(first + length, sizeBytes) - 1}`;
  });
}

function copySource({ bucket, key }: ObjectCopy['source']): string {
  return [bucket, ...key.split('/')].map(encodeURIComponent).join('/');
}
