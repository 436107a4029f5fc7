import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Extent, ExtentMap, type Origin } from '../../../../../src/content/write/spool/extent-map.ts';

const SIZE = 64;
const version = { kind: 'file', fileId: 'f', sizeBytes: 1000 } as const;

type Step =
  | { readonly do: 'set'; readonly start: number; readonly length: number; readonly origin: Origin }
  | { readonly do: 'truncate'; readonly size: number };

const origin: fc.Arbitrary<Origin> = fc.oneof(
  fc.constant<Origin>({ kind: 'local' }),
  fc.nat(900).map((offset): Origin => ({ kind: 'version', version, offset })),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('set' as const), start: fc.nat(SIZE), length: fc.nat(SIZE), origin }),
  fc.record({ do: fc.constant('truncate' as const), size: fc.nat(2 * SIZE) }),
);

/** The origin of each byte by the map, as text. */
function said(extents: readonly Extent[]): string[] {
  return extents.flatMap(({ start, end, origin }) =>
    Array.from({ length: end - start }, (_, at) =>
      origin.kind === 'version' ? `version ${origin.offset + at}` : origin.kind,
    ),
  );
}

function model(steps: readonly Step[]): string[] {
  const bytes: string[] = [];
  for (const one of steps) {
    if (one.do === 'truncate') {
      while (bytes.length < one.size) bytes.push('hole');
      bytes.length = one.size;
    } else if (one.length > 0) {
      while (bytes.length < one.start) bytes.push('hole');
      for (let at = 0; at < one.length; at += 1) {
        bytes[one.start + at] = one.origin.kind === 'version' ? `version ${one.origin.offset + at}` : 'local';
      }
    }
  }
  return bytes;
}

function mapOf(steps: readonly Step[]): ExtentMap {
  const map = new ExtentMap();
  for (const one of steps) {
    if (one.do === 'truncate') map.truncate(one.size);
    else map.set(one.start, one.start + one.length, one.origin);
  }
  return map;
}

it('says of every byte what an array of bytes would', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      expect(said(mapOf(steps).extents)).toEqual(model(steps));
    }),
  );
});

it('keeps extents sorted, without gaps, and joined where one origin goes on', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { extents } = mapOf(steps);
      let at = 0;
      for (const { start, end } of extents) {
        expect(start).toBe(at);
        expect(end).toBeGreaterThan(start);
        at = end;
      }
      const local = extents.map(({ origin }) => origin.kind).join(' ');
      expect(local).not.toMatch(/local local|hole hole/);
    }),
  );
});

it('cuts a slice to its range', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.nat(SIZE), fc.nat(SIZE), (steps, start, length) => {
      const slice = mapOf(steps).slice(start, start + length);
      expect(said(slice)).toEqual(model(steps).slice(start, start + length));
      expect(slice[0]?.start ?? start).toBe(start);
    }),
  );
});

it('counts the bytes that are local', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const local = model(steps).filter((byte) => byte === 'local').length;
      expect(mapOf(steps).localBytes).toBe(local);
      expect(new ExtentMap(mapOf(steps).extents).localBytes).toBe(local);
    }),
  );
});
