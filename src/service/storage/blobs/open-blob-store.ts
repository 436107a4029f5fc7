import { join } from 'node:path';
import type { Clock } from '../../../lib/clock.ts';
import { loadS3 } from '../s3/load-s3.ts';
import type { BlobStore } from './blob-store.ts';
import { DirectoryBlobStore } from './directory-blob-store.ts';
import type { S3BlobsPlace } from './s3-blobs-place.ts';
import type { UrlSigner } from './url-signer.ts';

export interface BlobStoreOptions {
  readonly dataDir: string;
  /** Undefined: in the data directory. */
  readonly blobs: S3BlobsPlace | undefined;
  readonly partUrlSeconds: number;
  readonly downloadUrlSeconds: number;
  readonly signer: UrlSigner;
  readonly clock: Clock;
}

/** Rejects when blobs cannot be kept there. */
export async function openBlobStore(options: BlobStoreOptions): Promise<BlobStore> {
  const { dataDir, blobs } = options;
  if (blobs !== undefined) {
    const { openS3BlobStore } = await loadS3(() => import('./open-s3-blob-store.ts'));
    const store = openS3BlobStore(blobs, options);
    await store.probe();
    return store;
  }
  const store = new DirectoryBlobStore({ ...options, root: join(dataDir, 'storage') });
  await store.prepare();
  return store;
}
