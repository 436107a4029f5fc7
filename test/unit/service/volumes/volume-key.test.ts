import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  keyAt,
  keyPrefixAt,
  locationOf,
  volumeKey,
  volumeKeyPrefix,
} from '../../../../src/service/volumes/volume-key.ts';

const segment = fc
  .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  .filter((text) => !text.includes('/') && text !== '.' && text !== '..');
const slashes = fc.stringMatching(/^\/{1,3}$/);
const slashesOrNone = fc.stringMatching(/^\/{0,3}$/);

/** Segments joined, led and, where wanted, ended by any number of slashes. */
function path(end: fc.Arbitrary<string>, minLength: number) {
  return fc
    .tuple(slashesOrNone, fc.array(fc.tuple(segment, slashes), { minLength, maxLength: 4 }), end)
    .map(([lead, pairs, tail]) => ({
      text:
        lead + pairs.map(([name, slash], i) => name + (i < pairs.length - 1 ? slash : '')).join('') + tail,
      segments: pairs.map(([name]) => name),
    }));
}

const prefixes = path(slashesOrNone, 0);
const locations = path(fc.constant(''), 1);

describe('the key of a volume object', () => {
  it('is prefix and location joined by single slashes, however they were written', () => {
    fc.assert(
      fc.property(prefixes, locations, (prefix, location) => {
        const key = [...prefix.segments, ...location.segments].join('/');
        expect(volumeKey(prefix.text, location.text)).toBe(key);
      }),
    );
  });

  it('gives its location back', () => {
    fc.assert(
      fc.property(prefixes, locations, (prefix, location) => {
        const key = volumeKey(prefix.text, location.text);
        expect(locationOf(prefix.text, key)).toBe(location.segments.join('/'));
        expect(volumeKey(prefix.text, locationOf(prefix.text, key))).toBe(key);
      }),
    );
  });

  it('always begins with the prefix as a folder', () => {
    fc.assert(
      fc.property(prefixes, fc.string(), (prefix, location) => {
        try {
          expect(volumeKey(prefix.text, location).startsWith(volumeKeyPrefix(prefix.text, ''))).toBe(true);
        } catch (error) {
          expect([9011, 9072]).toContain((error as { code: number }).code);
        }
      }),
    );
  });

  it.each([
    ['', 9011],
    ['/', 9072],
    ['a/', 9072],
    ['..', 9011],
    ['a/../b', 9011],
    ['./a', 9011],
    ['a/.', 9011],
    ['é'.repeat(513), 9011],
  ])('refuses the location %j', (location, code) => {
    expect(() => volumeKey('p', location)).toThrow(expect.objectContaining({ code }));
  });
});

describe('the prefix of a listing', () => {
  it.each([
    ['', '', ''],
    ['p', '', 'p/'],
    ['/p//q/', 'a', 'p/q/a'],
    ['p', 'a/', 'p/a/'],
    ['p', '/a//b/run', 'p/a/b/run'],
    ['', 'a/.hid', 'a/.hid'],
    ['', '..', '..'],
  ])('below %j with %j is %j', (prefix, locationPrefix, expected) => {
    expect(volumeKeyPrefix(prefix, locationPrefix)).toBe(expected);
  });

  it('refuses to climb', () => {
    expect(() => volumeKeyPrefix('p', '../q')).toThrow(expect.objectContaining({ code: 9011 }));
  });
});

describe('the key of what is there', () => {
  const prefixed = fc.constantFrom('', 'p', '/p//q/');
  const location = fc.string({ unit: fc.constantFrom('a', '/', '.', '%'), minLength: 1, maxLength: 8 });

  it('is the location as it is, behind the prefix of the volume', () => {
    fc.assert(
      fc.property(prefixed, location, (prefix, text) => {
        expect(keyAt(prefix, text)).toBe(volumeKeyPrefix(prefix, '') + text);
        expect(locationOf(prefix, keyAt(prefix, text))).toBe(text);
        expect(keyPrefixAt(prefix, text)).toBe(keyAt(prefix, text));
      }),
    );
  });

  it('is none of an empty location', () => {
    expect(() => keyAt('p', '')).toThrow(expect.objectContaining({ code: 9011 }));
  });

  it('is never cut where the prefix of the volume is not', () => {
    expect(() => locationOf('p', 'q/a')).toThrow();
  });
});
