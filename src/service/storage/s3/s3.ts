/** Everything that needs the SDK, in one module that is loaded when a store is first spoken to. */
export { openS3BlobStore } from '../blobs/open-s3-blob-store.ts';
export { S3Buckets } from '../buckets/s3-buckets.ts';
