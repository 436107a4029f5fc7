import { fileURLToPath } from 'node:url';

/** Where scripts/bench builds test/bench/native. */
const BUILD = new URL('../../../node_modules/.cache/bench/', import.meta.url);

export function nativeProgram(name: 'latency-proxy' | 'load' | 'null-fs' | 'touch-memory'): string {
  return fileURLToPath(new URL(name, BUILD));
}
