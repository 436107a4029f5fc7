import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** About 2 ms of hashing: what an event loop may be kept from its other work. */
const SLICE_BYTES = 512 * 1024;

/** MD5 in hex, in slices, so that the event loop turns in between. */
export async function md5Hex(bytes: Uint8Array): Promise<string> {
  const hash = createHash('md5');
  for (let offset = 0; offset < bytes.length; offset += SLICE_BYTES) {
    if (offset > 0) {
      await setImmediate();
    }
    hash.update(bytes.subarray(offset, offset + SLICE_BYTES));
  }
  return hash.digest('hex');
}
