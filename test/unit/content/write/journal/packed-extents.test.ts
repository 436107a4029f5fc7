import { expect, it } from 'vitest';
import { packExtents, unpackExtents } from '../../../../../src/content/write/journal/packed-extents.ts';
import type { Extent } from '../../../../../src/content/write/spool/extent-map.ts';

const file = { kind: 'file', fileId: 'f', sizeBytes: 1000 } as const;
const other = { kind: 'file', fileId: 'g', sizeBytes: 50 } as const;

it('gives back extents of any origin', () => {
  const extents: Extent[] = [
    { start: 0, end: 10, origin: { kind: 'local' } },
    { start: 10, end: 30, origin: { kind: 'version', version: file, offset: 10 } },
    { start: 30, end: 31, origin: { kind: 'hole' } },
    { start: 31, end: 81, origin: { kind: 'version', version: other, offset: 0 } },
    { start: 81, end: 90, origin: { kind: 'released' } },
    { start: 90, end: 100, origin: { kind: 'version', version: file, offset: 900 } },
  ];
  const packed = packExtents(extents);
  expect(packed.origins).toEqual(['local', file, 'hole', other, 'released']);
  expect(unpackExtents(JSON.parse(JSON.stringify(packed)))).toEqual(extents);
});

it('has none of an empty draft', () => {
  expect(unpackExtents(packExtents([]))).toEqual([]);
});
