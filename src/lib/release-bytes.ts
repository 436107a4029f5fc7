import { memoryAddon } from './memory-addon.ts';

/**
 * Frees the memory of a buffer that is no longer in use, at once. The garbage collector would come later; it counts such
 * memory, and comes often when much of it passes by. A buffer that shares its memory with others is left alone.
 */
export function releaseBytes({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) memoryAddon?.release(buffer);
}
