import { optionalAddon } from './optional-addon.ts';

/** native/src/memory/memory.cc */
interface MemoryAddon {
  /** In huge pages where the machine has them; unknown to the garbage collector but for its last reference. */
  chunk(sizeBytes: number): ArrayBuffer;
  /** Its pages, not its addresses. */
  giveBack(chunk: ArrayBuffer): void;
  /** The bytes of a buffer that the engine made. It is empty from then on. */
  release(buffer: ArrayBuffer): void;
}

/** Undefined where it was not built: all that uses it works without, and slower. */
export const memoryAddon = optionalAddon<MemoryAddon>('memory');
