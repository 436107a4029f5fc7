import { memoryAddon } from '../../lib/memory-addon.ts';

/** A huge page: what is smaller has none. */
const SMALLEST_BYTES = 2 * 1024 * 1024;

/** Memory whose content is undefined. Without the addon it comes from Node, and is slower to touch first. */
export function allocateChunk(sizeBytes: number): Buffer {
  if (memoryAddon === undefined || sizeBytes < SMALLEST_BYTES) return Buffer.allocUnsafeSlow(sizeBytes);
  return Buffer.from(memoryAddon.chunk(sizeBytes));
}

/**
 * For a chunk that nobody will use again. The collector, which does not know how large it is, may come late; who
 * has not noticed yet that its bytes are of no use reads zeros.
 */
export function giveBackChunk({ buffer, length }: Buffer): void {
  if (length >= SMALLEST_BYTES && buffer instanceof ArrayBuffer) memoryAddon?.giveBack(buffer);
}
