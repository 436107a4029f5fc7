import { memoryAddon } from './memory-addon.ts';

/**
 * Frees the memory of a buffer that nobody will look at again, now and not when the garbage collector comes: it counts
 * such memory, and comes often when much of it passes by. What shares its memory with others is left alone.
 */
export function releaseBytes({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) memoryAddon?.release(buffer);
}
