import type { VirtualEntry, VirtualSource } from '../model/node.ts';
import type { NodeMaker } from '../model/node-maker.ts';
import type { SyntheticDirectory } from '../model/synthetic.ts';

/** A directory whose names never change. */
export function fixedDirectory(entries: readonly VirtualEntry[]): VirtualSource {
  return { ttlMs: Number.POSITIVE_INFINITY, entries: () => ({ entries }) };
}

/** The top of a synthetic tree. */
export function syntheticDirectory(synthetic: SyntheticDirectory): VirtualSource {
  return { ...fixedDirectory([]), isPrivate: synthetic.isPrivate, synthetic };
}

export function directory(name: string, source: VirtualSource, make: NodeMaker): VirtualEntry {
  return { name, make: (place) => make.virtualDirectory(place, source) };
}
