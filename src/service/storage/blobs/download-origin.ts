import type { BlobStore } from './blob-store.ts';

/** The address of a blob that there is not leads to the same place as that of any other. */
const ANY_KEY = '0'.repeat(32);

/**
 * Where files of the platform are read: scheme, host and port, so that a client can connect before it has an address.
 * Undefined when the store cannot tell now.
 *
 * @param own Of the service as the client calls it: what addresses it serves itself are relative to
 */
export async function downloadOrigin(blobs: BlobStore, own: string): Promise<string | undefined> {
  const address = await blobs.downloadAddress(ANY_KEY).catch(() => undefined);
  return address && new URL(address.url, own).origin;
}
