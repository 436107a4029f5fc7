import { createRequire } from 'node:module';

/** native/memory/addon.cc */
interface MemoryAddon {
  /** In huge pages where the machine has them; unknown to the garbage collector but for its last reference. */
  chunk(sizeBytes: number): ArrayBuffer;
  /** Its pages, not its addresses. */
  giveBack(chunk: ArrayBuffer): void;
}

/** The same relative place from src/content/memory and from dist/content/memory. */
const ADDON = '../../../native/build/memory.node';
/** A huge page: what is smaller has none. */
const SMALLEST_BYTES = 2 * 1024 * 1024;

const addon = load();

/** Memory whose content is undefined. Without the addon it comes from Node, and is slower to touch first. */
export function allocateChunk(sizeBytes: number): Buffer {
  if (addon === undefined || sizeBytes < SMALLEST_BYTES) return Buffer.allocUnsafeSlow(sizeBytes);
  return Buffer.from(addon.chunk(sizeBytes));
}

/**
 * For a chunk that nobody will use again. The collector, which does not know how large it is, may come late; who
 * has not noticed yet that its bytes are of no use reads zeros.
 */
export function giveBackChunk({ buffer, length }: Buffer): void {
  if (length >= SMALLEST_BYTES && buffer instanceof ArrayBuffer) addon?.giveBack(buffer);
}

function load(): MemoryAddon | undefined {
  try {
    return createRequire(import.meta.url)(ADDON) as MemoryAddon;
  } catch {
    return undefined;
  }
}
