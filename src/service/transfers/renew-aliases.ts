import { filesIn } from '../files/files.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { ObjectInfo } from '../storage/objects/bucket.ts';
import type { Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { addressOfVolume, locationOf, type VolumeAddress, volumeKey, volumesIn } from '../volumes/volumes.ts';

/** The facts about an object that was put. */
export interface Renewal {
  readonly address: VolumeAddress;
  readonly object: ObjectInfo;
  /** The file that the object was made of: what is recorded of its content is so already. */
  readonly exported: string | undefined;
}

/**
 * Records of an object that was just put what every alias of it is to say: its size, its time and its etag. Aliases come
 * from any volume that leads to the same bucket, whatever its prefix.
 */
export async function renewAliases(
  tx: Store,
  { buckets }: HasBuckets,
  { address, object, exported }: Renewal,
): Promise<void> {
  const identity = buckets.identityOf(address);
  const content = {
    size: object.sizeBytes,
    etag: object.etag,
    md5: null,
    modified_on: storedTime(object.updatedMs),
  };
  for (const row of await volumesIn(tx).ofBucket(address.bucket)) {
    const other = addressOfVolume(row);
    if (buckets.identityOf(other) !== identity) continue;
    const location = locationIn(other, object.key);
    if (location === undefined) continue;
    await filesIn(tx).updateAliases({ volumeId: row.id, location, except: exported }, content);
  }
}

/** Undefined when the volume's prefix does not lead to the key. */
function locationIn({ prefix }: VolumeAddress, key: string): string | undefined {
  const location = locationOf(prefix, key);
  if (location === '' || location.endsWith('/')) return undefined;
  try {
    return volumeKey(prefix, location) === key ? location : undefined;
  } catch {
    return undefined;
  }
}
