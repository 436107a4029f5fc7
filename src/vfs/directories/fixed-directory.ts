import type { VirtualEntry, VirtualSource } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';

/** A directory whose names never change. */
export function fixedDirectory(entries: readonly VirtualEntry[]): VirtualSource {
  return { ttlMs: Number.POSITIVE_INFINITY, entries: () => ({ entries }) };
}

export function directory(name: string, source: VirtualSource, make: NodeMaker): VirtualEntry {
  return { name, make: (place) => make.virtualDirectory(place, source) };
}
