import type { Readable } from 'node:stream';
import type { HasClock } from '../../lib/clock.ts';
import { filesIn } from '../files/files.ts';
import type { HasBlobs, StoredBlob } from '../storage/blobs/blob-store.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';

/** How long bytes may lie here that no file refers to yet; longer than any task takes to store all of its outputs. */
const UNCLAIMED_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Keeps bytes that a file is going to have. They are garbage from some days on unless `blobGarbageIn(tx).forget` claims
 * them with the file: nobody else would find what is left of a worker that is killed. The stream is closed.
 */
export async function storeUnclaimed(
  { blobs, store, clock }: HasStore & HasBlobs & HasClock,
  bytes: Readable,
): Promise<StoredBlob> {
  const blob = await blobs.write(bytes).finally(() => {
    // Nobody is left to hear that what was not read breaks off.
    bytes.on('error', () => undefined).destroy();
  });
  try {
    await filesIn(store).discardBlob(blob.key, storedTime(clock.now() + UNCLAIMED_MS));
  } catch (error) {
    // Nobody would find it either.
    await blobs.remove(blob.key);
    throw error;
  }
  return blob;
}
