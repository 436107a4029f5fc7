import { createRequire } from 'node:module';

/** native/memory/addon.cc */
interface MemoryAddon {
  /** In huge pages where the machine has them; unknown to the garbage collector but for its last reference. */
  chunk(sizeBytes: number): ArrayBuffer;
}

/** The same relative place from src/content/memory and from dist/content/memory. */
const ADDON = '../../../native/build/memory.node';

const addon = load();

/** Memory whose content is undefined. Without the addon it comes from Node, and is slower to touch first. */
export function allocateChunk(sizeBytes: number): Buffer {
  return addon ? Buffer.from(addon.chunk(sizeBytes)) : Buffer.allocUnsafeSlow(sizeBytes);
}

function load(): MemoryAddon | undefined {
  try {
    return createRequire(import.meta.url)(ADDON) as MemoryAddon;
  } catch {
    return undefined;
  }
}
