/**
 * Where each byte of a draft is: in the spool, in a version at the service, only in the unfinished upload, or nowhere yet
 * (a hole reads as zeros).
 * Extents are sorted, do not overlap, cover `[0, sizeBytes)` without a gap, and neighbours of one origin are one.
 */
import { sameVersion } from '../../content-version.ts';
import type { ContentVersion } from '../../ports.ts';

/** `offset` is that of the extent's first byte in the version. */
export interface VersionOrigin {
  readonly kind: 'version';
  readonly version: ContentVersion;
  readonly offset: number;
}

export type Origin =
  | { readonly kind: 'local' }
  | { readonly kind: 'hole' }
  /** In a part that the service has, and no longer in the spool, which had to make room. */
  | { readonly kind: 'released' }
  | VersionOrigin;

export interface Extent {
  readonly start: number;
  readonly end: number;
  readonly origin: Origin;
}

const HOLE: Origin = { kind: 'hole' };

export class ExtentMap {
  #extents: Extent[];
  #localBytes: number;

  constructor(extents: readonly Extent[] = []) {
    this.#extents = [...extents];
    this.#localBytes = this.localBytesIn(0, this.sizeBytes);
  }

  get sizeBytes(): number {
    return this.#extents.at(-1)?.end ?? 0;
  }

  get extents(): readonly Extent[] {
    return this.#extents;
  }

  /** How much of it the spool holds. */
  get localBytes(): number {
    return this.#localBytes;
  }

  /** Gives `[start, end)` an origin; what lies between the old end and `start` becomes a hole. */
  set(start: number, end: number, origin: Origin): void {
    if (end <= start) return;
    const size = this.sizeBytes;
    if (start > size) this.set(size, start, HOLE);
    this.#localBytes += (origin.kind === 'local' ? end - start : 0) - this.localBytesIn(start, end);
    const first = this.#indexAt(start);
    const last = this.#indexAt(end);
    const head = cut(this.#extents[first], -Infinity, start);
    const tail = cut(this.#extents[last], end, Infinity);
    const before = this.#extents[first - 1];
    const replaced = merged([before, head, { start, end, origin }, tail, this.#extents[last + 1]]);
    const from = before === undefined ? first : first - 1;
    this.#extents.splice(from, last + 2 - from, ...replaced);
  }

  /** Growth is a hole. */
  truncate(sizeBytes: number): void {
    const size = this.sizeBytes;
    if (sizeBytes > size) this.set(size, sizeBytes, HOLE);
    if (sizeBytes < size) {
      this.#localBytes -= this.localBytesIn(sizeBytes, size);
      this.#extents = this.slice(0, sizeBytes);
    }
  }

  /** The extents within `[start, end)`, cut to it. */
  slice(start: number, end: number): Extent[] {
    const result: Extent[] = [];
    for (let index = this.#indexAt(start); index < this.#extents.length; index += 1) {
      const piece = cut(this.#extents[index], start, end);
      if (piece === undefined) break;
      result.push(piece);
    }
    return result;
  }

  /** The parts of `[start, end)` that still come from the place where an extent of a version had them. */
  unchangedOf(extent: Extent, start = extent.start, end = extent.end): Extent[] {
    return this.slice(start, end).filter((piece) => isPartOf(piece, extent));
  }

  localBytesIn(start: number, end: number): number {
    let sum = 0;
    for (const extent of this.slice(start, end)) {
      if (extent.origin.kind === 'local') sum += extent.end - extent.start;
    }
    return sum;
  }

  /** Index of the extent that holds `offset`; the number of extents when it is at or past the end. */
  #indexAt(offset: number): number {
    let low = 0;
    let high = this.#extents.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#extents[middle]?.end ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function cut(extent: Extent | undefined, from: number, to: number): Extent | undefined {
  if (extent === undefined) return undefined;
  const start = Math.max(extent.start, from);
  const end = Math.min(extent.end, to);
  if (end <= start) return undefined;
  return { start, end, origin: advanced(extent.origin, start - extent.start) };
}

function advanced(origin: Origin, bytes: number): Origin {
  return origin.kind === 'version' ? { ...origin, offset: origin.offset + bytes } : origin;
}

function merged(pieces: readonly (Extent | undefined)[]): Extent[] {
  const result: Extent[] = [];
  for (const piece of pieces) {
    if (piece === undefined) continue;
    const last = result.at(-1);
    if (last !== undefined && continues(last, piece)) {
      result[result.length - 1] = { ...last, end: piece.end };
    } else {
      result.push(piece);
    }
  }
  return result;
}

function continues(left: Extent, right: Extent): boolean {
  if (left.end !== right.start || left.origin.kind !== right.origin.kind) return false;
  if (left.origin.kind !== 'version' || right.origin.kind !== 'version') return true;
  return (
    left.origin.offset + left.end - left.start === right.origin.offset &&
    sameVersion(left.origin.version, right.origin.version)
  );
}

/** A piece of an extent that comes from a version: the same bytes at the same place. */
function isPartOf(piece: Extent, whole: Extent): boolean {
  if (piece.origin.kind !== 'version' || whole.origin.kind !== 'version') return false;
  return (
    piece.origin.offset - piece.start === whole.origin.offset - whole.start &&
    sameVersion(piece.origin.version, whole.origin.version)
  );
}

export function hasReleased(extents: readonly Extent[]): boolean {
  return extents.some(isReleased);
}

export function isReleased({ origin }: Extent): boolean {
  return origin.kind === 'released';
}

/** Of a draft that begins as a version, or empty. */
export function extentsOf(base: ContentVersion | undefined): readonly Extent[] {
  if (base === undefined || base.sizeBytes === 0) return [];
  return [{ start: 0, end: base.sizeBytes, origin: { kind: 'version', version: base, offset: 0 } }];
}

/** The version that extents are a whole, unchanged copy of. */
export function wholeCopyIn([only, ...others]: readonly Extent[]): ContentVersion | undefined {
  if (only?.origin.kind !== 'version' || others.length > 0) return undefined;
  const { version, offset } = only.origin;
  return offset === 0 && version.sizeBytes === only.end ? version : undefined;
}
