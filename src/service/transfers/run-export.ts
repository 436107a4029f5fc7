import type { HasClock } from '../../lib/clock.ts';
import { blobGarbageIn, type FileRow, fileFor, filesIn } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';
import { type JobRun, submitterOf, underLease } from '../jobs/job-run.ts';
import { demand } from '../members/members.ts';
import type { OpenBlob } from '../storage/blobs/blob-store.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { Bucket, ObjectInfo, PutSource } from '../storage/objects/bucket.ts';
import { BucketError } from '../storage/objects/bucket-error.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import {
  bucketOf,
  locationOf,
  refuseAsService,
  unchangedVolume,
  type Volume,
  volumeKey,
} from '../volumes/volumes.ts';
import { beginTransfer, type TransferServices } from './begin-transfer.ts';
import { exportRefusal } from './exportable.ts';
import { recordTransferEnd } from './record-transfer-end.ts';
import { type Renewal, renewAliases } from './renew-aliases.ts';
import type { ExportRequest } from './transfer-requests.ts';

/**
 * Puts a file's content on a volume. Then, unless only a copy was asked for, the file becomes an alias of the new object
 * and its own content is let go of. Both happen in the transaction that ends the job.
 *
 * The object carries the id of the job: a worker that takes over finds its predecessor's object and does not mistake it
 * for another. When an object is replaced, its aliases describe the new one, in that transaction too.
 *
 * The user must still have the permission when the job begins and when the content is let go of, and the volume must not
 * have changed. Otherwise the file keeps its content and the object stays, as after a copy. Nothing on a volume is ever
 * deleted.
 *
 * @throws ServiceError 9007, 9020, 9069, 9026, 9109 file gone, 9004, 9006, 9107 location taken, and refusals of the
 * bucket
 */
export async function runExport(run: JobRun<TransferServices>): Promise<void> {
  const { services, job } = run;
  const { request, volume } = await beginTransfer<ExportRequest>(run, 'write');
  demandWritable(volume);
  const file = await exportableFile(services.store, run, request);
  const key = volumeKey(volume.address.prefix, request.location);
  const bucket = await bucketOf(services, volume);
  const object = await putOnce(run, { request, file, bucket, key }).catch(refuseAsService);
  const put = { address: volume.address, object, exported: file.id };
  await underLease(run, async (tx) => {
    await renewAliases(tx, services, put);
    demandWritable(await unchangedVolume(tx, submitterOf(job), { volume, permission: 'write' }));
    const current = await exportableFile(tx, run, request);
    const location = locationOf(volume.address.prefix, key);
    const moved = request.copyOnly
      ? current
      : await becomeAlias(tx, run, current, { ...request, location, etag: object.etag });
    const [result] = await filesIn(tx).withDetails([moved]);
    await recordTransferEnd(tx, run, { result });
  }).catch(async (error) => {
    // The object is there all the same, and other files are aliases of it.
    if (error instanceof ServiceError) await underLease(run, (tx) => renewAliases(tx, services, put));
    throw error;
  });
  if (request.overwrite) await renewAgain(services, bucket, put);
}

/**
 * When two exports replaced one object at the same time, the one that was recorded last need not be the one that put
 * last. The object that is there after both counts.
 */
async function renewAgain(services: HasStore & HasBuckets, bucket: Bucket, put: Renewal): Promise<void> {
  const object = await bucket.head(put.object.key).catch(() => undefined);
  if (object === undefined || object.etag === put.object.etag) return;
  const renewal = { ...put, object, exported: undefined };
  await services.store.transaction((tx) => renewAliases(tx, services, renewal));
}

function demandWritable({ row }: Volume): void {
  if (row.access_mode !== 'RW') throw new ServiceError(9026);
}

type StoredFile = FileRow & { readonly blob_key: string };

async function exportableFile(store: Store, { job }: JobRun, request: ExportRequest): Promise<StoredFile> {
  const { file, permissions } = await fileFor(store, submitterOf(job), request.file, 9109);
  const refusal = exportRefusal(file);
  if (refusal !== undefined) throw refusal;
  demand(permissions, request.copyOnly ? 'copy' : 'write', 9004);
  const { blob_key } = file;
  if (blob_key === null) throw new Error(`file ${file.id} has neither content nor a volume`);
  return { ...file, blob_key };
}

interface Put {
  readonly request: ExportRequest;
  readonly file: StoredFile;
  readonly bucket: Bucket;
  readonly key: string;
}

async function putOnce(run: JobRun<TransferServices>, put: Put): Promise<ObjectInfo> {
  const { bucket, key, request } = put;
  const before = await bucket.head(key);
  if (before?.writer === run.job.id) return before;
  if (before !== undefined && !request.overwrite) throw new ServiceError(9107);
  try {
    return await putContent(run, put);
  } catch (error) {
    // A predecessor that lost its lease without noticing may have been faster.
    const winner =
      error instanceof BucketError && error.kind === 'exists' ? await bucket.head(key) : undefined;
    if (winner?.writer === run.job.id) return winner;
    throw error;
  }
}

async function putContent(
  { services, job, signal }: JobRun<TransferServices>,
  put: Put,
): Promise<ObjectInfo> {
  const { request, file, bucket, key } = put;
  const { properties } = request;
  const blob = await services.blobs.open(file.blob_key);
  if (blob === undefined) throw new ServiceError(9109, 'The content of the file is gone.');
  try {
    return await bucket.put(key, await sourceOf(services, put, blob), {
      overwrite: request.overwrite,
      storageClass: properties.cloud_storage_class ?? undefined,
      serverSideEncryption: properties.sse_algorithm,
      kmsKeyId: properties.sse_cloud_kms_key_id,
      cannedAcl: properties.cloud_canned_acl,
      writer: job.id,
      signal,
    });
  } finally {
    await blob.close();
  }
}

async function sourceOf(services: HasStore & HasClock, put: Put, blob: OpenBlob): Promise<PutSource> {
  const { localPath, s3Object, sizeBytes } = blob;
  if (s3Object !== undefined) return { kind: 'object', object: s3Object, stream: () => blob.stream() };
  if (localPath === undefined) return { kind: 'stream', stream: blob.stream(), sizeBytes };
  return { kind: 'file', path: localPath, givenAway: await giveAway(services, put), md5: md5Of(put.file) };
}

/**
 * Whether the object may be the very file that holds the content: when nobody else uses that. It is noted first: should the
 * content stay a project file's all the same, the sweeper parts the two.
 */
async function giveAway({ store, clock }: HasStore & HasClock, { request, file }: Put): Promise<boolean> {
  if (request.copyOnly || (await filesIn(store).isBlobShared(file.blob_key))) return false;
  await blobGarbageIn(store).giveAway(file.blob_key, storedTime(clock.now()));
  return true;
}

/** The ETag of content sent in one piece is its MD5. */
function md5Of({ etag }: FileRow): string | undefined {
  return etag !== null && /^[0-9a-f]{32}$/.test(etag) ? etag : undefined;
}

async function becomeAlias(
  tx: Store,
  { services }: JobRun<TransferServices>,
  file: StoredFile,
  object: { readonly volume: string; readonly location: string; readonly etag: string },
): Promise<FileRow> {
  const changes = { blob_key: null, volume_id: object.volume, location: object.location, etag: object.etag };
  await filesIn(tx).update(file.id, changes);
  await filesIn(tx).discardBlob(file.blob_key, storedTime(services.clock.now()));
  return { ...file, ...changes };
}
