/** Extents as the journal has them: three numbers each, since a file that is written here and there has 100,000. */
import type { ContentVersion } from '../../ports.ts';
import type { Extent, Origin } from '../spool/extent-map.ts';

type PackedOrigin = ContentVersion | Exclude<Origin['kind'], 'version'>;

export interface PackedExtents {
  readonly origins: readonly PackedOrigin[];
  /** Of each extent: its bytes, the index of its origin, and how much further on they are in a version than in the draft. */
  readonly runs: readonly number[];
}

export function packExtents(extents: readonly Extent[]): PackedExtents {
  const indexes = new Map<PackedOrigin, number>();
  const indexOf = (origin: PackedOrigin): number => {
    const index = indexes.get(origin) ?? indexes.size;
    if (index === indexes.size) indexes.set(origin, index);
    return index;
  };
  const runs: number[] = [];
  for (const { start, end, origin } of extents) {
    if (origin.kind === 'version') runs.push(end - start, indexOf(origin.version), origin.offset - start);
    else runs.push(end - start, indexOf(origin.kind), 0);
  }
  return { origins: [...indexes.keys()], runs };
}

/** Journals of before have the extents themselves. */
export function unpackExtents(written: PackedExtents | readonly Extent[]): readonly Extent[] {
  if (!('runs' in written)) return written;
  const { origins, runs } = written;
  const extents: Extent[] = [];
  let start = 0;
  for (let at = 0; at < runs.length; at += 3) {
    const [bytes = 0, index = 0, further = 0] = runs.slice(at, at + 3);
    extents.push({ start, end: start + bytes, origin: unpacked(origins[index] ?? 'hole', start + further) });
    start += bytes;
  }
  return extents;
}

function unpacked(origin: PackedOrigin, offset: number): Origin {
  return typeof origin === 'string' ? { kind: origin } : { kind: 'version', version: origin, offset };
}
